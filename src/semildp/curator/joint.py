"""From joint reports of cell and residual to totals, and from totals to one prediction per cell."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from semildp._kernels.sums import sums_by_group
from semildp.curator.estimate import Estimate
from semildp.curator.shrinking import shrink_along, to_simplex
from semildp.domains import LabelGrid
from semildp.partition import Partition
from semildp.wire import JointQuestion, JointReports, LabelReports

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FIXED_POINT = 2.0**20
_SQUARE_BITS = 12  # of one squared number before the point: with 20 after it, two thousand million of them can be added


@dataclass(frozen=True, eq=False)
class JointTotals:
    """Sums over joint reports, in whole numbers of 2**-20; two totals of the same question merge with `+`.

    People count by the precision of their mechanism, which follows from their number of candidates: 1 for one, less
    for more. All sums stay consistent, and people with few candidates are not drowned by the noise of others.

    Parameters
    ----------
    weight
        Sum of everybody's weight.
    people, scores, squares
        Per cell: unbiased weight of the people in it, unbiased weighted sum of their residuals in units of the reach,
        and the noise variance of that sum (in larger units at an epsilon below some 0.03).
    """

    weight: Ints
    people: Ints
    scores: Ints
    squares: Ints

    def __add__(self, other: JointTotals) -> JointTotals:
        return JointTotals(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def tally_joint(question: JointQuestion, public: Floats, mask: NDArray[np.bool_], reports: JointReports) -> JointTotals:
    """Sum up reports; public features (NaN where private) and masks are those of the same people, in the same order."""
    partition = question.partition
    candidates = partition.candidates(public, mask)
    sizes, group = np.unique(candidates.size, return_inverse=True)
    codes = [question.code(int(size)) for size in sizes]
    alone = question.code(1).noise(question.spread)
    weight = np.array([alone / code.noise(question.spread) for code in codes])

    def per_group(values: list[float], power: int = 1) -> Floats:
        return np.asarray(np.array(values) * weight**power * _FIXED_POINT)

    def fixed(values: Floats) -> Ints:
        return np.asarray(np.rint(values).astype(np.int64))

    marker = group[reports.person]
    levels = np.array([code.levels for code in codes])[marker]
    score = 2.0 * reports.level / (levels - 1) - 1.0
    mark = per_group([code.per_mark for code in codes])[marker]
    sum_ = per_group([code.per_score for code in codes])[marker] * score
    square = per_group([code.per_square for code in codes], 2)[marker] * score**2 * _square_unit(question)
    base = fixed(per_group([code.per_person for code in codes]))[group]
    n_cells = partition.n_cells
    return JointTotals(
        weight=fixed(weight * _FIXED_POINT)[group].sum(keepdims=True),
        people=sums_by_group(reports.cell, fixed(mark), n_cells) + candidates.tally(base),
        scores=sums_by_group(reports.cell, fixed(sum_), n_cells),
        squares=sums_by_group(reports.cell, fixed(square), n_cells),
    )


def _square_unit(question: JointQuestion) -> float:
    """Return the factor, 1 unless epsilon is below some 0.03, that keeps sums of squares within 64 bits."""
    size = question.code(1).per_square
    return 2.0 ** min(0, _SQUARE_BITS - math.ceil(math.log2(size)))


def leaf_centres(partition: Partition, reports: LabelReports, labels: Floats, noise: float) -> Floats:
    """Predict each leaf from the first round, shrunk down the tree; people whose leaf is not public are left out."""
    person, leaf = partition.tree.reach(partition.bounds.scale(reports.public), reports.mask)
    sure = np.bincount(person, minlength=len(labels))[person] == 1
    leaf, n_leaves = leaf[sure], partition.tree.n_leaves
    mean = float(labels.mean())
    people = np.bincount(leaf, minlength=n_leaves).astype(np.float64)[:, None]
    sums = np.asarray(np.bincount(leaf, weights=labels[person[sure]] - mean, minlength=n_leaves), dtype=np.float64)
    means, _ = shrink_along(partition.tree, 1, people, sums[:, None], people * noise, np.inf)
    return np.asarray(mean + means[:, 0])


def joint_estimate(question: JointQuestion, totals: JointTotals, grid: LabelGrid, prior: float) -> Estimate:
    """Add to each leaf's centre what the joint reports say of its cells, shrunk level by level.

    `prior` is the variance of the centres' own mean, against which the reports' mean is weighed.
    """
    partition = question.partition
    shape = (partition.tree.n_leaves, partition.n_codes)
    counts = totals.people / _FIXED_POINT
    people = to_simplex(counts, float(totals.weight[0]) / _FIXED_POINT).reshape(shape)
    sums = np.asarray(question.reach / _FIXED_POINT * totals.scores, dtype=np.float64).reshape(shape)
    unit = _FIXED_POINT * _square_unit(question)
    noise = np.asarray(question.reach**2 / unit * totals.squares, dtype=np.float64).reshape(shape)
    means, own = shrink_along(partition.tree, partition.bins, people, sums, noise, prior)
    values = np.clip(question.centres[:, None] + means, grid.low, grid.high)
    return Estimate(values.reshape(-1), counts, np.where(own, 0, 1).reshape(-1))
