"""Noticing a search over epsilon: the search that sets a parameter is among the callers."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakSet

from semildp.errors import EpsilonSearchWarning
from semildp.estimators.inputs import callers_level

_TOLD: WeakSet[Any] = WeakSet()  # searches that have been told
_MESSAGE = (
    "A search over `epsilon` finds the largest, or one near it: more epsilon is less noise, so it fits better on "
    "average, whatever the data. Which epsilon is enough depends on what people are asked to give up, and is no "
    "question of tuning; semildp.plan says what each is worth. On devices every candidate and fold would ask the same "
    "people again: semildp.tuning.SearchCost adds it up."
)


def warn_of_epsilon_search() -> None:
    """Warn, once per search, if one that tries several epsilons is among the callers.

    A search that works in other processes or threads is noticed when it sets the parameters of the best candidate.
    """
    frame = inspect.currentframe()
    while frame is not None:
        search = frame.f_locals.get("self")
        if tries_epsilons(search):
            if search not in _TOLD:
                _TOLD.add(search)
                warnings.warn(_MESSAGE, EpsilonSearchWarning, stacklevel=callers_level())
            return
        frame = frame.f_back


def tries_epsilons(search: Any) -> bool:
    """Whether this is a search, as scikit-learn's are, that tries several values of some `epsilon`."""
    if not hasattr(search, "estimator"):
        return False
    grid = getattr(search, "param_grid", None) or getattr(search, "param_distributions", None)
    grids = [grid] if isinstance(grid, Mapping) else grid if isinstance(grid, list | tuple) else []
    seen: set[Any] = set()
    for each in grids:
        for name, values in each.items() if isinstance(each, Mapping) else ():
            if name == "epsilon" or name.endswith("__epsilon"):
                if not isinstance(values, Iterable):
                    return True  # a distribution
                seen |= {float(value) for value in values}
    return len(seen) > 1
