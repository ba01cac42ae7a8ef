"""What two axes do together: a few pairs do something, of unknown size; each is judged by what is told of it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.special import expit, logit, softmax

from semildp._arrays import Floats
from semildp.curator.beliefs.evidence import PairSums, pairs_of
from semildp.models.belief import PAIR_TERMS, Axis, Pair

SHARES = np.array([0.01, 0.03, 0.1, 0.3])  # guess: of the labels' variance, what a pair explains; each as likely
EXPECTED = (
    0.33  # guess: so many pairs do something together, as `fitting.PAIRED`; 0.5 and 1 changed coverage by 1 point
)
MOST_LIKELY = 0.3  # guess: how likely a pair is at most, before anything is told


def judge(axes: tuple[Axis, ...], sums: PairSums, variance: float) -> list[Pair]:
    """Return what is believed of every two axes of different features, `variance` being that of labels.

    A coefficient's variance before is share * variance * (k l)^-2, scaled to add up; k and l count cosines.
    """
    both = [(i, j) for i, j in pairs_of(len(axes)) if axes[i].feature != axes[j].feature]
    before = float(logit(min(EXPECTED / max(len(both), 1), MOST_LIKELY)))
    found = []
    for (i, j), num, gram in zip(pairs_of(len(axes)), sums.num, sums.gram, strict=True):
        if axes[i].feature != axes[j].feature:
            root = np.sqrt(variance * _falling(axes[i], axes[j]))
            found.append(_judged((i, j), num, gram, root, before))
    return found


def _falling(one: Axis, two: Axis) -> Floats:
    """Return the part of a pair's variance that each product has; none where an axis has no such function."""
    k = np.arange(1, PAIR_TERMS + 1)
    parts = [np.where(k <= axis.terms, k**-2.0, 0.0) for axis in (one, two)]
    both = np.outer(*parts).ravel()
    return np.asarray(both / both.sum())


def _judged(axes: tuple[int, int], num: Floats, gram: Floats, root: Floats, before: float) -> Pair:
    """Weigh the sizes of one pair's effect, and whether there is one; as `single` weighs functions of one axis."""
    values, vectors = np.linalg.eigh(gram * np.outer(root, root))
    values, along, back = np.maximum(values, 0.0), vectors.T @ (root * num), root[:, None] * vectors
    below = 1 + np.multiply.outer(SHARES, values)
    evidence = (-0.5 * np.log(below) + 0.5 * SHARES[:, None] * along**2 / below).sum(axis=1)
    weight, top = softmax(evidence), float(evidence.max())
    log_odds = before + top + float(np.log(np.exp(evidence - top).mean()))
    means = SHARES[:, None] * along / below
    mean = weight @ means
    spread = np.diag(weight @ (SHARES[:, None] / below)) + ((means - mean).T * weight) @ (means - mean)
    covariance = back @ spread @ back.T
    return Pair(axes, float(expit(log_odds)), tuple((back @ mean).tolist()), tuple(covariance.ravel().tolist()))


def told_apart(pairs: Collection[Pair], least: float) -> tuple[tuple[Pair, ...], float]:
    """Return the pairs whose mean square is at least so much, and the sum of the others', as one number."""
    kept, rest = [], 0.0
    for pair in pairs:
        variance = float(np.trace(np.asarray(pair.covariance).reshape(len(pair.means), -1)))
        square = pair.chance * (sum(m * m for m in pair.means) + variance)
        if square >= least:
            kept.append(pair)
        else:
            rest += square
    return tuple(kept), rest
