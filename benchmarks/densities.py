"""Densities on [0, 1]^3 that benchmarks estimate. None was used when constants were chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import multivariate_normal, norm, truncnorm

from semildp._arrays import Floats

FEATURES = 3


@dataclass(frozen=True)
class Truth:
    """A density, and how people are drawn from it."""

    name: str
    density: Callable[[Floats], Floats]
    draw: Callable[[np.random.Generator, int], Floats]


def _accepted(rng: np.random.Generator, n: int, draw: Callable[[int], Floats]) -> Floats:
    """Return the first n rows that fall in the unit cube."""
    found = np.zeros((0, FEATURES))
    while len(found) < n:
        rows = draw(2 * (n - len(found)) + 16)
        found = np.concatenate([found, rows[((rows >= 0) & (rows <= 1)).all(axis=1)]])
    return found[:n]


def normal(name: str, mean: tuple[float, ...], deviations: tuple[float, ...], correlation: float) -> Truth:
    """Return a normal density cut to the cube, with one correlation for all pairs."""
    scale = np.outer(deviations, deviations)
    covariance = scale * (correlation + (1 - correlation) * np.eye(FEATURES))
    law = multivariate_normal(mean, covariance)
    inside = law.cdf(np.ones(FEATURES), lower_limit=np.zeros(FEATURES))

    def draw(rng: np.random.Generator, n: int) -> Floats:
        return _accepted(rng, n, lambda m: rng.multivariate_normal(mean, covariance, size=m))

    return Truth(name, lambda x: np.asarray(law.pdf(x) / inside), draw)


def mixture() -> Truth:
    """Return three groups of different size and width, independent within each."""
    parts = ((0.5, (0.2, 0.3, 0.7), 0.1), (0.3, (0.6, 0.8, 0.3), 0.08), (0.2, (0.8, 0.2, 0.5), 0.15))

    def column(middle: float, width: float) -> truncnorm:
        return truncnorm(-middle / width, (1 - middle) / width, middle, width)

    def density(x: Floats) -> Floats:
        each = [
            share * np.prod([column(m, width).pdf(x[:, j]) for j, m in enumerate(middle)], axis=0)
            for share, middle, width in parts
        ]
        return np.asarray(sum(each))

    def draw(rng: np.random.Generator, n: int) -> Floats:
        group = rng.choice(len(parts), size=n, p=[share for share, _, _ in parts])
        middle = np.array([m for _, m, _ in parts])[group]
        width = np.array([w for _, _, w in parts])[group][:, None]
        low, high = norm.cdf(-middle / width), norm.cdf((1 - middle) / width)
        return np.asarray(np.clip(middle + width * norm.ppf(low + rng.random((n, FEATURES)) * (high - low)), 0.0, 1.0))

    return Truth("mixture of three", density, draw)


def uniform() -> Truth:
    """Return the even density."""
    return Truth("uniform", lambda x: np.ones(len(x)), lambda rng, n: rng.random((n, FEATURES)))


CORRELATED = normal("correlated normal", (0.5, 0.5, 0.5), (0.2, 0.2, 0.2), 0.6)
MIXTURE = mixture()
TRUTHS = (
    MIXTURE,
    normal("truncated normal", (0.3, 0.9, 0.5), (0.15, 0.25, 0.3), 0.0),
    CORRELATED,
    uniform(),
)
