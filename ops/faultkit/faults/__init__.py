"""One file per fault. Each has TITLE, SMOKE and FULL (sizes; SMOKE None: only in the full set) and
`play(stage, size)`."""
