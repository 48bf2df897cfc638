/// API: see ARCHITECTURE.md.
