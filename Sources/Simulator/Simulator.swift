/// Simulator: see ARCHITECTURE.md.
