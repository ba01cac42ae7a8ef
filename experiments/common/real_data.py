"""The tables' problems: random splits of a data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.common.datasets import load
from experiments.common.hiding import HIDING, hiding_mask
from experiments.common.problem import Problem
from experiments.common.task import Task
from semildp import masks

EPSILONS = (1.0, 2.0, 4.0)
BEYOND_EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
PREFERENCES = ("aligned", "personalized")
TRAIN = 0.8


def real_data_problem(task: Task, folder: str) -> Problem:
    """Split a data set 80/20 at random; the split is the same for every epsilon, preference and method."""
    assert task.data is not None
    data = load(task.data, Path(folder))
    order = np.random.default_rng(task.seed_sequence("data")).permutation(len(data.y))
    n_train = round(TRAIN * len(order))
    train, test = order[:n_train], order[n_train:]
    d = data.X.shape[1]
    if task.preference in HIDING:
        mask = hiding_mask(task.preference, data.X[train], data.y[train], n_train)
    elif task.preference == "aligned":
        mask = masks.first(n_train, d, masks.default_private_count(d))
    else:
        mask = masks.staircase(n_train, d)
        mask = mask[np.random.default_rng(task.seed_sequence("data", "preference")).permutation(n_train)]
    seed = task.seed_sequence("data", "preference", "epsilon")
    return Problem(data.X[train], data.y[train], data.X[test], data.y[test], mask, data.label_bounds, seed)
