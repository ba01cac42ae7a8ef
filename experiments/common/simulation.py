"""The figures' simulation: x uniform on [0, 1]^5, y = sin(x1) + sin(x2) + sin(x5) + N(0, 1)."""

from __future__ import annotations

import numpy as np

from experiments.common.problem import Problem
from experiments.common.task import Task
from semildp import masks

N_FEATURES = 5
N_FRESH = 5000
LABEL_BOUNDS = (-2.0, 4.5)


def simulation_problem(task: Task, folder: str = "") -> Problem:
    """Draw people and fresh points. The error is against the true function: fresh labels only add their variance, 1.

    Everyone hides the first `n_private` features; with a `gamma`, masks have a heavy tail instead.
    """
    assert task.n_people is not None
    rng = np.random.default_rng(task.seed_sequence("n_people"))
    X = rng.uniform(size=(task.n_people, N_FEATURES))
    y = np.clip(_true(X) + rng.normal(size=task.n_people), *LABEL_BOUNDS)
    fresh = rng.uniform(size=(N_FRESH, N_FEATURES))
    seed = task.seed_sequence("study", "n_people", "n_private", "gamma", "epsilon")
    return Problem(X, y, fresh, _true(fresh), _mask(task, task.n_people), LABEL_BOUNDS, seed)


def _mask(task: Task, n_people: int) -> masks.Mask:
    if task.gamma is not None:
        return masks.heavy_tail(n_people, N_FEATURES, task.gamma)
    assert task.n_private is not None
    return masks.first(n_people, N_FEATURES, task.n_private)


def _true(X: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]))
