/// Storage: see ARCHITECTURE.md.
