"""The private mean: one number for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.common.names import BOUNDED_MEAN, PRIVATE_MEAN
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.task import Task
from semildp.baselines import PublicTreeRegressor
from semildp.mechanisms import LABEL_MECHANISMS, label_grid


@method("private-mean", "beyond", "beyond-simulation", "hiding", "functions")
def private_means(problem: Problem, task: Task) -> list[Row]:
    """The mean of labels noised with all of epsilon: by Laplace noise, and by the bounded window response."""
    terms: dict[str, Any] = {
        "label_bounds": problem.label_bounds,
        "feature_bounds": (0.0, 1.0),
        "random_state": problem.random_state,
    }
    laplace = PublicTreeRegressor(task.epsilon, **terms).fit(problem.X, problem.y, mask=np.ones_like(problem.mask))
    return [
        Row(PRIVATE_MEAN, problem.error(laplace.predict(problem.X_test))),
        Row(BOUNDED_MEAN, problem.error(np.full(len(problem.X_test), _bounded(problem, task.epsilon)))),
    ]


def _bounded(problem: Problem, epsilon: float) -> float:
    grid, source = label_grid("window", *problem.label_bounds, epsilon), problem.source(1)
    response = LABEL_MECHANISMS["window"](epsilon, grid.steps)
    points = grid.encode_at_random(problem.y, source.words(len(problem.y)))
    mean = float(grid.decode(response.estimate(response.randomise(points, source))).mean())
    return float(np.clip(mean, *problem.label_bounds))
