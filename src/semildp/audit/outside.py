"""Checks of a visit: what it sends fits what it states, and everyone's randomness is their own.

Each check raises on a correct visit with probability at most a few times 1e-6 (see `statistics`), for any seed.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from semildp.audit.columns import Ints, as_columns
from semildp.audit.finding import require
from semildp.audit.sampled import PEOPLE, fit_outputs
from semildp.audit.statistics import FALSE_ALARM, clopper_pearson
from semildp.audit.visit import Visit
from semildp.sources import SeededSource, Source, SystemSource

Input = TypeVar("Input")

FEW_PEOPLE = 1 << 13


def check_visit_frequencies(visit: Visit[Input], source: Source) -> float:
    """Each part of what is sent is drawn as often as its mechanism states, for every input it has a value for."""
    sent = [visit.send(x, PEOPLE, source) for x in visit.inputs]
    p_values = [1.0]
    for part in visit.parts:
        given = [(part.value(x), part.outputs(s)) for x, s in zip(visit.inputs, sent, strict=True)]
        known = [(value, outputs) for value, outputs in given if value is not None]
        drawn = np.stack([outputs for _, outputs in known], axis=1)
        p_values.append(fit_outputs(part.mechanism, drawn, np.array([value for value, _ in known])))
    return min(p_values)


def check_visit_randomness(visit: Visit[Input], seed: int) -> None:
    """All randomness comes from the source, and no two people or calls share any of it."""
    person = visit.inputs[-1]

    def send(source: Source) -> Ints:
        return as_columns(visit.send(person, FEW_PEOPLE, source))

    same, again, other = (send(SeededSource(s)) for s in (seed, seed, seed + 1))
    require(
        np.array_equal(same, again),
        "The same seed gave different outputs: something other than the source is drawn from.",
    )
    require(not np.array_equal(same, other), "Two seeds gave the same outputs: the source is not drawn from.")
    for source in (SeededSource(seed), SystemSource()):
        first, second = send(source), send(source)
        require(not np.array_equal(first, second), "Two calls with one source gave the same outputs.")
        _check_neighbours(first, second)


def _check_neighbours(first: Ints, second: Ints) -> None:
    """People side by side in one call send the same as often as people in two calls; bounds must overlap."""
    n = len(first) // 2
    within = int((first[0 : 2 * n : 2] == first[1 : 2 * n : 2]).all(axis=1).sum())
    across = int((first[0 : 2 * n : 2] == second[1 : 2 * n : 2]).all(axis=1).sum())
    low, high = clopper_pearson([within, across], n, FALSE_ALARM / 4)
    require(
        low.max() <= high.min(),
        f"Neighbours in one call send the same {within} times, people in two calls {across} times of {n}: "
        "their randomness is not their own.",
    )
