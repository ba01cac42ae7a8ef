"""Timings. Compare ratios within a run: machines differ and are busy."""
