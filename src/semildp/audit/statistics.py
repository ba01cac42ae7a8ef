"""Tests of hypotheses whose false-alarm rate is a theorem, not an approximation.

Counts are held against exact binomial tails, means against Bernstein's inequality; both are divided by the number of
statements made (Bonferroni). A call therefore raises on a correct mechanism with probability at most STATEMENT,
whatever the seed; the checks of one row of an audit make fewer than 100 such calls. Counts of independent events whose
probabilities differ are held against the binomial law of the mean probability, whose tails are heavier (Hoeffding
1956). Bounds on probabilities are Clopper and Pearson's (1934), exact for every sample size.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrc, betainccinv, betaincinv

from semildp._arrays import Floats
from semildp.audit.finding import ViolationError

FALSE_ALARM = 1e-6  # of one row of an audit: half for what is proven, half for all its checks
STATEMENT = FALSE_ALARM / 200  # of one call of assert_counts or assert_means


def binomial_p_values(counts: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Return exact two-sided p-values of counts that should be Binomial(n, p)."""
    count, share = np.broadcast_arrays(np.asarray(counts, dtype=np.int64), np.clip(p, 0.0, 1.0))
    at_most = bdtr(count, n, share)
    at_least = np.where(count == 0, 1.0, bdtrc(np.maximum(count - 1, 0), n, share))
    return np.asarray(np.minimum(1.0, 2.0 * np.minimum(at_most, at_least)))


def clopper_pearson(counts: ArrayLike, n: int, alpha: float) -> tuple[Floats, Floats]:
    """Return exact bounds below and above the probability behind each count; each is wrong at most `alpha` often."""
    return _at_least(counts, n, alpha), _at_most(counts, n, alpha)


def _at_least(counts: ArrayLike, n: int, alpha: float) -> Floats:
    count = np.asarray(counts, dtype=np.float64)
    return np.where(count > 0, betaincinv(np.maximum(count, 1), n - np.maximum(count, 1) + 1, alpha), 0.0)


def _at_most(counts: ArrayLike, n: int, alpha: float) -> Floats:
    count = np.asarray(counts, dtype=np.float64)
    below = np.minimum(count, n - 1)
    return np.where(count < n, betainccinv(below + 1, n - below, alpha), 1.0)


def log_ratio_bound(hits: ArrayLike, misses: ArrayLike, n: int, alpha: float) -> Floats:
    """Return what ln(P(event | one input) / P(event | other)) is at least, from `hits` and `misses` of n draws each.

    Wrong with probability at most `alpha`: half of it for either probability.
    """
    low, high = _at_least(hits, n, alpha / 2), _at_most(misses, n, alpha / 2)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low) - np.log(high))


def assert_counts(counts: ArrayLike, n: ArrayLike, p: ArrayLike, what: str) -> float:
    """Fail unless every count fits Binomial(n, p); a true statement fails with probability at most STATEMENT.

    Returns the smallest p-value, multiplied by how many there are.
    """
    p_values = binomial_p_values(counts, n, p)
    if p_values.size and p_values.min() < STATEMENT / p_values.size:
        worst = np.unravel_index(p_values.argmin(), p_values.shape)
        count, share = np.asarray(counts)[worst], np.broadcast_to(p, p_values.shape)[worst]
        where, of = tuple(int(i) for i in worst), np.broadcast_to(n, p_values.shape)[worst]
        raise ViolationError(
            f"{what}: at {where} {count} of {of}, with stated probability {share:.6g} (p-value {p_values[worst]:.2g})."
        )
    return min(1.0, float(p_values.min()) * p_values.size) if p_values.size else 1.0


def assert_means(means: Floats, n: int, expected: Floats, spread: tuple[Floats, Floats], what: str) -> None:
    """Fail unless every mean of n independent draws is near its expectation (Bernstein's inequality).

    `spread` is (variance, bound): of one draw, its variance and the largest possible distance from its expectation.
    """
    variance, bound = spread
    log_odds = math.log(2 * max(means.size, 1) / STATEMENT)
    allowed = np.sqrt(2 * variance * log_odds / n) + 2 * bound * log_odds / (3 * n) + 1e-9 * (1 + np.abs(expected))
    excess = np.abs(means - expected) - allowed
    if not (excess <= 0).all():
        worst = np.unravel_index(np.nanargmax(excess), excess.shape)
        where = tuple(int(i) for i in worst)
        raise ViolationError(
            f"{what}: at {where} the mean of {n} is {means[worst]:.6g}, expected {expected[worst]:.6g} "
            f"within {allowed[worst]:.2g}."
        )
