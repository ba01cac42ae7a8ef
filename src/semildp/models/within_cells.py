"""One half-width per cell: a prediction that is the same for all people of a cell has one interval for all of them."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.domains import FeatureBounds
from semildp.models.bars import Bars
from semildp.partition import Partition
from semildp.partition.volumes import leaf_boxes

POINTS = 64  # of each cell, over which the distribution of errors is averaged
_CELLS = 64  # looked at together: memory


def half_widths(
    partition: Partition, bounds: FeatureBounds, bars: Bars, values: Floats, cells: Ints, coverage: float
) -> Floats:
    """Return, for some cells, q with P(|f(x) - value| <= q) = coverage, x being spread evenly over the cell.

    Parameters
    ----------
    partition, bounds, bars
        The cells, the bounds of features, and what error bars are made of.
    values
        The prediction of each cell of the partition.
    cells
        The cells that are asked about.
    coverage
        The probability.
    """
    low, high = leaf_boxes(partition.tree, len(bounds.low))
    leaf, code = np.divmod(cells, partition.n_codes)
    low, high = low[leaf], high[leaf]
    for feature, bins in reversed(list(zip(partition.histogram_features, partition.bins, strict=True))):
        low[:, feature], high[:, feature] = code % bins / bins, (code % bins + 1) / bins
        code = code // bins
    start_at, width = np.asarray(bounds.low), np.subtract(bounds.high, bounds.low)
    even, found = even_points(POINTS, len(bounds.low)), np.empty(len(cells))
    for start in range(0, len(cells), _CELLS):
        some = slice(start, start + _CELLS)
        unit = (low[some, None] + even * (high - low)[some, None]).reshape(-1, even.shape[1])
        rows = start_at + unit * width
        errors = bars.errors(rows, unit, np.repeat(values[cells[some]], POINTS))
        found[some] = errors.within(coverage, POINTS)
    return found


def even_points(n: int, d: int) -> Floats:
    """Return points spread evenly in [0, 1]^d: multiples of g^-1, g^-2, ... modulo 1, where g^(d+1) = g + 1."""
    g = 2.0
    for _ in range(60):
        g = (1 + g) ** (1 / (d + 1))
    return np.asarray((0.5 + np.outer(np.arange(1, n + 1), g ** -np.arange(1.0, d + 1))) % 1.0)
