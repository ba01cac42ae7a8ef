"""Ordinary trees over a grid of sizes, all depths read off one fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from experiments.common.honest import label_score
from experiments.common.problem import Problem
from experiments.common.rows import Row

Floats = NDArray[np.float64]

DEPTHS = (1, 2, 4, 6, 8)
LEAVES = (1, 10, 100)


def predict_by_depth(tree: DecisionTreeRegressor, X: Floats) -> Iterator[Floats]:
    """Yield the predictions of the tree cut at each of DEPTHS.

    scikit-learn grows a node's split from the people in it alone, so a tree of depth 8 contains the shallower ones.
    """
    arrays = tree.tree_
    left, right, value = arrays.children_left, arrays.children_right, arrays.value[:, 0, 0]
    feature, threshold, missing_left = arrays.feature, arrays.threshold, arrays.missing_go_to_left
    node, rows = np.zeros(len(X), dtype=np.intp), np.arange(len(X))
    narrow = X.astype(np.float32)  # what scikit-learn compares
    for depth in range(1, max(DEPTHS) + 1):
        inner = left[node] >= 0
        x = narrow[rows, np.where(inner, feature[node], 0)]
        go_left = np.where(np.isnan(x), missing_left[node] != 0, x <= threshold[node])
        node = np.where(inner, np.where(go_left, left[node], right[node]), node)
        if depth in DEPTHS:
            yield value[node]


def tree_rows(
    method: str, problem: Problem, X: Floats, y: Floats, X_test: Floats, bins: int | None = None
) -> list[Row]:
    """Fit one tree per leaf size on what was sent, and one on the kept people to score the honest choice."""
    rows = []
    low, high = problem.label_bounds
    kept, held_out = problem.kept, problem.held_out
    centre = float(y[kept].mean())
    for leaf in LEAVES:
        grown = [
            DecisionTreeRegressor(max_depth=max(DEPTHS), min_samples_leaf=leaf, random_state=0).fit(X[part], y[part])
            for part in (slice(None), kept)
        ]
        scored = zip(DEPTHS, predict_by_depth(grown[0], X_test), predict_by_depth(grown[1], X[held_out]), strict=True)
        for depth, predictions, held in scored:
            honest = label_score(np.clip(held, low, high), y[held_out], centre)
            rows.append(
                Row(method, problem.error(np.clip(predictions, low, high)), honest, depth=depth, leaf=leaf, bins=bins)
            )
    return rows
