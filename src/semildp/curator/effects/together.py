"""How two private numbers go together: shares over pairs of places, from noisy shares of cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, softmax

from semildp._arrays import Floats
from semildp.curator.effects.density import Likely, largest, likely_sums
from semildp.models.places import membership

_CORRELATIONS = np.linspace(-0.95, 0.95, 39)  # the middle one is 0
_APART = 0.8  # guess: how likely two private features do not go together, before anyone is asked
_NORMAL = 0.1  # guess: how likely they go together about as normal numbers do
_ALL = 0.1  # guess: if so, how likely the correlation tells everything
_WAVES = 6  # of each feature, of whose products what a correlation does not tell is made
_UNSEEN = (math.pi**2 / 6) ** 2 - float((1 / np.arange(1.0, 1 + _WAVES) ** 2).sum()) ** 2  # of sum 1 / (k l)^2
_LEAST = 0.01  # of what a correlation tells: no pair of places has less
_ROUNDS = 4  # of scaling: after that shares of cells agree to a few percent of themselves
_EVEN_ROUNDS = 20  # of scaling to the shares of either feature


@dataclass(frozen=True, eq=False)
class Cells:
    """What one question about both features tells.

    Parameters
    ----------
    shares, variance
        Share of people in each cell, bins of one x bins of the other, and its variance.
    weight
        How many people whose cells are known would tell as well.
    """

    shares: Floats
    variance: Floats
    weight: float


def together_of(told: Sequence[Cells], first: Floats, second: Floats) -> tuple[Floats | None, float]:
    """Return shares over pairs of places, None if features hardly go together; and what is unclear: see `Whereabouts`.

    With u and v the shares of people below a place of either, the density is that of independent features, or one with
    the correlation that is found, times 1 + the sum of a_kl 2 cos(k pi u) cos(l pi v). Before anyone is asked a_kl has
    mean 0 and variance t / (k l)^2; every t of a few is weighed by how likely it makes the shares, and 0 is one of
    them; so is either density.
    """
    rho, unsure = correlation([(each.shares, each.weight) for each in told], first, second)
    wave = np.arange(1, _WAVES + 1)
    one, two = (math.sqrt(2) * np.cos(np.pi * np.outer(wave, _middle(each))) for each in (first, second))
    prior = 1.0 / np.outer(wave, wave).ravel() ** 2
    bases = [(np.outer(first, second), 1 - _NORMAL, _APART / (1 - _NORMAL))]
    bases += [(tilted(first, second, rho), _NORMAL, _ALL)] if rho else []
    fits, each, unclear, apart = list[float](), list[Floats](), list[float](), 1.0
    for base, likely, nothing in bases:
        found = _beside(told, base, one, two, prior, nothing)
        apart = found.nothing if not fits else apart
        beyond = 1 + one.T @ found.mean.reshape(_WAVES, _WAVES) @ two
        fits.append(found.fit + math.log(likely))
        each.append(_with_shares(base * np.maximum(beyond, _LEAST), first, second))
        unclear.append(largest(found.covariance) + found.spread * _UNSEEN)
    chance = softmax(fits)
    together = np.asarray(np.tensordot(chance, np.array(each), 1)) if chance[0] * apart < 0.5 else None
    used = np.outer(first, second) if together is None else together
    away = [float(((one @ (t - used) @ two.T) ** 2).sum()) for t in each]
    return together, unsure + float(chance @ (np.array(unclear) + away))


def _beside(told: Sequence[Cells], base: Floats, one: Floats, two: Floats, prior: Floats, nothing: float) -> Likely:
    """Return what shares of cells tell of the coefficients of products of functions, times a density."""
    rows, left, variance = list[Floats](), list[Floats](), list[Floats]()
    for each in told:
        low, high = (membership(b, n) for b, n in zip(each.shares.shape, base.shape, strict=True))
        along = np.einsum("bi,ki,ij,lj,cj->bckl", low, one, base, two, high, optimize=True)
        rows.append(along.reshape(each.shares.size, -1))
        left.append((each.shares - low @ base @ high.T).ravel())
        variance.append(np.maximum(each.variance.ravel(), 1e-12))
    return likely_sums(np.concatenate(left), np.concatenate(variance), np.concatenate(rows), prior, nothing)


def _with_shares(together: Floats, first: Floats, second: Floats) -> Floats:
    """Scale shares over pairs of places to those of each feature."""
    for _ in range(_EVEN_ROUNDS):
        together = together * (first / np.maximum(together.sum(axis=1), 1e-300))[:, None]
        together = together * (second / np.maximum(together.sum(axis=0), 1e-300))
    return np.asarray(together)


def correlation(cells: Sequence[tuple[Floats, float]], first: Floats, second: Floats) -> tuple[float, float]:
    """Return the expected correlation of two numbers' normal scores, given shares of cells, and its mean squared error.

    It is 0 if none is likelier. Before anyone is asked it is 0 with probability `_APART`, or else anything.

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
    prior = np.full(len(fits), (1 - _APART) / (len(fits) - 1))
    prior[len(fits) // 2] = _APART
    chance = softmax(fits + np.log(prior))
    found = float(chance @ _CORRELATIONS) if chance[len(fits) // 2] < 0.5 else 0.0
    return found, float(chance @ (_CORRELATIONS - found) ** 2)


def tilted(first: Floats, second: Floats, rho: float) -> Floats:
    """Return shares over pairs of places if the two go together by a normal copula with this correlation."""
    together = np.outer(first, second)
    if rho != 0:
        a, b = ndtri(_middle(first))[:, None], ndtri(_middle(second))[None, :]
        rest = 1 - rho**2
        together *= np.exp(-(rho**2 * (a**2 + b**2) - 2 * rho * a * b) / (2 * rest)) / math.sqrt(rest)
    return np.asarray(together / max(float(together.sum()), 1e-300))


def strength(together: Floats) -> float:
    """Return the mean square of the density beside that of independent features, less 1: 0 if they are independent."""
    apart = np.outer(together.sum(axis=1), together.sum(axis=0))
    return float((together**2 / np.maximum(apart, 1e-300)).sum()) - 1


def scaled(together: Floats, shares: Floats) -> Floats:
    """Scale shares over pairs of places to known shares of cells (iterative proportional fitting)."""
    one, two = membership(shares.shape[0], together.shape[0]), membership(shares.shape[1], together.shape[1])
    for _ in range(_ROUNDS):
        there = one @ together @ two.T
        together = together * (one.T @ np.where(there > 0, shares / np.where(there > 0, there, 1.0), 0.0) @ two)
    return np.asarray(together / max(float(together.sum()), 1e-300))


def _middle(shares: Floats) -> Floats:
    return np.clip(np.cumsum(shares) - shares / 2, 1e-4, 1 - 1e-4)
