"""From totals of (cell, class) to probabilities of classes in each cell that are no worse than the classes' shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.curator.class_shrinking import Shares, shrink_classes, to_simplices
from semildp.curator.class_totals import ClassSums, ClassTotals, LeafTotals
from semildp.curator.class_waves.prior import class_prior
from semildp.curator.pair_plan import PUBLIC_SHARE
from semildp.curator.shrinking import to_simplex
from semildp.mechanisms import ClassResponse
from semildp.partition import Partition

STRENGTHS = tuple(k / 10 for k in range(11))  # how far probabilities go from the shares of all to those of the cell
# Standard errors of the gain that are taken off: a guess. With 0.7, 1797 people and ten classes were led astray. With
# 2, a function of two features was missed by 70 % of studies of 1,000 people at epsilon 1, with 1.5 by 47 %; where
# features tell nothing, both are as far from the prior.
CAUTION = 1.5
ROUNDING = 1e-9  # log loss per person: a gain below is rounding, of cells whose shares are the prior


@dataclass(frozen=True, eq=False)
class ClassEstimate:
    """Probabilities of classes in each cell.

    Parameters
    ----------
    prior
        Shares of the classes among all people.
    probabilities
        (cell, class): probabilities, all above 0 and adding up to 1.
    counts
        Unbiased estimate of the weight of the people in each cell; may be negative.
    strength
        How far probabilities go from the prior (0) to what the cell's reports say (1).
    gain
        By how much they lower the log loss of the prior, per person, as reports tell that they were not made from.
    """

    prior: Floats
    probabilities: Floats
    counts: Floats
    strength: float
    gain: float


def joint_class_estimate(
    partition: Partition, first: LeafTotals, alone: ClassResponse, totals: ClassTotals, unit: float
) -> ClassEstimate:
    """Estimate probabilities from reports of the class alone, by leaf, and from joint reports of (cell, class).

    The estimate from one half of the joint reports is judged by the other: -(sum over cells and classes of unbiased
    counts times log probabilities) is unbiased for the log loss. The strength with the largest gain, less standard
    errors, is taken for the estimate from all reports; 0, the prior, has no gain and no error.
    """
    whole, halves = ClassSums.of(totals, unit), [ClassSums.of(totals, unit, (k,)) for k in (0, 1)]
    prior, prior_variance = class_shares(first, alone, whole)
    start = leaf_shares(partition, first, alone, prior, prior_variance).repeated(partition.n_codes)
    found = cell_shares(partition, start, whole, prior)
    kept = [cell_shares(partition, start, half, prior).values for half in halves]
    strength, gain = choose_strength(prior, [(kept[0], halves[1]), (kept[1], halves[0])])
    probabilities = (1 - strength) * prior + strength * found.values
    return ClassEstimate(prior, probabilities, whole.counts.sum(axis=1), strength, gain)


def class_shares(first: LeafTotals, alone: ClassResponse, then: ClassSums) -> tuple[Floats, float]:
    """Return the shares of classes, drawn to even ones and all above 0, and the mean variance of one.

    Unbiased shares by both cohorts are weighed by their precision n**2 / v, v being the noise variance of a sum.
    """
    sums, noise = alone_sums(first, alone)
    total, told = np.zeros(sums.shape[1]), 0.0
    for part, n, v in (
        (sums.sum(axis=0), float(first.people.sum()), float(noise.sum())),
        (then.counts.sum(axis=0), then.weight, float(then.noise.sum())),
    ):
        if n > 0 and v > 0:
            total, told = total + n * part / v, told + n**2 / v
    even = 1 / len(total)
    if told == 0:
        return np.full(len(total), even), even**2
    variance = even / told
    return class_prior(total / told, variance), min(variance, even**2)


def alone_sums(first: LeafTotals, alone: ClassResponse) -> tuple[Floats, Floats]:
    """Return unbiased sums of 1{class} by leaf, from reports of the class alone, and the variance of their noise."""
    marks, c = first.marks.astype(np.float64), first.marks.shape[1]
    whole = marks.sum(axis=1, keepdims=True)
    sums = alone.per_score * (marks - whole / c) + first.people[:, None] / c
    noise = alone.per_square * (marks * ((1 - 1 / c) ** 2 - 1 / c**2) + whole / c**2)
    return sums, noise


def leaf_shares(
    partition: Partition, first: LeafTotals, alone: ClassResponse, prior: Floats, variance: float
) -> Shares:
    """Return the shares in each leaf that the first reports tell of, shrunk down the tree."""
    sums, noise = (part[:-1] for part in alone_sums(first, alone))  # without those whose leaf is not public
    start = Shares(np.tile(prior, (len(sums), 1)), np.full(sums.shape, variance))
    people = first.people[:-1].astype(np.float64)
    return shrink_classes(partition.tree, (), start, people, sums, noise, most_believed(prior))


def cell_shares(partition: Partition, start: Shares, then: ClassSums, prior: Floats) -> Shares:
    """Return the shares in each cell, all above 0: shrunk, on the simplex, and mixed with the prior.

    The prior counts as one person in e + 1, where a binomial share of e people has the error of the cell's share.
    """
    people = to_simplex(then.counts.sum(axis=1), then.weight)
    sums = then.counts + ((people - then.counts.sum(axis=1)) / then.counts.shape[1])[:, None]  # differences of classes
    found = shrink_classes(partition.tree, partition.bins, start, people, sums, then.noise, most_believed(prior))
    spread = float((prior * (1 - prior)).sum())
    mixed = found.variances.sum(axis=1, keepdims=True)
    mixed = mixed / (mixed + spread)
    return Shares(np.asarray((1 - mixed) * to_simplices(found.values) + mixed * prior), found.variances)


def most_believed(prior: Floats) -> float:
    """Return the largest variance of effects that is believed, per class."""
    return PUBLIC_SHARE * float((prior * (1 - prior)).mean())


def choose_strength(prior: Floats, judged: list[tuple[Floats, ClassSums]]) -> tuple[float, float]:
    """Return the strength of the largest gain less `CAUTION` standard errors, and the gain per person.

    Each pair is an estimate and the sums of reports that it was not made from. Two halves that judge each other agree
    by luck in both gains or in neither, so their standard errors add up.
    """
    people = sum(sums.weight for _, sums in judged)
    best, gained, score = 0.0, 0.0, ROUNDING * people
    for strength in STRENGTHS[1:]:
        gain, error = 0.0, 0.0
        for shares, sums in judged:
            log_ratio = np.log1p(strength * (shares / prior - 1))
            gain += float((sums.counts * log_ratio).sum())
            error += float((sums.squares * log_ratio**2).sum()) ** 0.5
        if gain - CAUTION * error > score:
            best, gained, score = strength, gain / max(people, 1e-300), gain - CAUTION * error
    return best, gained
