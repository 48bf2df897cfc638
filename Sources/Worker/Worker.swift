/// Worker: see ARCHITECTURE.md.
