/// WebClient: see ARCHITECTURE.md.
