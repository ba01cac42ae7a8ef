"""Sums that are weighed by what is expected of each person: with them, people's own expectations are taken off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.reading import Reading

Outer = tuple[int, ...]  # features whose places are known


def own_rows(reading: Reading) -> dict[int, slice]:
    """Return where in rows of `beside_expected` the bins of each feature are; nowhere if expectations are the same."""
    if not reading.personal or reading.reports.signs is not None:
        return {}
    features = sorted(reading.expected)
    ends = np.cumsum([len(reading.cells), *(reading.expected[j].shape[1] for j in features)]).tolist()
    return {j: slice(a, b) for j, a, b in zip(features, ends[:-1], ends[1:], strict=True)}


def beside_expected(reading: Reading, rows: Floats) -> Floats:
    """Put beside numbers of people (row) in cells (column) their weighed sum times the chance of each bin."""
    if not own_rows(reading):
        return rows
    return np.concatenate([rows, _by_expected(reading, rows @ reading.weight)], axis=1)


def reported(reading: Reading, outers: Sequence[Outer]) -> dict[Outer, Floats]:
    """Return the unbiased sums of residuals by cell and place, and beside them those weighed by what is expected."""
    if not own_rows(reading):
        return {outer: reading.counts.sums(outer) for outer in outers}
    return reading.totals(outers, lambda batch: beside_expected(batch, batch.lifted(batch.reports.in_cells())))


def _by_expected(reading: Reading, numbers: Floats) -> Floats:
    """Return one number for each person times the probability of each bin, of all private features."""
    return np.concatenate([numbers[:, None] * reading.expected[j][:] for j in sorted(reading.expected)], axis=1)
