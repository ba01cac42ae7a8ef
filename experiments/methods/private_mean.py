"""The private mean: one number for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor

from experiments.common.names import BOUNDED_MEAN, PRIVATE_MEAN
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.task import Task
from semildp import SemiPrivateRegressor
from semildp.baselines import PublicTreeRegressor


@method("private-mean", "beyond", "beyond-simulation")
def private_means(problem: Problem, task: Task) -> list[Row]:
    """The mean of labels noised with all of epsilon: by Laplace noise, and by the bounded window response."""
    terms: dict[str, Any] = {
        "label_bounds": problem.label_bounds,
        "feature_bounds": (0.0, 1.0),
        "random_state": problem.random_state,
    }
    everything, nothing = np.ones_like(problem.mask), np.zeros_like(problem.mask)
    laplace = PublicTreeRegressor(task.epsilon, **terms).fit(problem.X, problem.y, mask=everything)
    bounded = SemiPrivateRegressor(task.epsilon, learner=DummyRegressor(), **terms)
    mean = bounded.fit(problem.X, problem.y, mask=nothing).noisy_mean_
    return [
        Row(PRIVATE_MEAN, problem.error(laplace.predict(problem.X_test))),
        Row(BOUNDED_MEAN, problem.error(np.full(len(problem.X_test), mean))),
    ]
