"""The figures' simulation: x uniform on [0, 1]^5, y = sin(x1) + sin(x2) + sin(x5) + N(0, 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments import histogram, ours, trees
from experiments.hist_of_tree import LABEL_SHARES, adaptive_shapes, evaluate, grid_shapes, make_row
from experiments.problem import Problem
from experiments.rows import Row
from experiments.task import Task
from semildp import masks
from semildp.partition import Shape

N_FEATURES = 5
N_FRESH = 5000
LABEL_BOUNDS = (-2.0, 4.5)
PARAMETER_DEPTHS = tuple(range(9))
PARAMETER_BINS = (1, 2, 3, 4)


def problem_of(task: Task, mask: np.ndarray) -> Problem:
    """Draw people and fresh points. The error is against the true function: fresh labels only add their variance, 1."""
    assert task.n_people is not None
    rng = np.random.default_rng(task.seed_sequence("n_people"))
    X = rng.uniform(size=(task.n_people, N_FEATURES))
    y = np.clip(_true(X) + rng.normal(size=task.n_people), *LABEL_BOUNDS)
    fresh = rng.uniform(size=(N_FRESH, N_FEATURES))
    seed = task.seed_sequence("study", "n_people", "n_private", "gamma", "epsilon")
    return Problem(X, y, fresh, _true(fresh), mask, LABEL_BOUNDS, seed)


def _true(X: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]))


def aligned_problem(task: Task) -> Problem:
    """Draw a simulation in which everyone hides the first `n_private` features."""
    assert task.n_people is not None
    assert task.n_private is not None
    return problem_of(task, masks.first(task.n_people, N_FEATURES, task.n_private))


def grid_rows(problem: Problem, epsilon: float, shapes: Sequence[Shape], shares: Sequence[float]) -> list[Row]:
    """HistOfTree with the max-edge rule at every shape and label share."""
    results = evaluate(problem, epsilon, shapes, ("max-edge",), shares, with_honest=False)
    return [make_row("HistOfTree", *key, *score) for key, score in results.items()]


def run_trade_off(task: Task, folder: str) -> list[Row]:
    """Figure 2a: HistOfTree over its grid and with our defaults; nothing private: LabelDT; everything: Hist."""
    problem = aligned_problem(task)
    if task.n_private == 0:
        return trees.noisy_label_trees(problem, task.epsilon)
    if task.n_private == N_FEATURES:
        return histogram.hist(problem, task.epsilon)
    grid = grid_rows(problem, task.epsilon, grid_shapes(task.n_private or 0), LABEL_SHARES)
    return [*grid, *ours.joint(problem, task.epsilon)]


def run_consistency(task: Task, folder: str) -> list[Row]:
    """Figure 2b: HistOfTree over its grid, for one number of people."""
    return grid_rows(aligned_problem(task), task.epsilon, grid_shapes(task.n_private or 0), LABEL_SHARES)


def run_parameters(task: Task, folder: str) -> list[Row]:
    """Figure 2c: every depth and number of bins, with half of epsilon on the label."""
    shapes = [Shape(task.n_private or 0, p, t) for p in PARAMETER_DEPTHS for t in PARAMETER_BINS]
    return grid_rows(aligned_problem(task), task.epsilon, shapes, (0.5,))


def run_selection(task: Task, folder: str) -> list[Row]:
    """Figure 2d: each fixed s over the grid, and the adaptive choice."""
    assert task.n_people is not None
    assert task.gamma is not None
    mask = masks.heavy_tail(task.n_people, N_FEATURES, task.gamma)
    problem = problem_of(task, mask)
    rows = [row for s in range(N_FEATURES) for row in grid_rows(problem, task.epsilon, grid_shapes(s), LABEL_SHARES)]
    shapes = adaptive_shapes(mask, task.epsilon)
    adaptive = evaluate(problem, task.epsilon, shapes, ("max-edge",), with_honest=False)
    return rows + [make_row("AdHistOfTree", *key, *score, shapes[key[2]]) for key, score in adaptive.items()]
