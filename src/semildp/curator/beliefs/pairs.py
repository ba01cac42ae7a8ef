"""What two axes do together: a few pairs do something, of unknown size; each is judged by what it is told to explain."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

import numpy as np
from scipy.special import expit, logit, softmax

from semildp._arrays import Floats
from semildp.curator.beliefs.evidence import PairSums
from semildp.models.belief import PAIR_TERMS, Axis, Pair

SHARES = np.array([0.01, 0.03, 0.1, 0.3])  # guess: of the labels' variance, what a pair explains; each as likely
EXPECTED = 1.0  # guess: so many pairs do something together
MOST_LIKELY = 0.3  # guess: how likely a pair is at most, before anything is told


def judge(axes: tuple[Axis, ...], sums: PairSums, variance: float) -> list[Pair]:
    """Return what is believed of every two axes of different features, `variance` being that of labels.

    A coefficient's variance before is share * variance * (k l)^-2, scaled to add up; k and l count cosines.
    """
    ends = np.cumsum([0, *(min(axis.terms, PAIR_TERMS) for axis in axes)])
    places = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    both = [(i, j) for i, j in combinations(range(len(axes)), 2) if axes[i].feature != axes[j].feature]
    before = float(logit(min(EXPECTED / max(len(both), 1), MOST_LIKELY)))
    found = []
    for i, j in both:
        num, den = sums.num[places[i], places[j]].ravel(), sums.den[places[i], places[j]].ravel()
        found.append(_judged((i, j), num, den, variance * _falling(axes[i], axes[j]), before))
    return found


def _falling(one: Axis, two: Axis) -> Floats:
    """Return the part of a pair's variance that each product has."""
    k, m = (np.arange(1, min(axis.terms, PAIR_TERMS) + 1) ** -2.0 for axis in (one, two))
    both = np.outer(k, m).ravel()
    return np.asarray(both / both.sum())


def _judged(axes: tuple[int, int], num: Floats, den: Floats, size: Floats, before: float) -> Pair:
    """Weigh the sizes of one pair's effect, and whether there is one."""
    each = np.multiply.outer(SHARES, size)
    below = 1 + each * den
    evidence = (-0.5 * np.log(below) + 0.5 * each * num**2 / below).sum(axis=1)
    weight = softmax(evidence)
    top = float(evidence.max())
    log_odds = before + top + float(np.log(np.exp(evidence - top).mean()))
    means, variances = each * num / below, each / below
    mean = weight @ means
    spread = weight @ (variances + means**2) - mean**2
    return Pair(axes, float(expit(log_odds)), tuple(mean.tolist()), tuple(spread.tolist()))


def told_apart(pairs: Collection[Pair], least: float) -> tuple[tuple[Pair, ...], float]:
    """Return the pairs whose mean square is at least so much, and the sum of the others', as one number."""
    kept, rest = [], 0.0
    for pair in pairs:
        square = pair.chance * (sum(m * m for m in pair.means) + sum(pair.variances))
        if square >= least:
            kept.append(pair)
        else:
            rest += square
    return tuple(kept), rest
