"""One file per fault. Each has TITLE, SMOKE and FULL (sizes; no SMOKE: only in the full set) and
`play(stage, size)`."""
