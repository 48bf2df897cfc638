/// Push: see ARCHITECTURE.md.
