"""The tables: every method of the paper on random splits of the ten data sets."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from experiments import datasets, hist_of_tree, histogram, ours, trees
from experiments.problem import Problem
from experiments.rows import Row
from experiments.task import Task
from semildp import masks

TRAIN = 0.8


@lru_cache(maxsize=16)
def _load(code: str, folder: str) -> datasets.DataSet:
    return datasets.load(code, Path(folder))


def real_data_problem(task: Task, folder: str) -> Problem:
    """Split a data set 80/20 at random; the split is the same for every epsilon and preference."""
    assert task.data is not None
    data = _load(task.data, folder)
    order = np.random.default_rng(task.seed_sequence("data")).permutation(len(data.y))
    n_train = round(TRAIN * len(order))
    train, test = order[:n_train], order[n_train:]
    d = data.X.shape[1]
    if task.preference == "aligned":
        mask = masks.first(n_train, d, masks.default_private_count(d))
    else:
        mask = masks.staircase(n_train, d)
        mask = mask[np.random.default_rng(task.seed_sequence("data", "preference")).permutation(n_train)]
    seed = task.seed_sequence("data", "preference", "epsilon")
    return Problem(data.X[train], data.y[train], data.X[test], data.y[test], mask, data.label_bounds, seed)


def run_table(task: Task, folder: str) -> list[Row]:
    """All methods of the paper on one split, and HistOfTree with the library's defaults."""
    problem = real_data_problem(task, folder)
    s = masks.default_private_count(problem.X.shape[1])
    return [
        *trees.plain_tree(problem),
        *trees.noisy_label_trees(problem, task.epsilon),
        *trees.krr(problem, task.epsilon),
        *histogram.hist(problem, task.epsilon),
        *hist_of_tree.both_methods(problem, task.epsilon, s),
        *ours.joint(problem, task.epsilon),
    ]
