"""Choosing settings without asking people again, and what a search would have asked of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Loaded when first used.
_HOMES = {
    "Candidate": "semildp.tuning.learners",
    "Chosen": "semildp.tuning.learners",
    "CountedSearch": "semildp.tuning.counted",
    "SearchCost": "semildp.tuning.costs",
    "choose_learner": "semildp.tuning.learners",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'semildp.tuning' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
