"""Error bars of one prediction per cell: from the first wave's labels and sums over cells, or from the sums alone."""

from __future__ import annotations

from functools import partial

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.backends import fold
from semildp.curator.beliefs.believing import believe
from semildp.curator.beliefs.cells import Boxes, box_axes, cell_rows, cell_variances
from semildp.curator.beliefs.evidence import PairSums, Told, gram, pair_sums
from semildp.curator.beliefs.people import told_by
from semildp.curator.beliefs.single import single
from semildp.models.bars import Bars
from semildp.partition import Partition
from semildp.study import Study
from semildp.wire.columns import Enrolled

Numbers = tuple[float, ...]


class FirstLabels(Struct, frozen=True, forbid_unknown_fields=True):
    """What a first wave of labels tells of f, as sums over people.

    Parameters
    ----------
    offset
        What was taken off labels.
    variance
        Of labels.
    sums
        Sums of products of functions and labels, at the labels' precision.
    num, den
        Sums of products of two functions and what is left of labels; and of squares of such products.
    """

    offset: float
    variance: float
    sums: tuple[Numbers, ...]
    num: tuple[Numbers, ...]
    den: tuple[Numbers, ...]

    @classmethod
    def of(cls, study: Study, people: Enrolled, labels: Floats, noise: float, variance: float) -> FirstLabels:
        """Sum up labels with noise of variance `noise`."""
        axes, offset = box_axes(study), float(labels.mean())
        precision = np.full(len(labels), 1 / (noise + variance))
        told = partial(told_by, axes, people, labels - offset, precision)
        sums = fold(gram, told())
        mean = single(sums, axes, variance, _outside(study)).mean
        pairs = fold(lambda some: pair_sums(some, mean), told())
        written = (tuple(tuple(row) for row in each.tolist()) for each in (sums, pairs.num, pairs.den))
        return cls(offset, variance, *written)

    @property
    def pairs(self) -> PairSums:
        """What is told of pairs."""
        return PairSums(np.array(self.num), np.array(self.den))


def joint_bars(
    study: Study, partition: Partition, first: FirstLabels, means: Floats, precision: Floats, values: Floats
) -> tuple[Bars, Floats]:
    """Return error bars from a first wave of labels, and means of cells with their precision.

    Beside them, the variance of each cell's own prediction; `values` are the predictions.
    """
    axes = box_axes(study)
    boxes = Boxes.of(partition, axes)
    cells = partial(cell_rows, boxes, means - first.offset, precision)

    def beyond(mean: Floats) -> PairSums:
        return first.pairs + fold(lambda some: pair_sums(some, mean), cells())

    sums = np.array(first.sums) + fold(gram, cells())
    belief = believe(axes, sums, beyond, first.offset, first.variance, _outside(study))
    return Bars(belief), cell_variances(belief, boxes, values)


def _outside(study: Study) -> float:
    low, high = study.label_bounds
    return (high - low) ** 2
