"""Error bars of one prediction per cell: from the first wave's labels and sums over cells, or from the sums alone."""

from __future__ import annotations

from functools import partial

import numpy as np
from msgspec import Struct
from scipy.special import ndtr

from semildp._arrays import Floats
from semildp.backends import fold
from semildp.curator.beliefs.believing import believe
from semildp.curator.beliefs.cells import Boxes, box_axes, cell_rows, cell_variances
from semildp.curator.beliefs.evidence import PairSums, cell_pairs, gram, people_pairs
from semildp.curator.beliefs.people import left_by, told_by
from semildp.curator.beliefs.single import single
from semildp.curator.joint import JointTerms
from semildp.models.bars import Bars
from semildp.models.belief import PAIR_TERMS
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
        For every two axes: sums of products of two functions and what is left of labels; and of squares of products.
    """

    offset: float
    variance: float
    sums: tuple[Numbers, ...]
    num: tuple[Numbers, ...]
    den: tuple[Numbers, ...]

    @classmethod
    def of(cls, study: Study, people: Enrolled, labels: Floats, noise: float, variance: float) -> FirstLabels:
        """Sum up labels with noise of variance `noise`; around f they vary as they do around the belief."""
        axes, offset = box_axes(study), float(labels.mean())
        precision = np.full(len(labels), 1 / (noise + variance))
        told = partial(told_by, axes, people, labels - offset, precision)
        sums = fold(gram, told())
        mean = single(sums, axes, variance, outside(study)).mean
        scale = max(left_by(sums, mean) / len(labels), noise / (noise + variance), 1e-9)
        sums, pairs = sums / scale, fold(lambda some: people_pairs(some, mean), told()).scaled(1 / scale)
        diagonal = pairs.gram.diagonal(axis1=1, axis2=2)
        written = (tuple(tuple(row) for row in each.tolist()) for each in (sums, pairs.num, diagonal))
        return cls(offset, variance, *written)

    @property
    def pairs(self) -> PairSums:
        """What is told of pairs."""
        num, den = (np.reshape(each, (len(each), PAIR_TERMS**2)) for each in (self.num, self.den))
        return PairSums(num, den[:, :, None] * np.eye(PAIR_TERMS**2))


def joint_bars(
    study: Study, terms: JointTerms, sums: tuple[Floats, Floats, Floats], first: FirstLabels, values: Floats
) -> tuple[Bars, Floats]:
    """Return error bars from a first wave of labels, and sums of residuals over cells: see `cell_sums`.

    Beside them, the variance of each cell's own prediction; `values` are the predictions.
    """
    axes = box_axes(study)
    boxes = Boxes.of(terms.partition, axes)
    before = believe(axes, np.array(first.sums), lambda _: first.pairs, first.offset, first.variance, outside(study))
    means, precision = _cell_means(terms, sums, before.at(boxes.of_leaves())[0], first.variance)
    return bars_of_means(study, terms.partition, first, means, precision, values)


def bars_of_means(
    study: Study, partition: Partition, first: FirstLabels, means: Floats, precision: Floats, values: Floats
) -> tuple[Bars, Floats]:
    """Return error bars from a first wave of labels and means of cells, and the variance of each cell's prediction.

    `precision` is one over the variance of a mean's noise, `values` are the predictions.
    """
    axes = box_axes(study)
    boxes = Boxes.of(partition, axes)
    cells = partial(cell_rows, boxes, means - first.offset, precision)

    def beyond(mean: Floats) -> PairSums:
        return first.pairs + fold(lambda some: cell_pairs(some, mean), cells())

    told = np.array(first.sums) + fold(gram, cells())
    belief = believe(axes, told, beyond, first.offset, first.variance, outside(study))
    return Bars(belief), cell_variances(belief, boxes, values)


def _cell_means(
    terms: JointTerms, sums: tuple[Floats, Floats, Floats], leaves: Floats, variance: float
) -> tuple[Floats, Floats]:
    """Return the mean label of each cell, and one over the variance of its noise; 0 where nobody seems to be.

    A normal residual with mean m is cut to g(m) on average, so a mean of cut residuals is read as m + (mean - g(m)) /
    g'(m), m being what labels alone say of the leaf (`leaves`), less its centre.
    """
    (people, total, noise), n_codes = sums, terms.partition.n_codes
    centre, m = (np.repeat(each, n_codes) for each in (terms.centres, leaves - terms.centres))
    cut, slope = cut_mean(m, variance**0.5, terms.reach)
    weight = slope * people
    known = (weight > 0) & (noise > 0)
    safe = np.where(known, weight, 1.0)
    means = np.where(known, centre + m + (total - cut * people) / safe, 0.0)
    return means, np.where(known, weight**2 / np.where(known, noise, 1.0), 0.0)


def cut_mean(mean: Floats, deviation: float, reach: float) -> tuple[Floats, Floats]:
    """Return E[clip(Z, -reach, reach)] of a normal Z, and by how much it moves with Z's mean: P(|Z| < reach)."""
    low, high = (-reach - mean) / deviation, (reach - mean) / deviation
    below, above = ndtr(low), ndtr(-high)
    inside = 1 - below - above
    density = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / np.sqrt(2 * np.pi)
    return mean * inside + deviation * density + reach * (above - below), inside


def outside(study: Study) -> float:
    """Return the variance of the constant before anything is told: it may be anywhere within the bounds."""
    low, high = study.label_bounds
    return (high - low) ** 2
