/// Cryptography: see ARCHITECTURE.md.
