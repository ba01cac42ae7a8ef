"""What an effect adds to the residuals of people, in the cells that they were asked about."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.functions import Family
from semildp.curator.effects.reading import Reading
from semildp.models.places import membership


def added(reading: Reading, family: Family, effect: Floats) -> Floats:
    """Return what an effect adds for each person (row) in each cell (column), less what it is expected to add."""
    n, cells, first = len(reading.reports), len(reading.cells), family[0]
    if len(family) == 2 and reading.asked(family):
        table = effect if reading.reports.features == family else effect.T
        one, two = (reading.within_bins(j) for j in reading.reports.features)
        mean = reading.pairs @ (one @ table @ two.T).ravel()
        return np.broadcast_to(over_cells(reading, table) - mean[:, None], (n, cells))
    bins = reading.within_bins(first) @ effect
    if len(family) == 1:
        mean = reading.expected[first][:] @ bins
        there = reading.in_cells(first)
        at = (reading.within[first] @ effect)[None, :] if there else effect[reading.place(first)][:, None]
        return np.broadcast_to(at - mean[:, None], (n, cells))
    second = reading.place(family[1])
    mean = (reading.expected[first][:] * bins[:, second].T).sum(axis=1)
    if reading.in_cells(first):
        at = (reading.within[first] @ effect)[:, second].T
    else:
        at = effect[reading.place(first), second][:, None]
    return np.broadcast_to(at - mean[:, None], (n, cells))


def even(reading: Reading, family: Family, effect: Floats) -> tuple[tuple[int, ...], Floats]:
    """Return `added` if expectations are the same for all: the known features it depends on, and cell x place."""
    cells, first = len(reading.cells), family[0]
    if len(family) == 2 and reading.asked(family):
        table = effect if reading.reports.features == family else effect.T
        return (), over_cells(reading, table)[:, None]
    mean = reading.expected[first][:1][0] @ (reading.within_bins(first) @ effect)  # by second place
    outer = tuple(j for j in family if not reading.in_cells(j))
    if reading.in_cells(first):
        at = reading.within[first] @ effect
        return outer, at.reshape(cells, -1) - mean
    at = (effect - mean).reshape(1, -1)
    return outer, np.broadcast_to(at, (cells, at.shape[1]))


def over_cells(reading: Reading, effect: Floats) -> Floats:
    """Return the averages of a table over places of the two features asked about, in each cell."""
    one, two = (membership(b, n) for b, n in zip(reading.reports.bins, effect.shape, strict=True))
    there = one @ reading.together @ two.T
    return np.asarray((one @ (reading.together * effect) @ two.T / np.maximum(there, 1e-300)).ravel())
