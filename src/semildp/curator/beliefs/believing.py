"""From sums to a belief: functions of single axes first, then what pairs do beyond them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.blas import one_blas_thread
from semildp.curator.beliefs.evidence import PairSums
from semildp.curator.beliefs.pairs import judge, told_apart
from semildp.curator.beliefs.single import Single, single
from semildp.models.belief import Axis, Belief

MOST_FACTORS = 32  # directions of the covariance that are told one by one
LEAST = 1e-4  # of the labels' variance: pairs below are added up


def believe(
    axes: tuple[Axis, ...],
    sums: Floats,
    pairs_beyond: Callable[[Floats], PairSums],
    offset: float,
    variance: float,
    outside: float,
) -> Belief:
    """Return what is believed of f.

    Parameters
    ----------
    axes
        The axes.
    sums, offset
        Sums of what was told, less an offset: see `gram`.
    pairs_beyond
        Returns what is told of pairs beyond a function of single axes, from the coefficients of that.
    variance
        Of labels.
    outside
        Variance of the constant, around the offset, before anything is told.
    """
    first = single(sums, axes, variance, outside)
    judged = judge(axes, pairs_beyond(first.mean), variance) if len(axes) > 1 else []
    pairs, small = told_apart(judged, LEAST * variance)
    factors, left = _factors(first, sums)
    mean = first.mean.copy()
    mean[0] += offset
    return Belief(axes, tuple(mean.tolist()), factors, left, small, pairs)


def _factors(first: Single, sums: Floats) -> tuple[tuple[tuple[float, ...], ...], float]:
    """Return the largest directions of a covariance, and the mean variance of the others over those who told."""
    with one_blas_thread():
        values, vectors = np.linalg.eigh(first.covariance)
    roots = (vectors * np.sqrt(np.maximum(values, 0.0))).T[::-1]
    others = roots[MOST_FACTORS:]
    n = len(sums) - 1
    usual = sums[:n, :n] / max(float(sums[0, 0]), 1e-300)
    left = float(((others @ usual) * others).sum())
    return tuple(tuple(root.tolist()) for root in roots[:MOST_FACTORS]), left
