/// Jobs: see ARCHITECTURE.md.
