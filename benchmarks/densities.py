"""Densities on [0, 1]^3 that benchmarks estimate. None was looked at when the estimator was built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from semildp._arrays import Floats

FEATURES = 3
_POINTS = qmc.Sobol(FEATURES, seed=1).random_base2(17)  # a function's integral is its mean here
_STEPS = 1 + 0.3 * np.random.default_rng(7).uniform(-1, 1, size=(5, 7, 9))


@dataclass(frozen=True)
class Truth:
    """A density, and how people are drawn from it."""

    name: str
    density: Callable[[Floats], Floats]
    draw: Callable[[np.random.Generator, int], Floats]


def truth(name: str, function: Callable[[Floats], Floats], most: float) -> Truth:
    """Return the density in proportion to a function that is `most` at most, which people are drawn from by rejection.

    Points are even over the cube, and accepted with probability function / most.
    """
    whole = float(function(_POINTS).mean())

    def draw(rng: np.random.Generator, n: int) -> Floats:
        found = np.zeros((0, FEATURES))
        while len(found) < n:
            rows = rng.random((int((n - len(found)) * most / whole) + 100, FEATURES))
            value = function(rows)
            if value.max() > most:
                raise ValueError(
                    f"`most` must be the largest value of {name}. Got {most}, and {value.max()} somewhere."
                )
            found = np.concatenate([found, rows[rng.random(len(rows)) * most < value]])
        return found[:n]

    return Truth(name, lambda x: function(x) / whole, draw)


def _smooth(x: Floats) -> Floats:
    return np.asarray(np.exp(1.5 * x[:, 0] * x[:, 1] - x[:, 1] + np.sin(4 * x[:, 2])))


def _ridge(x: Floats) -> Floats:
    """High where a private and a public feature add up to 1."""
    return np.asarray((np.exp(-0.5 * ((x[:, 0] + x[:, 1] - 1) / 0.15) ** 2) + 0.1) * (1 + x[:, 2]))


def _bimodal(x: Floats) -> Floats:
    heights, middles = (0.6, 0.4), ((0.25, 0.3, 0.6), (0.75, 0.7, 0.35))
    far = [((x - np.array(middle)) ** 2).sum(axis=1) for middle in middles]
    return np.asarray(sum(h * np.exp(-0.5 * f / 0.13**2) for h, f in zip(heights, far, strict=True)))


def _rough(x: Floats) -> Floats:
    """Random steps of up to 30 %, on a grid that no histogram of the benchmark has."""
    at = [np.minimum((x[:, j] * many).astype(np.int64), many - 1) for j, many in enumerate(_STEPS.shape)]
    return np.asarray(_STEPS[tuple(at)])


def _alone(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * ((x[:, 0] - 0.65) / 0.15) ** 2) + 0.3)


TRUTHS = (
    truth("smooth", _smooth, float(np.exp(1.5))),
    truth("ridge", _ridge, 2.2),
    truth("bimodal", _bimodal, 0.61),
    truth("rough, nearly even", _rough, 1.3),
    truth("public features say nothing", _alone, 1.3),
)
