"""The visits that semildp's clients make, by the clients' own code. A new one is a function here and a line in VISITS.

Two features are private: the first is cut in bins, the third is in the tree; the second is public. The partition and
the question are fixed, as they are for a person who is asked: they may depend on others, never on this answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp.audit.columns import columns
from semildp.audit.study import AuditStudy
from semildp.audit.visit import Outputs, Part, Visit
from semildp.budgets import Budget, equal_part
from semildp.client import (
    acting_mask,
    check_labels,
    complete_rows,
    randomise_features,
    randomise_labels,
    report_cells,
    report_histogram,
    report_labels,
    report_pairs,
)
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, DiscreteLaplace, GeneralisedResponse, label_grid
from semildp.partition import Partition, Tree
from semildp.sources import Source
from semildp.wire import PairQuestion, Study

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

BOUNDS = FeatureBounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
PUBLIC = 0.7
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))


@dataclass(frozen=True)
class Person:
    """One person's raw data: all features, which of them are private, and the label."""

    features: tuple[float, ...]
    mask: tuple[bool, ...]
    label: float

    def rows(self, n: int) -> tuple[Floats, Bools, Floats]:
        """Return features, mask and label of n such people."""
        return np.tile(self.features, (n, 1)), np.tile(self.mask, (n, 1)), np.full(n, self.label)


def people(study: AuditStudy, *, hidden: bool = False) -> tuple[Person, ...]:
    """Return people who differ in what is private only: at both ends, a feature missing, a label out of bounds."""
    low, high = study.label_bounds
    beyond = high + (high - low)
    if hidden:
        rows = [((0.1, 0.1, 0.1), (True, False, False)), ((0.9, 0.9, 0.9), (False, True, True))]
    else:
        rows = [((x, PUBLIC, x), (True, False, True)) for x in (0.1, 0.9)]
    extremes = [Person(x, mask, y) for (x, mask), y in itertools.product(rows, (low, high))]
    x, mask = rows[0]
    return (*extremes, Person((np.nan, *x[1:]), mask, beyond))


def both_rounds(study: AuditStudy, label: str, cell: str, *, hidden: bool) -> Visit[Person]:
    """HistOfTree: a label report, then a cell report about the published partition."""
    budget = Budget(study.epsilon, study.label_share)
    grid = label_grid(label, *study.label_bounds, budget.label)
    terms = Study(BOUNDS, grid, budget, label, cell, hidden)
    partition = Partition(BOUNDS, (0,), study.bins, TREE)
    inputs = people(study, hidden=hidden)
    X, mask, _ = inputs[0].rows(1)
    candidates = partition.candidates(X, acting_mask(terms, mask)).cells()[1]

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = person.rows(n)
        rows = complete_rows(BOUNDS, X, acting_mask(terms, mask), source, clip=True)
        first = report_labels(terms, rows, check_labels(grid, y, clip=True), mask, source)
        second = report_cells(terms, partition, rows, mask, source)
        if cell == "grr":
            return columns(first.labels, second.cell, first.public, first.mask)
        marks = np.zeros((n, partition.n_cells), dtype=np.int64)
        marks[second.person, second.cell] = 1
        return columns(first.labels, marks, first.public, first.mask)

    place = np.full(partition.n_cells, -1)
    place[candidates] = np.arange(len(candidates))

    def position(person: Person) -> int | None:
        known = np.isfinite(person.features).all()
        return int(place[partition.cell(person.rows(1)[0])[0]]) if known else None

    def response(sent: Outputs) -> Outputs:
        return place[sent[:, 1]] if cell == "grr" else sent[:, 1 + candidates]

    parts = (
        _label_part(label, grid, budget.label),
        Part(CELL_MECHANISMS[cell](budget.cell, len(candidates)), position, response),
    )
    name = f"HistOfTree, both rounds: {label} + {cell}{', hidden masks' if hidden else ''}"
    return Visit(name, study.epsilon, inputs, send, parts)


def one_visit(study: AuditStudy, *, asks: tuple[str, ...]) -> Visit[Person]:
    """SemiPrivate: a label report, or a joint report of private bin and residual, or both with epsilon split."""
    budget = Budget(study.epsilon, study.label_share)
    label_epsilon, pair_epsilon = (study.epsilon,) * 2 if len(asks) == 1 else (budget.label, budget.cell)
    low, high = study.label_bounds
    reach, predicted = (high - low) / 2, (low + high) / 2  # of residuals; of a public feature alone
    grid = label_grid("window", low, high, label_epsilon)
    question = PairQuestion(BOUNDS, (0, 2), study.bins, LabelGrid(-reach, reach, study.levels - 1), pair_epsilon)

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = person.rows(n)
        rows = complete_rows(BOUNDS, X, mask, source, clip=True)
        labels, sent = check_labels(grid, y, clip=True), []
        if "label" in asks:
            sent.append(randomise_labels(grid, labels, label_epsilon, source, "window"))
        if "pair" in asks:
            pairs = report_pairs(question, rows, labels - predicted, mask, source)
            sent += [pairs.symbol, pairs.feature]
        return columns(*sent)

    def symbol(person: Person) -> int | None:
        if not np.isfinite(person.features).all():
            return None
        level = question.residuals.encode(np.array([np.clip(person.label, low, high) - predicted]))[0]
        return int(min(person.features[0] * study.bins, study.bins - 1)) * study.levels + int(level)

    response = GeneralisedResponse(pair_epsilon, study.bins * study.levels)
    parts = {
        "label": _label_part("window", grid, label_epsilon),
        "pair": Part(response, symbol, lambda sent: sent[:, len(asks) - 1]),
    }
    how = {"label": "split: label", "pair": "split: bin and residual"}[asks[0]] if len(asks) == 1 else "both"
    return Visit(f"SemiPrivate, {how}", study.epsilon, people(study), send, tuple(parts[ask] for ask in asks))


def obfuscated(study: AuditStudy) -> Visit[Person]:
    """KRR: the bin of every private feature and the label, each with an equal part of epsilon."""
    grid, part = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon), equal_part(study.epsilon, 3)

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = person.rows(n)
        rows = complete_rows(BOUNDS, X, mask, source, clip=True)
        labels = check_labels(grid, y, clip=True)
        features, noisy = randomise_features(BOUNDS, grid, rows, labels, mask, study.bins, study.epsilon, source)
        return columns(noisy, np.floor(features * study.bins).astype(np.int64))

    def bin_part(feature: int) -> Part[Person]:
        def own_bin(person: Person) -> int | None:
            x = person.features[feature]
            return int(min(x * study.bins, study.bins - 1)) if np.isfinite(x) else None

        return Part(GeneralisedResponse(part, study.bins), own_bin, lambda sent: sent[:, 1 + feature])

    parts = (_label_part("laplace", grid, part), bin_part(0), bin_part(2))
    return Visit("KRR, obfuscated features", study.epsilon, people(study), send, parts)


def histogram(study: AuditStudy) -> Visit[Person]:
    """Hist: a noisy indicator and a noisy label for every cell."""
    grid = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon)
    cells, middle = study.bins, grid.steps // 2

    def cell_of(person: Person) -> int:
        return int(min(np.nan_to_num(person.features[0]) * cells, cells - 1))

    def send(person: Person, n: int, source: Source) -> Outputs:
        y = check_labels(grid, person.rows(n)[2], clip=True)
        return columns(*report_histogram(grid, np.full(n, cell_of(person)), y, cells, study.epsilon, source))

    def mass_part(cell: int) -> Part[Person]:
        mechanism = DiscreteLaplace(study.epsilon / 4, grid.steps)
        return Part(mechanism, lambda p: grid.steps * (cell_of(p) == cell), lambda sent: sent[:, cell])

    def label_part(cell: int) -> Part[Person]:
        def point(person: Person) -> int | None:
            return int(grid.encode(np.array([person.label]))[0]) if cell_of(person) == cell else middle

        mechanism = DiscreteLaplace(study.epsilon / 2, grid.steps)
        return Part(mechanism, point, lambda sent: sent[:, cells + cell] + middle)

    parts = [make(cell) for cell in range(cells) for make in (mass_part, label_part)]
    return Visit("Hist, noisy histogram", study.epsilon, people(study), send, tuple(parts))


def _label_part(name: str, grid: LabelGrid, epsilon: float) -> Part[Person]:
    """Return the share of a label report, sent in the first column."""

    def point(person: Person) -> int | None:
        return int(grid.encode(np.array([person.label]))[0])

    return Part(LABEL_MECHANISMS[name](epsilon, grid.steps), point, lambda sent: sent[:, 0])


def _hist_of_tree(study: AuditStudy) -> Iterator[Visit[Person]]:
    if "both" in study.participation:
        for mask, label, cell in itertools.product(study.masks, study.label_mechanisms, study.cell_mechanisms):
            yield both_rounds(study, label, cell, hidden=mask == "hidden")


def _semi_private(study: AuditStudy) -> Iterator[Visit[Person]]:
    if "split" in study.participation:
        yield one_visit(study, asks=("label",))
        yield one_visit(study, asks=("pair",))
    if "both" in study.participation:
        yield one_visit(study, asks=("label", "pair"))


def _baselines(study: AuditStudy) -> Iterator[Visit[Person]]:
    if study.baselines:
        yield obfuscated(study)
        yield histogram(study)


VISITS: tuple[Callable[[AuditStudy], Iterator[Visit[Person]]], ...] = (_hist_of_tree, _semi_private, _baselines)
