"""Functions with private features that enter in other ways than one by one: what a study of many kinds is made of.

People have five features, uniform on [0, 1]; the first two are private. The label is the function plus noise of
standard deviation 0.7; the error is against the function, as a share of its variance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from experiments.common.problem import Problem
from experiments.common.task import Task
from semildp import masks

Floats = NDArray[np.float64]

N_FEATURES, N_PRIVATE, N_FRESH = 5, 2, 5000
NOISE, TAILS = 0.7, 3.0  # standard deviations of noise that the label bounds leave room for
FAR = 0.7  # a threshold that is no end of two or four equal bins
CORRELATION = 0.8


def _signs(X: Floats, j: int, k: int, threshold: float) -> Floats:
    """Return 1 where just one of two features is above the threshold, else -1."""
    return np.where((X[:, j] > threshold) != (X[:, k] > threshold), 1.0, -1.0)


def _unit(x: Floats) -> Floats:
    """Return a uniform number with mean 0 and variance 1."""
    return np.asarray((x - 0.5) * np.sqrt(12))


FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "additive sines": lambda X: np.asarray(np.sin(3 * X[:, [0, 1, 4]]).sum(axis=1)),
    "private times a public step": lambda X: _unit(X[:, 0]) * (X[:, 2] * X[:, 3] > 0.25),
    "private xor public, at ½": lambda X: _signs(X, 0, 2, 0.5),
    "private xor public, away from ½": lambda X: _signs(X, 0, 2, FAR),
    "private xor private, at ½": lambda X: _signs(X, 0, 1, 0.5),
    "private xor private, away from ½": lambda X: _signs(X, 0, 1, FAR),
    "private, U-shaped": lambda X: np.asarray(6 * (X[:, 0] - 0.5) ** 2 + _unit(X[:, 2]) / 2),
    "private features that go together": lambda X: _unit(X[:, 0]) + _unit(X[:, 1]) / 2,
    "product of public features": lambda X: _unit(X[:, 2]) * _unit(X[:, 3]),
}
TOGETHER = "private features that go together"


def function_problem(task: Task, folder: str = "") -> Problem:
    """Draw people and fresh points. Bounds are those of the function, with room for noise."""
    assert task.n_people is not None
    assert task.data is not None
    rng, function = np.random.default_rng(task.seed_sequence("data", "n_people")), FUNCTIONS[task.data]
    X, fresh = (_features(rng, n, task.data) for n in (task.n_people, N_FRESH))
    truth, scale = function(fresh), float(function(fresh).std())
    low, high = truth.min() - TAILS * NOISE, truth.max() + TAILS * NOISE
    y = np.clip(function(X) + NOISE * rng.normal(size=len(X)), low, high)
    mask = masks.first(len(X), N_FEATURES, N_PRIVATE)
    seed = task.seed_sequence("study", "data", "n_people", "epsilon")
    return Problem(X, y / scale, fresh, truth / scale, mask, (float(low / scale), float(high / scale)), seed)


def _features(rng: np.random.Generator, n: int, name: str) -> Floats:
    X = rng.uniform(size=(n, N_FEATURES))
    if name == TOGETHER:  # the second is the first with probability CORRELATION: so is their correlation
        X[:, 1] = np.where(rng.uniform(size=n) < CORRELATION, X[:, 0], X[:, 1])
    return X
