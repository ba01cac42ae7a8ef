"""Beyond the paper: what `SemiPrivateRegressor` adds to a split of the tables, and a simulation of its own."""

from __future__ import annotations

from experiments.hist_of_tree import LABEL_SHARES, grid_shapes
from experiments.ours import joint, private_means, semi_private
from experiments.real_data import real_data_problem
from experiments.rows import Row
from experiments.simulation import aligned_problem, grid_rows
from experiments.task import Task


def run_real_data(task: Task, folder: str) -> list[Row]:
    """The rows that the tables lack, on the same split; the table's task of that split has all others."""
    problem = real_data_problem(task, folder)
    return [*semi_private(problem, task.epsilon), *private_means(problem, task.epsilon)]


def run_simulation(task: Task, folder: str) -> list[Row]:
    """The paper's simulation, against the true function: the paper's HistOfTree over its grid, and ours."""
    problem = aligned_problem(task)
    return [
        *grid_rows(problem, task.epsilon, grid_shapes(task.n_private or 0), LABEL_SHARES),
        *joint(problem, task.epsilon),
        *semi_private(problem, task.epsilon),
        *private_means(problem, task.epsilon),
    ]
