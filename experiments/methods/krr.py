"""KRR: private features by randomised response, in each number of bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.sklearn_trees import tree_rows
from experiments.common.task import Task
from semildp.client import answer
from semildp.curator.waves import State, Wave
from semildp.domains import LabelGrid
from semildp.protocols import RandomizedFeatures

BINS = (2, 3, 4, 5)
Floats = NDArray[np.float64]


@method("krr", "table")
def krr(problem: Problem, task: Task) -> list[Row]:
    """Ask as the protocol does, then fit trees of all sizes to what was sent."""
    rows = []
    for bins in BINS:
        sent, labels = _collect(problem, task.epsilon, bins)
        rows += tree_rows("KRR", problem, sent, labels, problem.X_test, bins)
    return rows


def _collect(problem: Problem, epsilon: float, bins: int) -> tuple[Floats, Floats]:
    """Return features with private ones replaced by the middle of the reported bin, and noisy labels."""
    study, source = problem.study(epsilon, "randomized-features"), problem.source(2, bins)
    wave = RandomizedFeatures(bins).next(State(study, problem.enrolled, {}))
    assert isinstance(wave, Wave)
    sent, labels = problem.enrolled.public.copy(), np.zeros(len(problem.y))
    grid = LabelGrid.for_epsilon(*problem.label_bounds, epsilon)
    for asked in wave.asked:
        answers = answer(study, asked.question, problem.people[asked.people], source)
        labels[asked.people] = grid.decode(answers[0].value)
        if len(answers) > 1:
            place, feature = np.nonzero(problem.mask[asked.people])
            sent[asked.people[place], feature] = (answers[1].value + 0.5) / bins  # features are scaled to [0, 1]
    return sent, labels
