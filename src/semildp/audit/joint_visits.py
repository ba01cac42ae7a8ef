"""Visits in which private features and label are sent together, and the label report that some make instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.audit.columns import columns
from semildp.audit.person import BOUNDS, TREE, Person, label_part, people
from semildp.audit.study import AuditStudy
from semildp.audit.visit import Outputs, Part, Visit
from semildp.budgets import Budget
from semildp.client import check_labels, complete_rows, randomise_labels, report_joint, report_pairs
from semildp.domains import LabelGrid
from semildp.mechanisms import PairCode, label_grid
from semildp.partition import Partition
from semildp.sources import Source
from semildp.wire import JointQuestion, PairQuestion

Ints = NDArray[np.int64]


def label_visit(study: AuditStudy) -> Visit[Person]:
    """Split participation, first round: a label report with all of epsilon."""
    grid = label_grid("window", *study.label_bounds, study.epsilon)

    def send(person: Person, n: int, source: Source) -> Outputs:
        y = check_labels(grid, person.rows(n)[2], source, clip=True)
        return columns(randomise_labels(grid, y, study.epsilon, source, "window"))

    part = label_part("window", grid, study.epsilon)
    return Visit("split, first round: label", study.epsilon, people(study), send, (part,))


def pair_visit(study: AuditStudy, how: str, kind: str) -> Visit[Person]:
    """SemiPrivate, second round: a private bin and the residual together; after a label report if `how` is "both"."""
    label_epsilon, pair_epsilon = _budgets(study, how)
    low, high = study.label_bounds
    reach, predicted = (high - low) / 2, (low + high) / 2  # of residuals; of a public feature alone
    code = PairCode(pair_epsilon, study.bins, 2 if kind == "paired" else study.levels, kind)
    question = PairQuestion(BOUNDS, (0, 2), code, reach)
    grid = label_grid("window", low, high, label_epsilon)

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = person.rows(n)
        rows = complete_rows(BOUNDS, X, mask, source, clip=True)
        labels, sent = check_labels(grid, y, source, clip=True), []
        if how == "both":
            sent.append(randomise_labels(grid, labels, label_epsilon, source, "window"))
        pairs = report_pairs(question, rows, labels - predicted, mask, source)
        return columns(*sent, as_outputs(code, pairs.person, pairs.value, n), pairs.feature)

    def value(person: Person) -> int | None:
        if not np.isfinite(person.features).all():
            return None
        own_bin = int(min(person.features[0] * study.bins, study.bins - 1))
        return own_bin * code.levels + _level(question.residuals, np.clip(person.label, low, high) - predicted)

    part = Part(code.mechanism, value, lambda sent: _between(sent, how == "both", 1))
    first = (label_part("window", grid, label_epsilon),) if how == "both" else ()
    return Visit(f"SemiPrivate, {how}: bin and residual, {kind}", study.epsilon, people(study), send, (*first, part))


def joint_visit(study: AuditStudy, how: str, *, hidden: bool) -> Visit[Person]:
    """HistOfTree, second round: cell and residual together; after a label report if `how` is "both"."""
    label_epsilon, cell_epsilon = _budgets(study, how)
    low, high = study.label_bounds
    partition = Partition(BOUNDS, (0,), study.bins, TREE)
    centres = np.full(partition.tree.n_leaves, (low + high) / 2)
    question = JointQuestion(partition, centres, (high - low) / 2, 0.5, cell_epsilon)
    grid = label_grid("window", low, high, label_epsilon)
    inputs = people(study, hidden=hidden)
    X, mask, _ = inputs[0].rows(1)
    candidates = partition.candidates(X, mask | hidden).cells()[1]
    code = question.code(len(candidates))
    place = np.full(partition.n_cells, -1)
    place[candidates] = np.arange(len(candidates))

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = person.rows(n)
        acted = mask | hidden
        rows = complete_rows(BOUNDS, X, acted, source, clip=True)
        labels, sent = check_labels(grid, y, source, clip=True), []
        if how == "both":
            sent.append(randomise_labels(grid, labels, label_epsilon, source, "window"))
        joint = report_joint(question, rows, labels, acted, source)
        values = place[joint.cell] * code.levels + joint.level
        return columns(*sent, as_outputs(code, joint.person, values, n), np.where(acted, np.nan, rows), acted)

    def value(person: Person) -> int | None:
        if not np.isfinite(person.features).all():
            return None
        residuals = LabelGrid(-question.reach, question.reach, code.levels - 1)
        level = _level(residuals, np.clip(person.label, low, high) - centres[0])
        return int(place[partition.cell(person.rows(1)[0])[0]]) * code.levels + level

    part = Part(code.mechanism, value, lambda sent: _between(sent, how == "both", 6))
    first = (label_part("window", grid, label_epsilon),) if how == "both" else ()
    name = f"HistOfTree, {how}: cell and residual{', hidden masks' if hidden else ''}"
    return Visit(name, study.epsilon, inputs, send, (*first, part))


def as_outputs(code: PairCode, person: Ints, value: Ints, n: int) -> Ints:
    """Return the marks of n people in the form in which the mechanism states its outputs."""
    if code.kind == "generalised":
        return value
    if code.kind == "subset":
        rows = np.zeros((n, code.n_candidates * code.levels), dtype=np.int64)
        rows[person, value] = 1
    else:
        rows = np.zeros((n, code.n_candidates), dtype=np.int64)
        rows[person, value // 2] = 1 + value % 2
    return rows


def _budgets(study: AuditStudy, how: str) -> tuple[float, float]:
    budget = Budget(study.epsilon, study.label_share)
    return (study.epsilon, study.epsilon) if how == "split" else (budget.label, budget.cell)


def _level(residuals: LabelGrid, residual: float) -> int:
    return int(residuals.encode(np.array([residual]))[0])


def _between(sent: Outputs, first: int, last: int) -> Outputs:
    """Return the columns after the first few and before the last few; one column as such."""
    middle = sent[:, first : sent.shape[1] - last]
    return middle[:, 0] if middle.shape[1] == 1 else middle
