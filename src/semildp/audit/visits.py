"""The visits that semildp's clients make, by the clients' own code. A new one is a function here and a line in VISITS.

The partition is fixed, as it is for a person who is asked: it may depend on others, never on this answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from semildp.audit.columns import columns
from semildp.audit.joint_visits import joint_visit, label_visit, pair_visit
from semildp.audit.person import BOUNDS, TREE, Person, label_part, people
from semildp.audit.study import AuditStudy
from semildp.audit.visit import Outputs, Part, Visit
from semildp.budgets import Budget, equal_part
from semildp.client import (
    acting_mask,
    check_labels,
    complete_rows,
    randomise_features,
    report_cells,
    report_histogram,
    report_labels,
)
from semildp.domains import LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, DiscreteLaplace, GeneralisedResponse, label_grid
from semildp.partition import Partition
from semildp.sources import Source
from semildp.wire import Study


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
        first = report_labels(terms, rows, check_labels(grid, y, source, clip=True), mask, source)
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
        label_part(label, grid, budget.label),
        Part(CELL_MECHANISMS[cell](budget.cell, len(candidates)), position, response),
    )
    name = f"HistOfTree, both rounds: {label} + {cell}{', hidden masks' if hidden else ''}"
    return Visit(name, study.epsilon, inputs, send, parts)


def obfuscated(study: AuditStudy) -> Visit[Person]:
    """KRR: the bin of every private feature and the label, each with an equal part of epsilon."""
    grid, part = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon), equal_part(study.epsilon, 3)

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = person.rows(n)
        rows = complete_rows(BOUNDS, X, mask, source, clip=True)
        labels = check_labels(grid, y, source, clip=True)
        features, noisy = randomise_features(BOUNDS, grid, rows, labels, mask, study.bins, study.epsilon, source)
        return columns(noisy, np.floor(features * study.bins).astype(np.int64))

    def bin_part(feature: int) -> Part[Person]:
        def own_bin(person: Person) -> int | None:
            x = person.features[feature]
            return int(min(x * study.bins, study.bins - 1)) if np.isfinite(x) else None

        return Part(GeneralisedResponse(part, study.bins), own_bin, lambda sent: sent[:, 1 + feature])

    parts = (label_part("laplace", grid, part), bin_part(0), bin_part(2))
    return Visit("KRR, obfuscated features", study.epsilon, people(study), send, parts)


def histogram(study: AuditStudy) -> Visit[Person]:
    """Hist: a noisy indicator and a noisy label for every cell."""
    grid = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon)
    cells, middle = study.bins, grid.steps // 2

    def cell_of(person: Person) -> int:
        return int(min(np.nan_to_num(person.features[0]) * cells, cells - 1))

    def send(person: Person, n: int, source: Source) -> Outputs:
        y = check_labels(grid, person.rows(n)[2], source, clip=True)
        return columns(*report_histogram(grid, np.full(n, cell_of(person)), y, cells, study.epsilon, source))

    def mass_part(cell: int) -> Part[Person]:
        mechanism = DiscreteLaplace(study.epsilon / 4, grid.steps)
        return Part(mechanism, lambda p: grid.steps * (cell_of(p) == cell), lambda sent: sent[:, cell])

    def sum_part(cell: int) -> Part[Person]:
        def point(person: Person) -> int | None:
            return int(grid.encode(np.array([person.label]))[0]) if cell_of(person) == cell else middle

        mechanism = DiscreteLaplace(study.epsilon / 2, grid.steps)
        return Part(mechanism, point, lambda sent: sent[:, cells + cell] + middle)

    parts = [make(cell) for cell in range(cells) for make in (mass_part, sum_part)]
    return Visit("Hist, noisy histogram", study.epsilon, people(study), send, tuple(parts))


def _hist_of_tree(study: AuditStudy) -> Iterator[Visit[Person]]:
    for mask in study.masks:
        if "both" in study.participation:
            for label, cell in itertools.product(study.label_mechanisms, study.cell_mechanisms):
                yield both_rounds(study, label, cell, hidden=mask == "hidden")
        for how in study.participation:
            yield joint_visit(study, how, hidden=mask == "hidden")


def _semi_private(study: AuditStudy) -> Iterator[Visit[Person]]:
    if "split" in study.participation:
        yield label_visit(study)
        for kind in ("generalised", "subset", "paired"):
            yield pair_visit(study, "split", kind)
    if "both" in study.participation:
        yield pair_visit(study, "both", "generalised")


def _baselines(study: AuditStudy) -> Iterator[Visit[Person]]:
    if study.baselines:
        yield obfuscated(study)
        yield histogram(study)


VISITS: tuple[Callable[[AuditStudy], Iterator[Visit[Person]]], ...] = (_hist_of_tree, _semi_private, _baselines)
