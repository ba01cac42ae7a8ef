"""Planted privacy faults: a list, kept current with the source, and a command that shows which test catches each."""
