"""What a curator accepts: reports that an honest device could have sent. One bad report is refused alone.

A stranger's report goes through here before it is added up; then it moves a sum by the mechanism's `influence` at most.
A simulation, which makes all reports itself, does not ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Ints
from semildp.curator.possible import could_be
from semildp.mechanisms import DiscreteLaplace, PairResponse, SubsetResponse, WindowResponse
from semildp.study import Study
from semildp.wire.columns import Answers, Enrolled, Marks
from semildp.wire.forms import read_class_response, read_mechanism, read_pair_response, read_partition
from semildp.wire.messages import AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question

Problems = NDArray[np.object_]  # per person: None, or the name of what is wrong


def admit(study: Study, question: Question, enrolled: Enrolled, answers: Answers) -> Problems:
    """Return, per person, the first problem of their report, or None; see `wire.problems`."""
    found: Problems = np.full(len(enrolled), None, dtype=object)
    for problem, bad in problems(study, question, enrolled, answers):
        for person in np.flatnonzero(bad):
            found[person] = found[person] or problem
    return found


Found = list[tuple[str, Bools]]


def problems(study: Study, question: Question, enrolled: Enrolled, answers: Answers) -> Found:
    """Return everything that can be wrong with reports, in order, each with whose reports it is wrong with."""
    found: Found = []
    for ask, marks in zip(question.asks, answers, strict=True):
        found += _ADMIT[type(ask)](ask, study, enrolled, marks)
    return found


def _label(ask: AskLabel, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    """A Laplace report may be any whole number; further out than noise gets once in 2**60, it is refused."""
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    low, high = 0, mechanism.n_values - 1
    if isinstance(mechanism, DiscreteLaplace):
        low, high = -mechanism.farthest, high + mechanism.farthest
    elif isinstance(mechanism, WindowResponse):
        high = mechanism.n_outputs - 1
    return [("wrong-count", marks.count != 1), ("out-of-domain", _outside(marks, low, high))]


def _cell(ask: AskCell, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    partition = read_partition(ask.partition, study.bounds)
    outside = _outside(marks, 0, partition.n_cells - 1)
    one = any(mechanism.kind == "generalised" for mechanism in ask.mechanisms.values())
    must_be_one = True if one else partition.count(enrolled.public, enrolled.mask) == 1
    inside = np.clip(marks.value, 0, partition.n_cells - 1) if outside.any() else marks.value
    return [
        ("wrong-count", must_be_one & (marks.count != 1)),
        ("out-of-domain", outside),
        ("repeated-mark", _not_rising(marks, marks.value)),
        ("not-a-candidate", _anybody(marks, ~could_be(partition, enrolled, marks.person, inside))),
    ]


def _pair(ask: AskPair, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    partition = read_partition(ask.partition, study.bounds)
    size = partition.count(enrolled.public, enrolled.mask)
    sizes, group = np.unique(size, return_inverse=True)
    responses = [read_pair_response(ask.mechanisms[str(k)], ask.epsilon, k) for k in sizes.tolist()]

    def each(of: Callable[[PairResponse], int]) -> Ints:
        return np.array([of(response) for response in responses], dtype=np.int64)[group]

    levels, wanted = each(lambda response: response.levels)[marks.person], each(_marks_of)
    symbols = partition.n_cells * levels
    inside = np.clip(marks.value, 0, np.maximum(symbols - 1, 0))
    cell = inside // np.maximum(levels, 1)
    paired = each(lambda response: int(response.kind == "paired")).astype(bool)
    item = np.where(paired[marks.person], cell, inside)  # one sign per candidate
    return [
        ("wrong-count", (wanted > 0) & (marks.count != wanted)),
        ("out-of-domain", _anybody(marks, marks.value != inside)),
        ("repeated-mark", _not_rising(marks, item)),
        ("not-a-candidate", _anybody(marks, ~could_be(partition, enrolled, marks.person, cell))),
    ]


def _marks_of(response: PairResponse) -> int:
    """How many marks a report must have; 0 if any number."""
    if response.kind == "paired":
        return 1 if response.n_candidates == 1 else 0
    return response.mechanism.size if isinstance(response.mechanism, SubsetResponse) else 1


def _signed(ask: AskSigned, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    return [("wrong-count", marks.count != 1), ("out-of-domain", _outside(marks, 0, ask.mechanism.values - 1))]


def _class(ask: AskClass, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    partition, n_classes = read_partition(ask.partition, study.bounds), len(study.classes)
    sizes, group = np.unique(partition.count(enrolled.public, enrolled.mask), return_inverse=True)
    responses = [read_class_response(ask.mechanisms[str(k)], ask.epsilon, k, n_classes) for k in sizes.tolist()]
    wanted = np.array([_marks_of(response) for response in responses], dtype=np.int64)[group]
    inside = np.clip(marks.value, 0, partition.n_cells * n_classes - 1)
    return [
        ("wrong-count", marks.count != wanted),
        ("out-of-domain", _anybody(marks, marks.value != inside)),
        ("repeated-mark", _not_rising(marks, inside)),
        ("not-a-candidate", _anybody(marks, ~could_be(partition, enrolled, marks.person, inside // n_classes))),
    ]


def _bins(ask: AskBins, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    wrong = marks.count != enrolled.mask.sum(axis=1)
    bins = np.array([mechanism.values for mechanism in ask.mechanisms])
    place = np.arange(len(marks.value)) - marks.first[marks.person]  # of a number among the person's
    rank = np.cumsum(enrolled.mask, axis=1) - 1
    known = ~wrong[marks.person]
    feature = np.argmax(enrolled.mask[marks.person] & (rank[marks.person] == place[:, None]), axis=1)
    outside = known & ((marks.value < 0) | (marks.value >= bins[feature]))
    return [("wrong-count", wrong), ("out-of-domain", _anybody(marks, outside))]


def _histogram(ask: AskHistogram, study: Study, enrolled: Enrolled, marks: Marks) -> Found:
    cells = read_partition(ask.partition, study.bounds).n_cells
    wrong = marks.count != 2 * cells
    outside = np.zeros(len(marks.value), dtype=np.bool_)
    place = np.arange(len(marks.value)) - marks.first[marks.person]
    for part, message, epsilon in ((0, ask.mass, ask.epsilon / 4), (1, ask.label, ask.epsilon / 2)):
        noise = read_mechanism(message, epsilon)
        steps = noise.n_values - 1
        far = noise.farthest if isinstance(noise, DiscreteLaplace) else 0
        low, high = (-far, steps + far) if part == 0 else (-far - steps // 2, steps // 2 + far)
        outside |= (place // cells == part) & ((marks.value < low) | (marks.value > high))
    return [("wrong-count", wrong), ("out-of-domain", _anybody(marks, outside))]


_ADMIT: dict[type, Callable[[Any, Study, Enrolled, Marks], Found]] = {
    AskLabel: _label,
    AskCell: _cell,
    AskPair: _pair,
    AskSigned: _signed,
    AskClass: _class,
    AskBins: _bins,
    AskHistogram: _histogram,
}


def _anybody(marks: Marks, bad: Bools) -> Bools:
    """Return who has sent at least one bad number."""
    if not bad.any():
        return np.zeros(len(marks), dtype=np.bool_)
    return np.asarray(np.bincount(marks.person[bad], minlength=len(marks)) > 0)


def _outside(marks: Marks, low: int, high: int) -> Bools:
    return _anybody(marks, (marks.value < low) | (marks.value > high))


def _not_rising(marks: Marks, item: Ints) -> Bools:
    """Return whose marks are not in strictly rising order: something is marked twice, or the order may tell."""
    if marks.count.max(initial=0) <= 1:
        return np.zeros(len(marks), dtype=np.bool_)
    same = np.diff(marks.person) == 0
    return _anybody(marks, np.concatenate([[False], same & (np.diff(item) <= 0)])[: len(item)])
