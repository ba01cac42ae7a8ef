"""Visits in which private features and label are sent together, and the label report that some make instead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from semildp.audit.chosen import Chosen
from semildp.audit.columns import columns
from semildp.audit.listed import listed_outputs
from semildp.audit.order import listing
from semildp.audit.person import BOTH, BOUNDS, NONE, TREE, Person, everyone, label_part, on_grid, people, sender
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
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Values = Callable[[Person], list[int] | None]

ORDER = 3  # columns that say how marks were listed


def label_visit(study: AuditStudy) -> Visit[Person]:
    """Split participation, first round: a label report with all of epsilon."""
    grid = label_grid("window", *study.label_bounds, study.epsilon)

    def report(X: Floats, mask: Bools, y: Floats, n: int, source: Source) -> Outputs:
        labels = check_labels(grid, y, source, clip=True)
        return columns(randomise_labels(grid, labels, study.epsilon, source, "window")[:n])

    parts = (label_part("window", grid, study.epsilon),)
    sends = sender(study, report)
    name, all_points = "split, first round: label", everyone(study, grid)
    return Visit(name, study.epsilon, people(study), parts=parts, everyone=all_points, **sends)


def pair_visit(study: AuditStudy, how: str, kind: str, private: tuple[bool, ...] = BOTH) -> Visit[Person]:
    """SemiPrivate, second round: a private bin and the residual together; after a label report if `how` is "both"."""
    label_epsilon, pair_epsilon = _budgets(study, how)
    low, high = study.label_bounds
    reach, predicted = (high - low) / 2, (low + high) / 2  # of residuals; of a public feature alone
    code = PairCode(pair_epsilon, study.bins, 2 if kind == "paired" else study.levels, kind)
    question = PairQuestion(BOUNDS, (0, 2), code, reach)
    grid, first = label_grid("window", low, high, label_epsilon), int(how == "both")
    asked = [feature for feature in question.features if private[feature]]

    def report(X: Floats, mask: Bools, y: Floats, n: int, source: Source) -> Outputs:
        rows = complete_rows(BOUNDS, X, mask, source, clip=True)
        labels, sent = check_labels(grid, y, source, clip=True), []
        if first:
            sent.append(randomise_labels(grid, labels, label_epsilon, source, "window")[:n])
        pairs = report_pairs(question, rows, labels - predicted, mask, source)
        return columns(*sent, *marks(code, pairs.person, pairs.value, n), pairs.feature[:n])

    def value(person: Person) -> list[int] | None:
        level = on_grid(question.residuals, np.clip(person.label, low, high) - predicted)
        if level is None or not np.isfinite(person.features).all():
            return None
        bins = [int(min(person.features[feature] * study.bins, study.bins - 1)) for feature in asked]
        return [own_bin * code.levels + level for own_bin in bins]

    part = _chosen_part(code, value, len(asked), first)
    parts = (label_part("window", grid, label_epsilon), part) if first else (part,)
    levels = LabelGrid(low, high, code.levels - 1)
    name = f"SemiPrivate, {how}: bin and residual, {kind}{'' if private == BOTH else ', one hidden feature'}"
    return Visit(
        name,
        study.epsilon,
        people(study, private=private),
        parts=parts,
        everyone=everyone(study, levels, private),
        listed=lambda sent: (_between(code, sent, first, ORDER + 1), sent[:, -ORDER - 1 : -1]),
        **sender(study, report),
    )


def _chosen_part(code: PairCode, value: Values, choices: int, first: int) -> Part[Person]:
    """Return the share of choice and marks; where outputs are too many to list, of people with equal values only."""

    def rows(sent: Outputs) -> Outputs:
        return _between(code, sent, first, ORDER + 1)

    if listed_outputs(code.mechanism) is not None:
        law = Chosen(code.mechanism, choices)

        def one_number(person: Person) -> int | None:
            values = value(person)
            return None if values is None else law.value(values)

        return Part(law, one_number, lambda sent: law.outputs(sent[:, -1], rows(sent)))  # type: ignore[arg-type]

    def common(person: Person) -> int | None:
        values = value(person)
        return values[0] if values is not None and len(set(values)) == 1 else None

    return Part(code.mechanism, common, rows)


def joint_visit(study: AuditStudy, how: str, *, hidden: bool, private: tuple[bool, ...] = BOTH) -> Visit[Person]:
    """HistOfTree, second round: cell and residual together; after a label report if `how` is "both"."""
    label_epsilon, cell_epsilon = _budgets(study, how)
    low, high = study.label_bounds
    partition = Partition(BOUNDS, (0,), study.bins, TREE)
    centres = np.full(partition.tree.n_leaves, (low + high) / 2)
    question = JointQuestion(partition, centres, (high - low) / 2, 0.5, cell_epsilon)
    grid, first = label_grid("window", low, high, label_epsilon), int(how == "both")
    inputs = people(study, hidden=hidden, private=private)
    X, mask, _ = inputs[0].rows(1)
    candidates = partition.candidates(X, mask | hidden).cells()[1]
    code = question.code(len(candidates))
    place = np.full(partition.n_cells, -1)
    place[candidates] = np.arange(len(candidates))

    def report(X: Floats, mask: Bools, y: Floats, n: int, source: Source) -> Outputs:
        acted = mask | hidden
        rows = complete_rows(BOUNDS, X, acted, source, clip=True)
        labels, sent = check_labels(grid, y, source, clip=True), []
        if first:
            sent.append(randomise_labels(grid, labels, label_epsilon, source, "window")[:n])
        joint = report_joint(question, rows, labels, acted, source)
        values = place[joint.cell] * code.levels + joint.level
        shown = np.where(acted, np.nan, rows)
        return columns(*sent, *marks(code, joint.person, values, n), shown[:n], acted[:n])

    def value(person: Person) -> int | None:
        residuals = LabelGrid(-question.reach, question.reach, code.levels - 1)
        level = on_grid(residuals, np.clip(person.label, low, high) - centres[0])
        if level is None or not np.isfinite(person.features).all():
            return None
        return int(place[partition.cell(person.rows(1)[0])[0]]) * code.levels + level

    part = Part(code.mechanism, value, lambda sent: _between(code, sent, first, ORDER + 6))
    parts = (label_part("window", grid, label_epsilon), part) if first else (part,)
    kind = ", one candidate" if private == NONE else ", hidden masks" if hidden else ""
    levels = LabelGrid(low, high, code.levels - 1)
    return Visit(
        f"HistOfTree, {how}: cell and residual{kind}",
        study.epsilon,
        inputs,
        parts=parts,
        everyone=everyone(study, levels, private),
        listed=lambda sent: (_between(code, sent, first, ORDER + 6), sent[:, -ORDER - 6 : -6]),
        **sender(study, report),
    )


def marks(code: PairCode, person: Ints, value: Ints, n: int) -> tuple[Ints, Ints]:
    """Return the marks of the first n people as the mechanism states its outputs, and how they were listed."""
    mine = person < n
    person, value = person[mine], value[mine]
    order = listing(person, value, n)
    if code.kind == "generalised":
        return value[np.argsort(person, kind="stable")], order
    width = code.n_candidates * (code.levels if code.kind == "subset" else 1)
    rows = np.zeros((n, width), dtype=np.int64)
    if code.kind == "subset":
        rows[person, value] = 1
    else:
        rows[person, value // 2] = 1 + value % 2
    return rows, order


def _budgets(study: AuditStudy, how: str) -> tuple[float, float]:
    budget = Budget(study.epsilon, study.label_share)
    return (study.epsilon, study.epsilon) if how == "split" else (budget.label, budget.cell)


def _between(code: PairCode, sent: Outputs, first: int, last: int) -> Outputs:
    """Return the mechanism's outputs: the columns after the first few and before the last few."""
    middle = sent[:, first : sent.shape[1] - last]
    return middle[:, 0] if code.kind == "generalised" else middle
