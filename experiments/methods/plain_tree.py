"""DT: an ordinary tree without privacy, to which tables compare all errors."""

from __future__ import annotations

from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.sklearn_trees import tree_rows
from experiments.common.task import Task


@method("plain-tree", "table", "hiding")
def plain_tree(problem: Problem, task: Task) -> list[Row]:
    """Fit it to raw data; epsilon plays no part."""
    return tree_rows("DT", problem, problem.X, problem.y, problem.X_test)
