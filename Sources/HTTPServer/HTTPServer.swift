/// HTTPServer: see ARCHITECTURE.md.
