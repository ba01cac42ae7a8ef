"""Every report a device makes, for people who differ in what is private only: shared by several tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semildp import client
from semildp.budgets import Budget
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import PairCode, label_grid
from semildp.partition import Partition, Tree
from semildp.wire import JointQuestion, PairQuestion, Study

BOUNDS = FeatureBounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
PARTITION = Partition(BOUNDS, (0,), 3, TREE)
MASK = np.array([[True, False, True]] * 3 + [[True, False, False]] * 2 + [[False, False, False]])  # the last: no report
PUBLIC = np.array([[0.7, 0.2], [0.1, 0.9], [0.6, 0.6], [0.3, 0.8], [0.9, 0.1], [0.5, 0.5]])
CENTRES, EPSILON = np.array([0.2, 0.4, 0.6, 0.8]), 1.5


@dataclass(frozen=True)
class Private:
    """What is private: values of the hidden entries, and the labels."""

    hidden: float
    label: float

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        X = np.column_stack([np.full(6, 0.5), PUBLIC])
        return np.where(MASK, self.hidden, X), np.full(6, self.label)


# At both ends, in the middle, on a bin's edge, off the grid by a little, out of bounds; NaN is missing.
PRIVATES = [
    Private(0.0, 0.0),
    Private(1.0, 1.0),
    Private(1 / 3, 0.5),
    Private(0.5, 0.123456789),
    Private(0.123456789, 1.0),
    Private(7.0, -3.0),
    Private(0.8, float("nan")),
    Private(0.2, float("-inf")),
    Private(float("nan"), 0.7),
]


def _ready(person: Private, source: Any) -> tuple[np.ndarray, np.ndarray]:
    X, y = person.rows()
    rows = client.complete_rows(BOUNDS, X, MASK, source, clip=True)
    return rows, client.check_labels(LabelGrid(0.0, 1.0, 64), y, source, clip=True)


def _study(label: str, cell: str = "grr", hide: bool = False) -> Study:
    budget = Budget(EPSILON, 0.4)
    return Study(BOUNDS, label_grid(label, 0.0, 1.0, budget.label), budget, label, cell, hide)


def _labels(label: str, hide: bool = False) -> Callable[[Private, Any], Any]:
    def report(person: Private, source: Any) -> Any:
        study = _study(label, hide=hide)
        X, y = _ready(person, source)
        return client.report_labels(study, X, y, MASK, source)

    return report


def _plain_labels(person: Private, source: Any) -> Any:
    grid = label_grid("window", 0.0, 1.0, EPSILON)
    return client.randomise_labels(grid, _ready(person, source)[1], EPSILON, source, "window")


def _cells(cell: str, hide: bool = False) -> Callable[[Private, Any], Any]:
    def report(person: Private, source: Any) -> Any:
        X, _ = _ready(person, source)
        return client.report_cells(_study("window", cell, hide), PARTITION, X, MASK, source)

    return report


def _pairs(kind: str) -> Callable[[Private, Any], Any]:
    def report(person: Private, source: Any) -> Any:
        code = PairCode(EPSILON, 4, 2 if kind == "paired" else 3, kind)
        X, y = _ready(person, source)
        question = PairQuestion(BOUNDS, (0, 2), code, 0.5)
        return client.report_pairs(question, X[:5], y[:5] - 0.5, MASK[:5], source)

    return report


def _joint(person: Private, source: Any) -> Any:
    X, y = _ready(person, source)
    return client.report_joint(JointQuestion(PARTITION, CENTRES, 0.5, 0.2, EPSILON), X, y, MASK, source)


def _obfuscated(person: Private, source: Any) -> Any:
    X, y = _ready(person, source)
    return client.randomise_features(BOUNDS, LabelGrid(0.0, 1.0, 64), X, y, MASK, 3, EPSILON, source)


def _histogram(person: Private, source: Any) -> Any:
    X, y = _ready(person, source)
    return client.report_histogram(LabelGrid(0.0, 1.0, 64), PARTITION.cell(X), y, PARTITION.n_cells, EPSILON, source)


# name: (the client function it goes through, the report); Laplace noise draws until it stops, so no constant words.
REPORTS: dict[str, tuple[str, Callable[[Private, Any], Any]]] = {
    "rows made complete": ("complete_rows", lambda person, source: _ready(person, source)[0]),
    "labels made complete": ("check_labels", lambda person, source: _ready(person, source)[1]),
    "label alone, window": ("randomise_labels", _plain_labels),
    "label, laplace": ("report_labels", _labels("laplace")),
    "label, window": ("report_labels", _labels("window")),
    "label, window, hidden masks": ("report_labels", _labels("window", hide=True)),
    "cell, grr": ("report_cells", _cells("grr")),
    "cell, rr": ("report_cells", _cells("rr")),
    "cell, grr, hidden masks": ("report_cells", _cells("grr", hide=True)),
    "pair, generalised": ("report_pairs", _pairs("generalised")),
    "pair, subset": ("report_pairs", _pairs("subset")),
    "pair, paired": ("report_pairs", _pairs("paired")),
    "joint": ("report_joint", _joint),
    "features, laplace": ("randomise_features", _obfuscated),
    "histogram, laplace": ("report_histogram", _histogram),
}
EXEMPT = {"Ledger", "QuestionId", "Sent", "acting_mask"}  # no randomness of their own
