"""Beyond the paper: SemiPrivateRegressor in its one default configuration, on the same splits and simulations."""

from __future__ import annotations

import numpy as np

from experiments.hist_of_tree import LABEL_SHARES, grid_shapes
from experiments.problem import Problem
from experiments.real_data import real_data_problem
from experiments.rows import Row
from experiments.simulation import aligned_problem, grid_rows
from experiments.task import Task
from experiments.trees import plain_tree
from semildp import SemiPrivateRegressor
from semildp.baselines import PublicTreeRegressor


def semi_private(problem: Problem, epsilon: float) -> list[Row]:
    """Fit with defaults; and the private mean, with all of epsilon on the label."""
    seed = int(np.random.default_rng(problem.seed).integers(2**31))
    model = SemiPrivateRegressor(
        epsilon, label_bounds=problem.label_bounds, feature_bounds=(0.0, 1.0), random_state=seed
    ).fit(problem.X, problem.y, mask=problem.mask)
    mean = PublicTreeRegressor(
        epsilon, label_bounds=problem.label_bounds, feature_bounds=(0.0, 1.0), random_state=seed
    ).fit(problem.X, problem.y, mask=np.ones_like(problem.mask))
    return [
        Row("SemiPrivate", problem.error(model.predict(problem.X_test))),
        Row("private mean", problem.error(mean.predict(problem.X_test))),
    ]


def run_real_data(task: Task, folder: str) -> list[Row]:
    """One split of one data set, with the non-private tree for comparison."""
    problem = real_data_problem(task, folder)
    return [*plain_tree(problem), *semi_private(problem, task.epsilon)]


def run_simulation(task: Task, folder: str) -> list[Row]:
    """The paper's simulation with two private features, against the true function; HistOfTree over its grid beside."""
    problem = aligned_problem(task)
    faithful = grid_rows(problem, task.epsilon, grid_shapes(task.n_private or 0), LABEL_SHARES)
    return [*faithful, *semi_private(problem, task.epsilon)]
