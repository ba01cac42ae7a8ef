"""The literal law of pair reports, for the codes of the library: shared by the tests of all that is sent this way."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from semildp.mechanisms import PairResponse
from semildp.wire.columns import Marks
from tests.reference import pairs

SMALL = [
    *((kind, k, levels) for kind in ("generalised", "subset") for k in (1, 2, 3, 4) for levels in (2, 3, 4)),
    *(("paired", k, 2) for k in (1, 2, 3, 4)),
]

KINDS = [
    ("generalised", 2, 2),
    ("generalised", 3, 4),
    ("subset", 3, 2),
    ("subset", 4, 3),
    ("paired", 2, 2),
    ("paired", 4, 2),
]


@cache
def laws(code: PairResponse) -> dict[int, pairs.Law]:
    """Return the probability of every report, by true value."""
    size = code.mechanism.size if code.kind == "subset" else 1
    values = range(code.n_candidates * code.levels)
    return {v: pairs.law(code.kind, code.epsilon, code.n_candidates, code.levels, size, v) for v in values}


def law_at(code: PairResponse, candidate: int, residual: float, reach: float) -> pairs.Law:
    """Return the law of what someone sends, rounding at random included."""
    return pairs.rounded(laws(code), candidate, code.levels, pairs.place(residual, reach, code.levels))


@cache
def as_arrays(code: PairResponse) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return marks (report x candidate x level) and probabilities (true value x report)."""
    law_of = laws(code)
    reports = list(law_of[0])
    marks = np.zeros((len(reports), code.n_candidates * code.levels))
    for row, values in enumerate(reports):
        marks[row, list(values)] = 1
    chances = np.array([[law[report] for report in reports] for law in law_of.values()])
    return marks.reshape(len(reports), code.n_candidates, code.levels), chances


def row_at(code: PairResponse, candidate: int, residual: float, reach: float) -> NDArray[np.float64]:
    """Return the same law as a row, in the order of `as_arrays`: fast where there are many reports."""
    _, chances = as_arrays(code)
    at = pairs.place(residual, reach, code.levels)
    low = min(int(at), code.levels - 2)
    first = candidate * code.levels + low
    return np.asarray((1 - at + low) * chances[first] + (at - low) * chances[first + 1])


def sent_sets(marks: Marks) -> list[tuple[int, ...]]:
    """Return the values each person marked, in order."""
    return [tuple(sorted(marks.of(i))) for i in range(len(marks))]
