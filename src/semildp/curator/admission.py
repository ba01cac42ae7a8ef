"""What a curator accepts: reports that an honest device could have sent. Everything else is refused, in one sentence.

A stranger's report goes through here before it is added up; then it moves a sum by the mechanism's `influence` at most.
The estimators, which make all reports themselves, do not ask.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._checks import as_array
from semildp.errors import InputError, refusal
from semildp.mechanisms import LABEL_MECHANISMS, DiscreteLaplace, PairCode, SubsetResponse
from semildp.partition import Candidates, Partition
from semildp.wire import CellReports, JointQuestion, JointReports, LabelReports, PairQuestion, PairReports, Study

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def admit_labels(study: Study, reports: LabelReports, epsilon: float | None = None) -> LabelReports:
    """Return label reports that could be honest, or refuse them; `epsilon` is the label's, if not the study's share.

    A Laplace report may be any whole number; one that lies so far out that noise gets there once in 2**60 is refused.
    """
    labels = _whole("labels", reports.labels)
    mechanism = LABEL_MECHANISMS[study.label_mechanism](
        study.budget.label if epsilon is None else epsilon, study.label_grid.steps
    )
    far = mechanism.reach if isinstance(mechanism, DiscreteLaplace) else 0
    last = mechanism.steps if isinstance(mechanism, DiscreteLaplace) else mechanism.n_outputs - 1
    _within("labels", labels, -far, last + far)
    shape = (len(labels), study.feature_bounds.n_features)
    mask = as_array("mask", reports.mask, "b", 2, f"true or false, of shape {shape}")
    public = as_array("public", reports.public, "f", 2, f"floats of shape {shape}")
    if mask.shape != shape or public.shape != shape:
        raise refusal("mask", f"of shape {shape}, as the public features", f"{mask.shape} and {public.shape}")
    low, high = np.asarray(study.feature_bounds.low), np.asarray(study.feature_bounds.high)
    if not np.where(mask, np.isnan(public), (public >= low) & (public <= high)).all():
        raise refusal("public", "NaN where private and within the bounds elsewhere", "other numbers")
    return reports


def admit_cells(study: Study, partition: Partition, labels: LabelReports, reports: CellReports) -> CellReports:
    """Return cell reports that could be honest, one per person of (admitted) `labels`, or refuse them."""
    candidates = partition.candidates(labels.public, labels.mask)
    person, cell = _marks(reports, len(labels), partition.n_cells)
    marks = np.bincount(person, minlength=len(labels))
    if study.cell_mechanism == "grr" and (marks != 1).any():
        raise refusal("cell", "one per person", f"{marks.min()} to {marks.max()}")
    if study.cell_mechanism == "rr" and (marks[candidates.size == 1] != 1).any():
        raise refusal("cell", "the only candidate of a person who has no other", "another number of cells")
    _distinct(person, cell, partition.n_cells)
    _candidate(candidates, person, cell)
    return reports


def admit_pairs(question: PairQuestion, mask: Bools, reports: PairReports) -> PairReports:
    """Return pair reports that could be honest, one per row of `mask`, or refuse them."""
    code, feature = question.code, _whole("feature", reports.feature)
    if len(feature) != len(mask):
        raise refusal("feature", f"one per person, {len(mask)}", f"{len(feature)}")
    _within("feature", feature, 0, len(question.features) - 1)
    if not mask[np.arange(len(mask)), np.asarray(question.features)[feature]].all():
        raise refusal("feature", "one that the person hides", "a public one")
    person, value = _whole("person", reports.person), _whole("value", reports.value)
    _check_pairs(code, len(feature), person, value)
    return reports


def admit_joint(question: JointQuestion, public: Floats, mask: Bools, reports: JointReports) -> JointReports:
    """Return joint reports that could be honest, of the people with these public features and masks, or refuse them."""
    candidates = question.partition.candidates(public, mask)
    person, cell = _marks(reports, len(mask), question.partition.n_cells)
    level = _whole("level", reports.level)
    if len(level) != len(cell):
        raise refusal("level", f"one per mark, {len(cell)}", f"{len(level)}")
    _candidate(candidates, person, cell)
    for size in np.unique(candidates.size):
        people, code = np.flatnonzero(candidates.size == size), question.code(int(size))
        place = np.full(len(mask), -1)
        place[people] = np.arange(len(people))
        here = place[person] >= 0
        _within("level", level[here], 0, code.levels - 1)
        # Any numbering of a person's candidates will do to count marks; a cell's own number is one.
        _check_pairs(code, len(people), place[person[here]], cell[here] * code.levels + level[here], cells=True)
    return reports


def _check_pairs(code: PairCode, n_people: int, person: Ints, value: Ints, *, cells: bool = False) -> None:
    """Refuse marks that the code's mechanism cannot leave."""
    symbols = code.n_candidates * code.levels
    if len(person) != len(value):
        raise refusal("value", f"one per mark, {len(person)}", f"{len(value)}")
    _within("person", person, 0, n_people - 1)
    if not cells:
        _within("value", value, 0, symbols - 1)
    marks = np.bincount(person, minlength=n_people)
    if code.kind == "paired":
        _distinct(person, value // code.levels, int(value.max(initial=0)) + 1)  # one sign per candidate
        if code.n_candidates == 1 and (marks != 1).any():
            raise refusal("value", "one mark per person", f"{marks.min()} to {marks.max()}")
        return
    expected = code.mechanism.size if isinstance(code.mechanism, SubsetResponse) else 1
    if (marks != expected).any():
        raise refusal("value", f"{expected} marks per person", f"{marks.min()} to {marks.max()}")
    _distinct(person, value, int(value.max(initial=0)) + 1)


def _marks(reports: CellReports | JointReports, n_people: int, n_cells: int) -> tuple[Ints, Ints]:
    person, cell = _whole("person", reports.person), _whole("cell", reports.cell)
    if len(person) != len(cell):
        raise refusal("cell", f"one per mark, {len(person)}", f"{len(cell)}")
    _within("person", person, 0, n_people - 1)
    _within("cell", cell, 0, n_cells - 1)
    return person, cell


def _candidate(candidates: Candidates, person: Ints, cell: Ints) -> None:
    """Refuse cells that a person cannot be in."""
    leaf, code = np.divmod(cell, candidates.n_codes)
    known = np.isin(person * candidates.n_leaves + leaf, candidates.person * candidates.n_leaves + candidates.leaf)
    place = candidates.n_bins ** np.arange(candidates.bins.shape[1])[::-1]
    digits = code[:, None] // place % candidates.n_bins
    if not known.all() or not ((digits == candidates.bins[person]) | candidates.unknown[person]).all():
        raise InputError("`cell` must be one that the person could be in. Got another.")


def _distinct(person: Ints, item: Ints, n_items: int) -> None:
    if len(np.unique(person * n_items + item)) != len(person):
        raise InputError("A report must not mark anything twice.")


def _whole(name: str, values: Any) -> Ints:
    required = "a one-dimensional array of 64-bit whole numbers"
    array = as_array(name, values, "i", 1, required)
    if array.dtype != np.int64:
        raise refusal(name, required, array.dtype)
    return array


def _within(name: str, values: Ints, low: int, high: int) -> None:
    if ((values < low) | (values > high)).any():
        raise refusal(name, f"from {low} to {high}", f"{int(values.min())} to {int(values.max())}")
