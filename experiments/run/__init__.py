"""Running: which tasks there are, on all cores, and results on disk."""
