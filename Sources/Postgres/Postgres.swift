/// Postgres: see ARCHITECTURE.md.
