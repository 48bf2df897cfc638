"""The fault harness: real processes, real signals, a real database, and what must hold after each."""
