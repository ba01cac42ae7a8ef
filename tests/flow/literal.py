"""Every report a device makes, person by person, from the words that were recorded."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from semildp.budgets import Budget
from semildp.mechanisms import PairCode, SubsetResponse, WindowResponse, label_grid
from semildp.wire import JointQuestion, PairQuestion, Study
from tests.flow.recorded import Recorded
from tests.reference import cells, labels, senders
from tests.reports import BOUNDS, CENTRES, EPSILON, PARTITION

N = 503
BUDGET = Budget(EPSILON, 0.4)


def crowd() -> tuple[Any, Any, Any]:
    """People at both ends and in between, of all masks that hide the first or the last feature."""
    rng = np.random.default_rng(2)
    X, y = rng.uniform(size=(N, 3)), rng.uniform(size=N)
    X[::7], y[::5] = np.rint(X[::7]), np.rint(y[::5])
    mask = rng.uniform(size=(N, 3)) < 0.5
    mask[~mask[:, [0, 2]].any(axis=1), 0] = True
    return X, y, mask


def study(label: str, cell: str = "grr") -> Study:
    """The terms of the reports below."""
    return Study(BOUNDS, label_grid(label, 0.0, 1.0, BUDGET.label), BUDGET, label, cell)


def pair_question(kind: str) -> PairQuestion:
    """Ask for one of the first and the last feature."""
    return PairQuestion(BOUNDS, (0, 2), PairCode(EPSILON, 4, 2 if kind == "paired" else 3, kind), 0.5)


def joint_question(epsilon: float = EPSILON) -> JointQuestion:
    """Ask for cell and residual."""
    return JointQuestion(PARTITION, CENTRES, 0.5, 0.2, epsilon)


def window_labels(y: Any, steps: int, epsilon: float, heard: Recorded) -> list[int]:
    """The label, rounded at random, by a window response."""
    width = WindowResponse(epsilon, steps).window
    rounding, words = (call.tolist() for call in heard.calls)
    points = [senders.rounded(label, 0.0, 1.0, steps, u) for label, u in zip(y.tolist(), rounding, strict=True)]
    return [senders.window(v, epsilon, steps, width, row) for v, row in zip(points, words, strict=True)]


def laplace_labels(y: Any, steps: int, epsilon: float, heard: Recorded) -> list[int]:
    """The label, rounded to the nearest point, with Laplace noise."""
    points = [labels.grid_point(label, 0.0, 1.0, steps) for label in y.tolist()]
    return senders.laplace(points, epsilon, steps, iter(heard.flat()).__next__)


def candidate_cells(X: Any, mask: Any) -> list[list[int]]:
    """Each person's candidate cells, in increasing order."""
    person, cell = PARTITION.candidates(X, mask).cells()
    return [cell[person == i].tolist() for i in range(len(X))]


def cell_marks(kind: str, X: Any, mask: Any, heard: Recorded) -> list[tuple[int, int]]:
    """The cell, by generalised or binary response."""
    marks, flat = [], iter(heard.flat())
    for i, (possible, truth) in enumerate(zip(candidate_cells(X, mask), PARTITION.cell(X).tolist(), strict=True)):
        place, k = possible.index(truth), len(possible)
        words = list(itertools.islice(flat, 2 if kind == "grr" else k))
        if kind == "grr":
            marks.append((i, possible[senders.generalised(place, BUDGET.cell, k, words)]))
        else:
            bits = senders.binary(place, BUDGET.cell, k, words)
            marks += [(i, cell) for cell, bit in zip(possible, bits, strict=True) if bit]
    return marks


def pair_marks(question: PairQuestion, X: Any, residual: Any, mask: Any, heard: Recorded) -> tuple[list[int], Any]:
    """Per person the feature chosen, and the marks (person, value) in the order in which they are sent."""
    code, (choice, rounding, words) = question.code, (call.tolist() for call in heard.calls)
    size = code.mechanism.size if isinstance(code.mechanism, SubsetResponse) else 1
    chosen, marks = [], []
    for i, row in enumerate(X.tolist()):
        hidden = [j for j, feature in enumerate(question.features) if mask[i, feature]]
        chosen.append(hidden[senders.uniform(choice[i], len(hidden))])
        own_bin = cells.bin_of(row[question.features[chosen[i]]], code.n_candidates)
        level = senders.rounded(float(residual[i]), -question.reach, question.reach, code.levels - 1, rounding[i])
        value = own_bin * code.levels + level
        sent = senders.pair(code.kind, value, code.epsilon, code.n_candidates, code.levels, size, words[i])
        marks += [(i, value) for value in sent]
    return chosen, marks


def joint_marks(question: JointQuestion, X: Any, y: Any, mask: Any, heard: Recorded) -> list[tuple[int, int, int]]:
    """The marks (person, cell, level): who has fewer candidates first, then by person, cell and level."""
    rounding, *words = (call.tolist() for call in heard.calls)
    possible, own = candidate_cells(X, mask), PARTITION.cell(X).tolist()
    marks = []
    for k, rows in zip(sorted({len(each) for each in possible}), words, strict=True):
        code = question.code(k)
        size = code.mechanism.size if isinstance(code.mechanism, SubsetResponse) else 1
        people = [i for i, each in enumerate(possible) if len(each) == k]
        for i, row in zip(people, rows, strict=True):
            residual = float(y[i] - question.centres[own[i] // PARTITION.n_codes])
            level = senders.rounded(residual, -question.reach, question.reach, code.levels - 1, rounding[i])
            value = possible[i].index(own[i]) * code.levels + level
            sent = senders.pair(code.kind, value, question.epsilon, k, code.levels, size, row)
            marks += [(i, possible[i][v // code.levels], v % code.levels) for v in sent]
    return marks
