"""Sums that are weighed by what is expected of each person: with them, people's own expectations are taken off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.reading import Reading

Outer = tuple[int, ...]  # features whose places are known


def own_rows(reading: Reading) -> dict[Outer, slice]:
    """Return where in rows of `beside_expected` the bins of each feature are, and the cells of two asked about.

    They are nowhere if expectations are the same for all.
    """
    if not reading.personal or reading.reports.signs is not None:
        return {}
    asked, sizes = reading.reports.features, dict[Outer, int]()
    sizes.update({(j,): reading.expected[j].shape[1] for j in sorted(reading.expected)})
    if len(asked) == 2:
        sizes[asked] = len(reading.cells)
    ends = np.cumsum([len(reading.cells), *sizes.values()]).tolist()
    return {features: slice(a, b) for features, a, b in zip(sizes, ends[:-1], ends[1:], strict=True)}


def beside_expected(reading: Reading, rows: Floats) -> Floats:
    """Put beside numbers of people (row) in cells (column) their weighed sum times the chance of each bin.

    Of two features asked about it is times `Reading.pairs` as well.
    """
    if not own_rows(reading):
        return rows
    return np.concatenate([rows, _by_expected(reading, rows @ reading.weight)], axis=1)


def reported(reading: Reading, outers: Sequence[Outer]) -> dict[Outer, Floats]:
    """Return the unbiased sums of residuals by cell and place, and beside them those weighed by what is expected."""
    if not own_rows(reading):
        return {outer: reading.counts.sums(outer) for outer in outers}
    return reading.totals(outers, lambda batch: beside_expected(batch, batch.lifted(batch.reports.in_cells())))


def _by_expected(reading: Reading, numbers: Floats) -> Floats:
    """Return one number for each person times what is expected of them, in the order of `own_rows`."""
    expected = [reading.expected[j][:] for j in sorted(reading.expected)]
    if len(reading.reports.features) == 2:
        expected.append(reading.pairs)
    return np.concatenate([numbers[:, None] * each for each in expected], axis=1)
