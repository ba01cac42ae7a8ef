"""LabelDT and ParDT, which send the same noisy labels, and the mean of these."""

from __future__ import annotations

import numpy as np

from experiments.common.names import MEAN
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.sklearn_trees import tree_rows
from experiments.common.task import Task
from semildp.client import answer
from semildp.domains import LabelGrid
from semildp.protocols.asks import ask_label
from semildp.wire.messages import Question


def _wanted(task: Task) -> bool:
    return task.study != "trade-off" or task.n_private == 0


@method("noisy-label-trees", "table", "trade-off", when=_wanted)
def noisy_label_trees(problem: Problem, task: Task) -> list[Row]:
    """Ask for labels with all of epsilon, once; LabelDT sees all features, ParDT the public ones."""
    study, (low, high) = problem.study(task.epsilon, "public-tree"), problem.label_bounds
    question = Question(study.digest, 1, (ask_label("laplace", low, high, task.epsilon),))
    sent = answer(study, question, problem.people, problem.source(1))[0].value
    labels = LabelGrid.for_epsilon(low, high, task.epsilon).decode(sent)
    mean = Row(MEAN, problem.error(np.full(len(problem.y_test), np.clip(labels.mean(), low, high))), 0.0)
    seen = ~problem.mask.all(axis=0)
    pardt = (
        tree_rows("ParDT", problem, problem.enrolled.public[:, seen], labels, problem.X_test[:, seen])
        if seen.any()
        else [Row("ParDT", mean.error, 0.0)]
    )
    return [mean, *pardt, *tree_rows("LabelDT", problem, problem.X, labels, problem.X_test)]
