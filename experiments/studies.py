"""Which tasks a table or figure consists of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from experiments import beyond, real_data, simulation
from experiments.datasets import RECIPES
from experiments.rows import Row
from experiments.task import Task

EPSILONS = (1.0, 2.0, 4.0)
PREFERENCES = ("aligned", "personalized")
FIGURES = ("trade-off", "consistency", "parameters", "selection")
TRADE_OFF_EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1024.0)
CONSISTENCY_PEOPLE = (1000, 2000, 4000, 8000, 16000, 32000, 64000)
GAMMAS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
REPLICATIONS = {"trade-off": 50, "consistency": 30, "parameters": 50, "selection": 20}
QUICK_REPLICATIONS = 3
BEYOND_REPLICATIONS = 20
BEYOND_PEOPLE = (1000, 10_000, 100_000)

RUNNERS: dict[str, Callable[[Task, str], list[Row]]] = {
    "table": real_data.run_table,
    "trade-off": simulation.run_trade_off,
    "consistency": simulation.run_consistency,
    "parameters": simulation.run_parameters,
    "selection": simulation.run_selection,
    "beyond": beyond.run_real_data,
    "beyond-simulation": beyond.run_simulation,
}


def run(task: Task, folder: str) -> list[Row]:
    """Run one task."""
    return RUNNERS[task.study](task, folder)


def table_tasks(seed: int, splits: int, epsilons: Sequence[float], preferences: Sequence[str]) -> list[Task]:
    """One task per split, data set, epsilon and preference; splits outermost, so that an early stop has all cells."""
    return _real_data_tasks(("table",), seed, splits, epsilons, preferences)


def beyond_tasks(seed: int, splits: int, epsilons: Sequence[float], preferences: Sequence[str]) -> list[Task]:
    """The table's tasks, one and the same, and beside each the task with what it lacks on that split."""
    return _real_data_tasks(("table", "beyond"), seed, splits, epsilons, preferences)


def _real_data_tasks(
    studies: Sequence[str], seed: int, splits: int, epsilons: Sequence[float], preferences: Sequence[str]
) -> list[Task]:
    return [
        Task(study, split, seed, epsilon, data=code, preference=preference)
        for split, code, epsilon, preference, study in product(range(splits), RECIPES, epsilons, preferences, studies)
    ]


def beyond_simulation_tasks(seed: int, quick: bool, epsilons: Sequence[float]) -> list[Task]:
    """The paper's simulation with two private features, for few and many people."""
    people = BEYOND_PEOPLE[:2] if quick else BEYOND_PEOPLE
    replications = range(QUICK_REPLICATIONS if quick else BEYOND_REPLICATIONS)
    settings = product(replications, people, epsilons)
    return [Task("beyond-simulation", r, seed, epsilon, n_people=n, n_private=2) for r, n, epsilon in settings]


def figure_tasks(name: str, seed: int, quick: bool) -> list[Task]:
    """One task per replication and setting of a figure."""
    replications = range(QUICK_REPLICATIONS if quick else REPLICATIONS[name])
    if name == "trade-off":
        settings = product(replications, TRADE_OFF_EPSILONS, range(simulation.N_FEATURES + 1))
        return [Task(name, r, seed, epsilon, n_people=10_000, n_private=s) for r, epsilon, s in settings]
    if name == "consistency":
        people = CONSISTENCY_PEOPLE[:5] if quick else CONSISTENCY_PEOPLE
        return [
            Task(name, r, seed, 4.0, n_people=n, n_private=s) for r, n, s in product(replications, people, range(1, 5))
        ]
    if name == "parameters":
        return [Task(name, r, seed, 4.0, n_people=10_000, n_private=2) for r in replications]
    n = 4000 if quick else 10_000
    return [Task(name, r, seed, 4.0, n_people=n, gamma=gamma) for r, gamma in product(replications, GAMMAS)]
