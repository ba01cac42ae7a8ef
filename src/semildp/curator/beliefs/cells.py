"""What sums over cells tell of f: each is told its mean over a box of features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.backends import chunks
from semildp.curator.beliefs.evidence import Told
from semildp.models.belief import Axis, Belief, mean_cosines
from semildp.partition import Partition
from semildp.partition.volumes import leaf_boxes
from semildp.study import Study

MOST_COLUMNS, TERMS = 60, (2, 6)  # functions of all features; and of each, at least and at most
CELLS = 1 << 13  # looked at together


def box_axes(study: Study) -> tuple[Axis, ...]:
    """Return one axis for each feature, scaled by its bounds; the values of a category are in order."""
    d, bounds = len(study.features), study.bounds
    terms = int(np.clip(MOST_COLUMNS // max(d, 1), *TERMS))
    ends = zip(bounds.low, bounds.high, strict=True)
    return tuple(Axis(j, terms, (float(low), float(high)), (0.0, 1.0)) for j, (low, high) in enumerate(ends))


@dataclass(frozen=True, eq=False)
class Boxes:
    """Averages of the axes' functions over leaves and over bins: a cell is one of each.

    Parameters
    ----------
    leaves
        For each axis, the averages of its functions (column) over each leaf (row).
    codes
        The same over each combination of bins; None for an axis without bins.
    """

    leaves: list[Floats]
    codes: list[Floats | None]

    @classmethod
    def of(cls, partition: Partition, axes: tuple[Axis, ...]) -> Boxes:
        """Average over the boxes of a partition, in which people are taken to be spread evenly."""
        low, high = leaf_boxes(partition.tree, len(axes))
        leaves = [mean_cosines(low[:, a], high[:, a], axis.terms) for a, axis in enumerate(axes)]
        codes: list[Floats | None] = [None] * len(axes)
        place = np.arange(partition.n_codes)
        for feature, bins in reversed(list(zip(partition.histogram_features, partition.bins, strict=True))):
            ends = np.arange(bins + 1) / bins
            codes[feature] = mean_cosines(ends[:-1], ends[1:], axes[feature].terms)[place % bins]
            place = place // bins
        return cls(leaves, codes)

    @property
    def n_codes(self) -> int:
        """Combinations of bins."""
        return next((len(code) for code in self.codes if code is not None), 1)

    def of_leaves(self) -> list[Floats]:
        """Return the functions of all axes over each leaf and all bins."""
        return self.leaves

    def of_cells(self, cells: Ints) -> list[Floats]:
        """Return the functions of all axes over some cells."""
        leaf, code = np.divmod(cells, self.n_codes)
        each = zip(self.leaves, self.codes, strict=True)
        return [leaves[leaf] if codes is None else codes[code] for leaves, codes in each]

    @property
    def fixed(self) -> tuple[int, ...]:
        """The axes without bins."""
        return tuple(a for a, code in enumerate(self.codes) if code is None)


def cell_rows(boxes: Boxes, numbers: Floats, precision: Floats, *, differences: bool = False) -> Iterator[Told]:
    """Yield what is told of all cells, some at a time; with `differences`, of each cell less its leaf."""
    for part in chunks(len(numbers), CELLS):
        cells = np.arange(part.start, part.stop)
        yield Told(boxes.of_cells(cells), numbers[part], precision[part], boxes.fixed if differences else None)


def cell_variances(belief: Belief, boxes: Boxes, values: Floats) -> Floats:
    """Return, per cell, the mean square of the mean of f over the cell less the value that is predicted there."""
    found = np.empty(len(values))
    for part in chunks(len(values), CELLS):
        mean, variance, together = belief.at(boxes.of_cells(np.arange(part.start, part.stop)))
        found[part] = variance + together + (mean - values[part]) ** 2
    return found
