"""Which tasks a table or figure consists of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product

import experiments.data
import experiments.methods  # noqa: F401  (fills METHODS; the line before fills RECIPES)
from experiments.common.datasets import RECIPES
from experiments.common.functions import FUNCTIONS, function_problem
from experiments.common.hiding import HIDING
from experiments.common.problem import Problem
from experiments.common.real_data import real_data_problem
from experiments.common.registry import METHODS, methods_of
from experiments.common.rows import Row
from experiments.common.simulation import N_FEATURES, simulation_problem
from experiments.common.task import Task

FIGURES = ("trade-off", "consistency", "parameters", "selection")
TRADE_OFF_EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1024.0)
CONSISTENCY_PEOPLE = (1000, 2000, 4000, 8000, 16000, 32000, 64000)
GAMMAS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
REPLICATIONS = {"trade-off": 50, "consistency": 30, "parameters": 50, "selection": 20}
QUICK_REPLICATIONS = 3
BEYOND_REPLICATIONS = 20
BEYOND_PEOPLE = (1000, 10_000, 100_000)
FUNCTION_PEOPLE, QUICK_FUNCTION_PEOPLE = 10_000, 2000

PROBLEMS: dict[str, Callable[[Task, str], Problem]] = {
    "table": real_data_problem,
    "beyond": real_data_problem,
    "hiding": real_data_problem,
    "functions": function_problem,
    **dict.fromkeys((*FIGURES, "beyond-simulation"), simulation_problem),
}


def run(task: Task, folder: str) -> list[Row]:
    """Run one task."""
    return METHODS[task.method].run(PROBLEMS[task.study](task, folder), task)


def by_method(settings: Iterable[Task]) -> list[Task]:
    """Return one task per setting and method that is run on it."""
    return [replace(task, method=found.name) for task in settings for found in methods_of(task)]


def table_tasks(seed: int, splits: int, epsilons: Sequence[float], preferences: Sequence[str]) -> list[Task]:
    """Return tasks per split, data set, epsilon and preference; splits outermost: an early stop has all cells."""
    return _real_data_tasks(("table",), seed, splits, epsilons, preferences)


def beyond_tasks(seed: int, splits: int, epsilons: Sequence[float], preferences: Sequence[str]) -> list[Task]:
    """Return the table's tasks, the very same, and beside them those with what the table lacks on each split."""
    return _real_data_tasks(("table", "beyond"), seed, splits, epsilons, preferences)


def _real_data_tasks(
    studies: Sequence[str], seed: int, splits: int, epsilons: Sequence[float], preferences: Sequence[str]
) -> list[Task]:
    return by_method(
        Task(study, split, seed, epsilon, data=code, preference=preference)
        for split, code, epsilon, preference, study in product(range(splits), RECIPES, epsilons, preferences, studies)
    )


def beyond_simulation_tasks(seed: int, quick: bool, epsilons: Sequence[float]) -> list[Task]:
    """Return the paper's simulation with two private features, for few and many people."""
    people = BEYOND_PEOPLE[:2] if quick else BEYOND_PEOPLE
    replications = range(QUICK_REPLICATIONS if quick else BEYOND_REPLICATIONS)
    settings = product(replications, people, epsilons)
    return by_method(Task("beyond-simulation", r, seed, epsilon, n_people=n, n_private=2) for r, n, epsilon in settings)


def hiding_tasks(seed: int, splits: int, epsilons: Sequence[float]) -> list[Task]:
    """Return our estimator's tasks where people hide what matters most."""
    return _real_data_tasks(("hiding",), seed, splits, epsilons, HIDING)


def function_tasks(seed: int, quick: bool, epsilons: Sequence[float]) -> list[Task]:
    """Return our estimator's tasks on functions of two private and three public features."""
    n = QUICK_FUNCTION_PEOPLE if quick else FUNCTION_PEOPLE
    settings = product(range(1 if quick else BEYOND_REPLICATIONS), FUNCTIONS, epsilons)
    return by_method(Task("functions", r, seed, epsilon, data=name, n_people=n) for r, name, epsilon in settings)


def figure_tasks(name: str, seed: int, quick: bool) -> list[Task]:
    """Return tasks per replication and setting of a figure."""
    return by_method(_figure_settings(name, seed, quick))


def _figure_settings(name: str, seed: int, quick: bool) -> list[Task]:
    replications = range(QUICK_REPLICATIONS if quick else REPLICATIONS[name])
    if name == "trade-off":
        settings = product(replications, TRADE_OFF_EPSILONS, range(N_FEATURES + 1))
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
