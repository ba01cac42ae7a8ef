"""Choosing settings without asking people again, and what a search would have asked of them."""

from __future__ import annotations

from semildp._lazy import from_homes

# Loaded when first used.
_HOMES = {
    "Candidate": "semildp.tuning.learners",
    "Chosen": "semildp.tuning.learners",
    "CountedSearch": "semildp.tuning.counted",
    "SearchCost": "semildp.tuning.costs",
    "choose_learner": "semildp.tuning.learners",
}

__all__ = [*_HOMES]

__getattr__ = from_homes(__name__, _HOMES)
