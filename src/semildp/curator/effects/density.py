"""How people lie within the cells they are asked about: shares over places, from noisy counts of a few cells."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from semildp._arrays import Floats
from semildp.models.places import membership

_CORRELATIONS = np.concatenate([-np.linspace(0.1, 0.95, 18)[::-1], [0.0], np.linspace(0.1, 0.95, 18)])
SURE = 2.0  # log likelihood that a correlation must gain to be believed: 1 in 20 where there is none
_ROUNDS = 4  # of scaling: after that shares of cells agree to a few percent of themselves


def spread_one(shares: Floats, places: int) -> Floats:
    """Return shares of places from shares of equal bins, evenly within each bin."""
    return np.asarray(shares @ (membership(len(shares), places) * len(shares) / places))


def spread_two(shares: Floats, first: Floats, second: Floats, weight: float, ordered: bool) -> Floats:
    """Return shares over pairs of places from shares of cells.

    Two features that go together do so within cells as well. So a normal copula with their correlation is scaled to the
    shares of cells (iterative proportional fitting).

    Parameters
    ----------
    shares
        Estimated share of each cell: bins of one feature x bins of the other.
    first, second
        Shares of places of each feature alone.
    weight
        How many people without noise would tell the shares as well.
    ordered
        Whether both features have an order.
    """
    one, two = membership(shares.shape[0], len(first)), membership(shares.shape[1], len(second))
    together = np.outer(first, second)
    if ordered:
        scores = ndtri(_middle(first))[:, None], ndtri(_middle(second))[None, :]
        tilted = [together * _copula(*scores, rho) for rho in _CORRELATIONS]
        fits = [weight * float((shares * np.log(np.maximum(one @ t @ two.T / t.sum(), 1e-12))).sum()) for t in tilted]
        best = int(np.argmax(fits))
        if fits[best] > fits[len(fits) // 2] + SURE:
            together = tilted[best] / tilted[best].sum()
    for _ in range(_ROUNDS):
        there = one @ together @ two.T
        together = together * (one.T @ np.where(there > 0, shares / np.where(there > 0, there, 1.0), 0.0) @ two)
    return np.asarray(together / max(float(together.sum()), 1e-300))


def _middle(shares: Floats) -> Floats:
    return np.clip(np.cumsum(shares) - shares / 2, 1e-4, 1 - 1e-4)


def _copula(a: Floats, b: Floats, rho: float) -> Floats:
    """Return the density of a normal copula at normal scores a and b."""
    rest = 1 - rho**2
    return np.asarray(np.exp(-(rho**2 * (a**2 + b**2) - 2 * rho * a * b) / (2 * rest)) / math.sqrt(rest))
