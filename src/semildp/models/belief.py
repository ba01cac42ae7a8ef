"""What is believed of f(x) = E[label | x] beside the prediction: mean and variance at every x."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats

Numbers = tuple[float, ...]
PAIR_TERMS = 3  # of each of two features: cosines whose products stand for what the two do together


def cosines(place: Floats, terms: int) -> Floats:
    """Return sqrt(2) cos(k pi u) for k = 1, 2, ..., as columns: orthonormal over [0, 1]. 0 where u is missing.

    Each is made of the two before: cos (k + 1) a = 2 cos a cos k a - cos (k - 1) a.
    """
    found = np.empty((terms, len(place)))  # one row each: quicker to fill
    once = np.cos(np.pi * place)
    found[0] = np.sqrt(2) * once
    for k in range(1, terms):
        np.multiply(2 * once, found[k - 1], out=found[k])
        found[k] -= found[k - 2] if k > 1 else np.sqrt(2)
    if np.isnan(once).any():
        found[:, np.isnan(once)] = 0.0
    return found.T


def mean_cosines(low: Floats, high: Floats, terms: int) -> Floats:
    """Return the averages of the same functions between `low` and `high`, for one interval per row."""
    turns = np.pi * np.arange(1, terms + 1)
    wide = np.maximum(high - low, 1e-12)[:, None]
    return np.asarray(np.sqrt(2) * (np.sin(np.outer(high, turns)) - np.sin(np.outer(low, turns))) / (turns * wide))


class Axis(Struct, frozen=True, forbid_unknown_fields=True):
    """The functions of one feature.

    Parameters
    ----------
    feature
        The feature.
    terms
        How many functions it has: cosines of its place u in [0, 1].
    knots, places
        Values of the feature and their places, between which u is a line: about the share of people below.
    value
        Of a category, the value that this axis stands for: its function is (1{x = value} - knots[0]) / places[0].
    """

    feature: int
    terms: int
    knots: Numbers
    places: Numbers
    value: int | None = None

    def functions(self, column: Floats) -> Floats:
        """Return the functions (columns) of a feature's values (rows); 0 where one is missing."""
        if self.value is not None:
            there = ((np.rint(column) == self.value) - self.knots[0]) / self.places[0]
            return np.where(np.isnan(column), 0.0, there)[:, None]
        return cosines(np.interp(column, self.knots, self.places), self.terms)


class Pair(Struct, frozen=True, forbid_unknown_fields=True):
    """What two axes do together, if they do: products of their first functions, with normal coefficients.

    Parameters
    ----------
    axes
        The two axes, by position.
    chance
        Probability that they do anything together.
    means, covariance
        Of the coefficients if they do; the last to vary is the second axis's function.
    """

    axes: tuple[int, ...]
    chance: float
    means: Numbers
    covariance: Numbers

    def at(self, one: Floats, two: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of what they do where their functions have these values, if they do anything."""
        size = len(self.means)
        first, second = (np.pad(f[:, :PAIR_TERMS], ((0, 0), (0, max(PAIR_TERMS - f.shape[1], 0)))) for f in (one, two))
        product = (first[:, :, None] * second[:, None, :]).reshape(-1, size)
        spread = ((product @ np.asarray(self.covariance).reshape(size, size)) * product).sum(axis=1)
        return product @ np.asarray(self.means), spread


class Belief(Struct, frozen=True, forbid_unknown_fields=True):
    """A normal distribution of functions: a constant, functions of single axes, and of pairs.

    Parameters
    ----------
    axes
        The axes.
    mean
        Mean of the coefficients: of the constant, then of the axes' functions in order.
    factors
        Their covariance is the sum of v v' over these vectors v.
    rest, small
        Mean squares that are the same everywhere: of directions, and of pairs, that are not told one by one.
    pairs
        What axes do together.
    """

    axes: tuple[Axis, ...]
    mean: Numbers
    factors: tuple[Numbers, ...]
    rest: float = 0.0
    small: float = 0.0
    pairs: tuple[Pair, ...] = ()

    def functions(self, X: Floats) -> list[Floats]:
        """Return the functions of each axis at rows of features as numbers."""
        return [axis.functions(X[:, axis.feature]) for axis in self.axes]

    def at(self, functions: list[Floats], known: Floats | float = 1.0) -> tuple[Floats, Floats, Floats]:
        """Return what is believed of f where the axes' functions have these values, or these averages.

        It is the mean, the variance of functions of single axes, and that of pairs. `known` is the share of features
        that are not missing: so much of what is not told one by one counts.
        """
        n = len(functions[0]) if functions else 1
        columns = np.concatenate([np.ones((n, 1)), *functions], axis=1)
        mean = columns @ np.asarray(self.mean)
        factors = np.asarray(self.factors, dtype=np.float64).reshape(len(self.factors), columns.shape[1])
        variance = ((columns @ factors.T) ** 2).sum(axis=1) + known * self.rest
        together = known * np.full(n, self.small)
        for pair in self.pairs:
            there, spread = pair.at(*(functions[a] for a in pair.axes))
            mean += pair.chance * there
            together += pair.chance * (spread + there**2) - (pair.chance * there) ** 2
        return mean, variance, together
