"""Cell and residual asked together: the ask, its totals, and one prediction per cell from them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._checks import as_array, instance_of, positive_number, short
from semildp._kernels.sums import checked_sum, sums_by_group
from semildp.curator.estimate import Estimate
from semildp.curator.pair_plan import PUBLIC_SHARE
from semildp.curator.partitioning import candidate_sizes
from semildp.curator.shrinking import shrink_along, to_simplex
from semildp.domains import FeatureBounds, LabelGrid
from semildp.errors import refusal
from semildp.mechanisms import PairResponse, best_pair_response
from semildp.partition import Partition
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.forms import by_size, partition_message, read_partition
from semildp.wire.messages import AskPair

_FIXED_POINT = 2.0**32  # so fine that the small weight of people with very many candidates is not lost
LEAST_EPSILON = 1e-6  # below, sums over joint reports would not fit in 64 bits


@dataclass(frozen=True, eq=False)
class JointTerms:
    """What is asked where cell and residual go together, and the guess by which mechanisms are chosen.

    Parameters
    ----------
    partition
        The cells.
    centres
        What is predicted in each leaf so far; people send how far their label lies from it.
    reach
        Residuals lie in [-reach, reach]; one outside counts as on the end.
    spread
        Guess of the residuals' mean square in units of the squared reach.
    epsilon
        What a person spends on the answer, cell and residual jointly.
    """

    partition: Partition
    centres: Floats
    reach: float
    spread: float
    epsilon: float

    def __post_init__(self) -> None:
        instance_of("partition", self.partition, Partition)
        centres = as_array("centres", self.centres, "f", 1, "an array of floats, one per leaf")
        if len(centres) != self.partition.tree.n_leaves or not np.isfinite(centres).all():
            raise refusal("centres", f"{self.partition.tree.n_leaves} finite numbers, one per leaf", short(centres))
        positive_number("reach", self.reach)
        best_pair_response(self.epsilon, 1, self.spread)
        if self.epsilon < LEAST_EPSILON:
            raise refusal(
                "epsilon", f"at least {LEAST_EPSILON:g} in joint reports of cell and label", repr(self.epsilon)
            )

    @classmethod
    def of(cls, ask: AskPair, bounds: FeatureBounds, spread: float) -> JointTerms:
        """Read the terms off an ask that was written with this guess."""
        return cls(read_partition(ask.partition, bounds), np.array(ask.centres), ask.reach, spread, ask.epsilon)

    def response(self, n_candidates: int) -> PairResponse:
        """How a person with this many candidate cells answers."""
        return best_pair_response(self.epsilon, n_candidates, self.spread)

    def ask(self, enrolled: Enrolled) -> AskPair:
        """Write the ask down, with a mechanism for each number of candidates that people have."""
        return AskPair(
            partition_message(self.partition),
            tuple(self.centres.tolist()),
            float(self.reach),
            by_size((size, self.response(size).mechanism) for size in candidate_sizes(self.partition, enrolled)),
            self.epsilon,
        )

    @cached_property
    def unit(self) -> float:
        """What the mark of a person with one candidate counts, per level's number."""
        return self.response(1).per_score


@dataclass(frozen=True, eq=False)
class JointTotals:
    """Sums over joint reports, in whole numbers of 2**-32; two totals of the same ask merge with `+`.

    People count by the precision of their mechanism, which follows from their number of candidates: 1 for one, less
    for more. All sums stay consistent, and people with few candidates are not drowned by the noise of others.

    Parameters
    ----------
    weight
        Sum of everybody's weight.
    people, scores, squares
        Per cell: unbiased weight of the people in it, unbiased weighted sum of their residuals, and the noise variance
        of that sum; in units of `JointTerms.unit`, and its square. For epsilon >= 1e-6 some 10**9 people fit in 64
        bits, whatever they send; more are refused.
    """

    weight: Ints
    people: Ints
    scores: Ints
    squares: Ints

    def __add__(self, other: JointTotals) -> JointTotals:
        return JointTotals(*(checked_sum(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)))


def tally_joint(terms: JointTerms, enrolled: Enrolled, marks: Marks) -> JointTotals:
    """Sum up the reports of people with what they made public, in the same order."""
    candidates = terms.partition.candidates(enrolled.public, enrolled.mask)
    sizes, group = np.unique(candidates.size, return_inverse=True)
    responses = [terms.response(int(size)) for size in sizes]
    alone = terms.response(1).noise(terms.spread)
    weight = np.array([alone / response.noise(terms.spread) for response in responses])

    def per_group(values: list[float], power: int = 1) -> Floats:
        return np.asarray(np.array(values) * weight**power * _FIXED_POINT)

    def fixed(values: Floats) -> Ints:
        return np.asarray(np.rint(values).astype(np.int64))

    marker = group[marks.person]
    levels = np.array([response.levels for response in responses], dtype=np.int64)[marker]
    cell, level = np.divmod(marks.value, levels)
    score = 2.0 * level / (levels - 1) - 1.0
    mark = per_group([response.per_mark / terms.unit for response in responses])[marker]
    sum_ = per_group([response.per_score / terms.unit for response in responses])[marker] * score
    square = per_group([response.per_square / terms.unit**2 for response in responses], 2)[marker] * score**2
    base = fixed(per_group([response.per_person / terms.unit for response in responses]))[group]
    n_cells = terms.partition.n_cells
    return JointTotals(
        weight=fixed(weight * _FIXED_POINT)[group].sum(keepdims=True),
        people=checked_sum(sums_by_group(cell, fixed(mark), n_cells), candidates.tally(base)),
        scores=sums_by_group(cell, fixed(sum_), n_cells),
        squares=sums_by_group(cell, fixed(square), n_cells),
    )


def leaf_centres(partition: Partition, enrolled: Enrolled, labels: Floats, noise: float) -> Floats:
    """Predict each leaf from the first round, shrunk down the tree; people whose leaf is not public are left out."""
    person, leaf = partition.tree.possible_leaves(partition.bounds.scale(enrolled.public), enrolled.mask)
    sure = np.bincount(person, minlength=len(labels))[person] == 1
    leaf, n_leaves = leaf[sure], partition.tree.n_leaves
    mean = float(labels.mean())
    people = np.bincount(leaf, minlength=n_leaves).astype(np.float64)[:, None]
    sums = np.asarray(np.bincount(leaf, weights=labels[person[sure]] - mean, minlength=n_leaves), dtype=np.float64)
    means, _ = shrink_along(partition.tree, (), people, sums[:, None], people * noise, np.inf)
    return np.asarray(mean + means[:, 0])


def joint_estimate(terms: JointTerms, totals: JointTotals, grid: LabelGrid, prior: float) -> Estimate:
    """Add to each leaf's centre what the joint reports say of its cells, shrunk level by level.

    `prior` is the variance of the centres' own mean, against which the reports' mean is weighed.
    """
    partition = terms.partition
    shape = (partition.tree.n_leaves, partition.n_codes)
    counts, people, sums, noise = (each.reshape(shape) for each in _read(terms, totals))
    most = PUBLIC_SHARE * terms.spread * terms.reach**2
    means, own = shrink_along(partition.tree, partition.bins, people, sums, noise, prior, most)
    values = np.clip(terms.centres[:, None] + means, grid.low, grid.high)
    return Estimate(values.reshape(-1), counts.reshape(-1), np.where(own, 0, 1).reshape(-1))


def _read(terms: JointTerms, totals: JointTotals) -> tuple[Floats, Floats, Floats, Floats]:
    """Return per cell, in label units: the unbiased count, people, the sum of residuals, and its noise variance."""
    counts = np.asarray(terms.unit / _FIXED_POINT * totals.people, dtype=np.float64)
    people = to_simplex(counts, float(totals.weight[0]) / _FIXED_POINT)
    unit = terms.reach * terms.unit
    sums = np.asarray(unit / _FIXED_POINT * totals.scores, dtype=np.float64)
    noise = np.asarray(unit**2 / _FIXED_POINT * totals.squares, dtype=np.float64)
    return counts, people, sums, noise


def cell_sums(terms: JointTerms, totals: JointTotals) -> tuple[Floats, Floats, Floats]:
    """Return, per cell and in label units: people, the sum of their cut residuals, and its noise variance.

    Counts of single cells are mostly noise where there are many, and so are variances. Both are taken to be spread over
    bins alike in all leaves.
    """
    counts, _, sums, noise = _read(terms, totals)
    shape, total = (-1, terms.partition.n_codes), float(totals.weight[0]) / _FIXED_POINT
    leaves, codes = (to_simplex(counts.reshape(shape).sum(axis=axis), total) for axis in (1, 0))
    spread = noise.reshape(shape)
    even = np.outer(spread.sum(axis=1), spread.sum(axis=0)) / max(float(spread.sum()), 1e-300)
    return np.outer(leaves, codes / max(total, 1e-300)).ravel(), sums, even.ravel()
