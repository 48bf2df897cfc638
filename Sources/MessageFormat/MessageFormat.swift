/// MessageFormat: see ARCHITECTURE.md.
