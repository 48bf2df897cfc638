/// Alerts: see ARCHITECTURE.md.
