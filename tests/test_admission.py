"""The curator accepts every honest report, and refuses what no honest device could have sent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp import InputError
from semildp.budgets import Budget
from semildp.client import report_cells, report_joint, report_labels, report_pairs
from semildp.curator import admit_cells, admit_joint, admit_labels, admit_pairs
from semildp.mechanisms import PairCode, label_grid
from semildp.sources import SystemSource
from semildp.wire import CellReports, JointQuestion, JointReports, PairQuestion, PairReports, Study
from tests.reports import BOUNDS, CENTRES, PARTITION

N = 400
RNG = np.random.default_rng(5)
X, Y = RNG.uniform(size=(N, 3)), RNG.uniform(size=N)
MASK = RNG.uniform(size=(N, 3)) < 0.5
HIDING = MASK | (np.arange(3) == 0)  # at least one feature of those asked about


def study(label="window", cell="grr", epsilon=1.0):
    budget = Budget(epsilon)
    return Study(BOUNDS, label_grid(label, 0.0, 1.0, budget.label), budget, label, cell)


def labels_of(terms):
    return report_labels(terms, X, Y, MASK, SystemSource())


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("label", ["laplace", "window"])
@pytest.mark.parametrize("cell", ["grr", "rr"])
def test_honest_reports_of_both_rounds_are_accepted(label, cell, epsilon):
    terms = study(label, cell, epsilon)
    labels = admit_labels(terms, labels_of(terms))
    admit_cells(terms, PARTITION, labels, report_cells(terms, PARTITION, X, MASK, SystemSource()))


@pytest.mark.parametrize("kind", ["generalised", "subset", "paired"])
@pytest.mark.parametrize("bins", [1, 2, 5])
def test_honest_pairs_are_accepted(kind, bins):
    question = pairs(kind, bins)
    admit_pairs(question, HIDING, report_pairs(question, X, Y - 0.5, HIDING, SystemSource()))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 8.0])
def test_honest_joint_reports_are_accepted(epsilon):
    question = JointQuestion(PARTITION, CENTRES, 0.5, 0.2, epsilon)
    admit_joint(question, np.where(MASK, np.nan, X), MASK, report_joint(question, X, Y, MASK, SystemSource()))


def pairs(kind="generalised", bins=4):
    return PairQuestion(BOUNDS, (0, 2), PairCode(1.0, bins, 2, kind), 0.5)


def put(array, value, place=0):
    changed = array.copy()
    changed[place] = value
    return changed


LABELS = {
    "below": lambda r: replace(r, labels=put(r.labels, -1)),
    "above": lambda r: replace(r, labels=put(r.labels, 10**6)),
    "floats": lambda r: replace(r, labels=r.labels.astype(float)),
    "a column": lambda r: replace(r, labels=r.labels[:, None]),
    "one mask short": lambda r: replace(r, mask=r.mask[1:]),
    "a mask of numbers": lambda r: replace(r, mask=r.mask.astype(int)),
    "a private feature shown": lambda r: replace(r, public=put(r.public, 0.5, np.argmax(MASK.any(axis=1)))),
    "a public feature missing": lambda r: replace(r, public=np.full_like(r.public, np.nan)),
    "out of bounds": lambda r: replace(r, public=np.where(MASK, np.nan, 7.0)),
    "infinite": lambda r: replace(r, public=np.where(MASK, np.nan, np.inf)),
    "whole numbers": lambda r: replace(r, public=np.zeros((N, 3), dtype=np.int64)),
}


@pytest.mark.parametrize("lie", LABELS)
def test_label_reports_nobody_could_have_sent(lie):
    with pytest.raises(InputError, match=r"^`(labels|mask|public)` must be "):
        admit_labels(study(), LABELS[lie](labels_of(study())))


def test_a_laplace_report_beyond_all_noise_is_refused():
    """Once in 2**60 an honest one is; the largest 64-bit number cannot be added up without harm."""
    terms = study("laplace")
    reports = labels_of(terms)
    for label in (2**63 - 1, -(2**63), 10**6):
        with pytest.raises(InputError, match=r"^`labels` must be from -"):
            admit_labels(terms, replace(reports, labels=put(reports.labels, label)))


CELLS = {
    "a cell too many": lambda r: CellReports(put(r.person, 1), r.cell),
    "beyond the partition": lambda r: CellReports(r.person, put(r.cell, PARTITION.n_cells)),
    "negative": lambda r: CellReports(r.person, put(r.cell, -1)),
    "nobody's": lambda r: CellReports(put(r.person, N), r.cell),
    "lengths differ": lambda r: CellReports(r.person[1:], r.cell),
    "floats": lambda r: CellReports(r.person, r.cell * 1.0),
    "elsewhere": lambda r: CellReports(r.person, r.cell[::-1].copy()),
    "nobody reports": lambda r: CellReports(r.person[:0], r.cell[:0]),
}


@pytest.mark.parametrize("lie", CELLS)
def test_cell_reports_nobody_could_have_sent(lie):
    reports = report_cells(study(), PARTITION, X, MASK, SystemSource())
    with pytest.raises(InputError, match=r"^`(person|cell)` must be "):
        admit_cells(study(), PARTITION, labels_of(study()), CELLS[lie](reports))


def test_a_bit_sent_twice_and_a_public_cell_denied():
    terms, labels = study(cell="rr"), labels_of(study())
    reports = report_cells(terms, PARTITION, X, MASK, SystemSource())
    twice = CellReports(np.repeat(reports.person, 2), np.repeat(reports.cell, 2))
    with pytest.raises(InputError, match=r"twice|only candidate"):
        admit_cells(terms, PARTITION, labels, twice)
    with pytest.raises(InputError, match="only candidate"):
        admit_cells(terms, PARTITION, labels, CellReports(reports.person[:0], reports.cell[:0]))


PAIRS = {
    "a public feature": lambda r: PairReports(put(r.feature, 1, np.argmax(~HIDING[:, 2])), r.person, r.value),
    "no such feature": lambda r: PairReports(put(r.feature, 2), r.person, r.value),
    "one person short": lambda r: PairReports(r.feature[1:], r.person, r.value),
    "no such value": lambda r: PairReports(r.feature, r.person, put(r.value, 8)),
    "negative": lambda r: PairReports(r.feature, r.person, put(r.value, -1)),
    "nobody's": lambda r: PairReports(r.feature, put(r.person, N), r.value),
    "everything twice": lambda r: PairReports(r.feature, np.repeat(r.person, 2), np.repeat(r.value, 2)),
    "lengths differ": lambda r: PairReports(r.feature, r.person, r.value[1:]),
}


@pytest.mark.parametrize("kind", ["generalised", "subset", "paired"])
@pytest.mark.parametrize("lie", PAIRS)
def test_pair_reports_nobody_could_have_sent(lie, kind):
    reports = report_pairs(pairs(kind), X, Y - 0.5, HIDING, SystemSource())
    with pytest.raises(InputError, match=r"^(`\w+` must be|A report must not)"):
        admit_pairs(pairs(kind), HIDING, PAIRS[lie](reports))


def test_both_signs_of_one_candidate_are_refused():
    question = pairs("paired")
    reports = PairReports(np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64), np.array([0, 1]))
    with pytest.raises(InputError, match="twice"):
        admit_pairs(question, HIDING[:1], reports)


JOINT = {
    "elsewhere": lambda r: JointReports(r.person, r.cell[::-1].copy(), r.level),
    "no such cell": lambda r: JointReports(r.person, put(r.cell, PARTITION.n_cells), r.level),
    "no such level": lambda r: JointReports(r.person, r.cell, put(r.level, 99)),
    "a negative level": lambda r: JointReports(r.person, r.cell, put(r.level, -1)),
    "everything twice": lambda r: JointReports(*(np.repeat(part, 2) for part in (r.person, r.cell, r.level))),
    "levels short": lambda r: JointReports(r.person, r.cell, r.level[1:]),
}


@pytest.mark.parametrize("lie", JOINT)
def test_joint_reports_nobody_could_have_sent(lie):
    question = JointQuestion(PARTITION, CENTRES, 0.5, 0.2, 1.0)
    reports = report_joint(question, X, Y, MASK, SystemSource())
    with pytest.raises(InputError, match=r"must"):
        admit_joint(question, np.where(MASK, np.nan, X), MASK, JOINT[lie](reports))
