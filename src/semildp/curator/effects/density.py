"""How people lie within the cells they are asked about: shares over places, from noisy counts of a few cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from semildp._arrays import Floats
from semildp.models.places import membership

_CORRELATIONS = np.concatenate([-np.linspace(0.1, 0.95, 18)[::-1], [0.0], np.linspace(0.1, 0.95, 18)])
SURE = 3.0  # log likelihood that a correlation must gain to be believed: 1 in 50 where there is none
_ROUNDS = 4  # of scaling: after that shares of cells agree to a few percent of themselves


def spread_one(shares: Floats, places: int) -> Floats:
    """Return shares of places from shares of equal bins, evenly within each bin."""
    return np.asarray(shares @ (membership(len(shares), places) * len(shares) / places))


def correlation(cells: Sequence[tuple[Floats, float]], first: Floats, second: Floats) -> float:
    """Return the correlation of two numbers' normal scores that makes shares of cells likeliest; 0 if none is believed.

    Parameters
    ----------
    cells
        For each question about both, the shares of cells (bins of one x bins of the other), and how many people whose
        cells are known would tell as well.
    first, second
        Shares of places of each alone.
    """
    fits = np.zeros(len(_CORRELATIONS))
    for k, rho in enumerate(_CORRELATIONS):
        together = tilted(first, second, float(rho))
        for shares, weight in cells:
            one, two = membership(shares.shape[0], len(first)), membership(shares.shape[1], len(second))
            fits[k] += weight * float((shares * np.log(np.maximum(one @ together @ two.T, 1e-12))).sum())
    best = int(np.argmax(fits))
    return float(_CORRELATIONS[best]) if fits[best] > fits[len(fits) // 2] + SURE else 0.0


def tilted(first: Floats, second: Floats, rho: float) -> Floats:
    """Return shares over pairs of places if the two go together by a normal copula with this correlation."""
    together = np.outer(first, second)
    if rho != 0:
        a, b = ndtri(_middle(first))[:, None], ndtri(_middle(second))[None, :]
        rest = 1 - rho**2
        together *= np.exp(-(rho**2 * (a**2 + b**2) - 2 * rho * a * b) / (2 * rest)) / math.sqrt(rest)
    return np.asarray(together / max(float(together.sum()), 1e-300))


def scaled(together: Floats, shares: Floats) -> Floats:
    """Scale shares over pairs of places to shares of cells, which are known besides (iterative proportional fitting)."""
    one, two = membership(shares.shape[0], together.shape[0]), membership(shares.shape[1], together.shape[1])
    for _ in range(_ROUNDS):
        there = one @ together @ two.T
        together = together * (one.T @ np.where(there > 0, shares / np.where(there > 0, there, 1.0), 0.0) @ two)
    return np.asarray(together / max(float(together.sum()), 1e-300))


def _middle(shares: Floats) -> Floats:
    return np.clip(np.cumsum(shares) - shares / 2, 1e-4, 1 - 1e-4)
