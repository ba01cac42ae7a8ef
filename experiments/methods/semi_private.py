"""SemiPrivate in its one default configuration; without private features; and with everything public."""

from __future__ import annotations

import numpy as np

from experiments.common.names import ALL_PUBLIC, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.common.problem import Floats, Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.task import Task
from semildp import SemiPrivateRegressor, masks


@method("semi-private", "beyond", "beyond-simulation", "hiding", "functions")
def semi_private(problem: Problem, task: Task) -> list[Row]:
    """The estimator; the same fitted on features alone that at most half of the people hide; and with nothing hidden.

    The second shows what private features add. The third is the bound that no method with private features beats: the
    label alone is private.
    """
    nothing = np.zeros_like(problem.mask)
    return [
        *with_and_without(problem, task),
        Row(ALL_PUBLIC, error_with(problem, task, problem.X, problem.X_test, nothing)),
    ]


def with_and_without(problem: Problem, task: Task) -> list[Row]:
    """The estimator, and the same fitted on features alone that at most half of the people hide."""
    shown = np.flatnonzero(problem.mask.mean(axis=0) <= 0.5)
    return [
        Row(SEMI_PRIVATE, error_with(problem, task, problem.X, problem.X_test, problem.mask)),
        Row(WITHOUT_PRIVATE, error_with(problem, task, *_only(problem, shown))),
    ]


def _only(problem: Problem, shown: np.ndarray) -> tuple[Floats, Floats, masks.Mask]:
    """Return people and fresh points with some features alone; without any, with one that is the same for all."""
    if len(shown):
        return problem.X[:, shown], problem.X_test[:, shown], problem.mask[:, shown]
    n, fresh = len(problem.X), len(problem.X_test)
    return np.full((n, 1), 0.5), np.full((fresh, 1), 0.5), np.zeros((n, 1), dtype=np.bool_)


def error_with(problem: Problem, task: Task, X: Floats, fresh: Floats, mask: masks.Mask) -> float:
    """Return the error of the estimator, fitted on these features of the people."""
    model = SemiPrivateRegressor(
        task.epsilon,
        label_bounds=problem.label_bounds,
        feature_bounds=(0.0, 1.0),
        random_state=problem.random_state,
    )
    return problem.error(model.fit(X, problem.y, mask=mask).predict(fresh))
