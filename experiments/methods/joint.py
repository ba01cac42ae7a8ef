"""HistOfTree with the library's defaults: everyone visits once, cell and label in one report."""

from __future__ import annotations

from experiments.common.names import JOINT
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.simulation import N_FEATURES
from experiments.common.task import Task
from semildp import HistOfTreeRegressor


def _wanted(task: Task) -> bool:
    return task.study != "trade-off" or 0 < (task.n_private or 0) < N_FEATURES


@method("joint", "table", "trade-off", "beyond-simulation", when=_wanted)
def joint(problem: Problem, task: Task) -> list[Row]:
    """One configuration: no oracle chooses anything."""
    model = HistOfTreeRegressor(
        task.epsilon,
        label_bounds=problem.label_bounds,
        feature_bounds=(0.0, 1.0),
        random_state=problem.random_state,
    ).fit(problem.X, problem.y, mask=problem.mask)
    return [Row(JOINT, problem.error(model.predict(problem.X_test)))]
