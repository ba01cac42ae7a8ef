"""Totals are whole numbers: however people are divided and merged, however large the sums, the bits are the same."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from semildp._kernels.sums import counts_by_group, sums_by_group
from semildp.backends import chunks, fold
from semildp.client import People, answer, enrol
from semildp.curator import Tally, Totals, tally_cells
from semildp.mechanisms import CELL_MECHANISMS
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_cell
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.messages import Question
from tests.asking import lists_of, marks_of, study_of

STYLE = settings(deadline=None, max_examples=100)
TREE = Tree((2, 1, 1, -1, -1, -1, -1), (0.5, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
PARTITION = Partition(study_of().bounds, (0,), 3, TREE)
BEYOND_FLOAT = 2**53  # from here on not every whole number is a float
SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True, eq=False)
class Crowd:
    """People who have sent their labels and are to be asked for their cells."""

    study: Study
    people: People
    labels: NDArray[np.int64]
    question: Question
    seed: int

    @property
    def enrolled(self) -> Enrolled:
        return enrol(self.people)

    def ask(self, people: slice, source: SeededSource) -> Marks:
        return answer(self.study, self.question, self.people[people], source)[0]

    def tally(self, people: slice, source: SeededSource) -> Totals:
        return tally_cells(PARTITION, self.enrolled[people], self.labels[people], self.ask(people, source))


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    """Up to 40 people with any masks; noisy labels small, or so large that sums pass 2**53."""
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(SEEDS))
    mask = rng.random((n, 3)) < draw(st.sampled_from([0.4, 0.0, 1.0]))
    X = rng.random((n, 3))
    largest = draw(st.sampled_from([2**53, 1000]))  # 40 people * 12 candidates * 2**53 < 2**62
    labels = rng.integers(-largest // 4, largest, n) | 1  # odd: a rounded sum shows
    study = study_of(draw(st.sampled_from([0.5, 4.0])))
    people = People(X, np.full(n, 0.5), mask)
    ask = ask_cell(PARTITION, draw(st.sampled_from(sorted(CELL_MECHANISMS))), study.epsilon, enrol(people))
    return Crowd(study, people, labels, Question(study.digest, 2, (ask,)), draw(SEEDS))


@st.composite
def divisions(draw: st.DrawFn, n: int) -> list[slice]:
    """Any division of n people into consecutive chunks, empty ones allowed."""
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=6)))
    return [slice(a, b) for a, b in zip([0, *cuts], [*cuts, n], strict=True)]


def bits(totals: Totals) -> tuple[object, ...]:
    """All of the totals as plain whole numbers, types included."""
    arrays = [getattr(part, f.name) for part in (totals.people, totals.labels) for f in fields(Tally)]
    arrays.append(totals.sized_candidates)
    return (totals.n_people, totals.label_sum, *((a.dtype.str, a.tobytes()) for a in arrays))


def chunked(crowd: Crowd, division: list[slice]) -> list[Totals]:
    """The totals of each chunk, all chunks drawing from one source in turn."""
    source = SeededSource(crowd.seed)
    return [crowd.tally(people, source) for people in division]


def whole(crowd: Crowd) -> Totals:
    return crowd.tally(slice(0, len(crowd.people)), SeededSource(crowd.seed))


@STYLE
@given(crowd=crowds(), data=st.data())
def test_chunking_the_client_gives_the_same_reports(crowd: Crowd, data: st.DataObject) -> None:
    together = crowd.ask(slice(0, len(crowd.people)), SeededSource(crowd.seed))
    source = SeededSource(crowd.seed)
    parts = [crowd.ask(people, source) for people in data.draw(divisions(len(crowd.people)))]
    assert lists_of(Marks.concatenate(parts)) == lists_of(together)


@STYLE
@given(crowd=crowds(), data=st.data())
def test_merging_in_any_order_over_any_chunking_gives_the_same_bits(crowd: Crowd, data: st.DataObject) -> None:
    parts = chunked(crowd, data.draw(divisions(len(crowd.people))))
    expected = bits(whole(crowd))
    assert bits(reduce(add, parts)) == expected
    shuffled = data.draw(st.permutations(parts))
    assert bits(reduce(add, shuffled)) == expected
    while len(shuffled) > 1:  # pairs first, then pairs of pairs: another bracketing
        pairs = [shuffled[i : i + 2] for i in range(0, len(shuffled), 2)]
        shuffled = [reduce(add, pair) for pair in pairs]
    assert bits(shuffled[0]) == expected


@STYLE
@given(crowd=crowds(), size=st.integers(1, 50))
def test_folding_over_chunks_gives_the_same_bits(crowd: Crowd, size: int) -> None:
    source = SeededSource(crowd.seed)
    folded = fold(lambda people: crowd.tally(people, source), chunks(len(crowd.people), size))
    assert bits(folded) == bits(whole(crowd))


@STYLE
@given(crowd=crowds(), data=st.data())
def test_the_order_of_people_does_not_matter(crowd: Crowd, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(len(crowd.people)))))
    sent = lists_of(crowd.ask(slice(0, len(crowd.people)), SeededSource(crowd.seed)))
    shuffled = marks_of(sent[i] for i in order)
    again = tally_cells(PARTITION, crowd.enrolled[order], crowd.labels[order], shuffled)
    assert bits(again) == bits(whole(crowd))


def test_sums_beyond_the_range_of_floats_are_exact() -> None:
    n = 30
    labels = np.full(n, BEYOND_FLOAT + 1)
    X, mask = np.full((n, 3), 0.9), np.zeros((n, 3), dtype=np.bool_)
    cell = PARTITION.cell(X)
    totals = tally_cells(PARTITION, Enrolled(X, mask), labels, Marks.one_each(cell))
    assert totals.label_sum == n * (BEYOND_FLOAT + 1)
    assert totals.labels.known[cell[0]] == n * (BEYOND_FLOAT + 1)
    assert totals.labels.known.sum() == totals.label_sum


@pytest.mark.parametrize("largest", [10, 2**47, 2**53, 2**57])
@STYLE
@given(data=st.data())
def test_sums_by_group_equal_a_loop_however_large(largest: int, data: st.DataObject) -> None:
    groups = data.draw(st.integers(1, 5))
    pairs = data.draw(st.lists(st.tuples(st.integers(0, groups - 1), st.integers(-largest, largest)), max_size=60))
    expected, counted = [0] * groups, [0] * groups
    for group, value in pairs:
        expected[group] += value
        counted[group] += 1
    group, value = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    sums = sums_by_group(group, value, groups)
    assert sums.dtype == np.int64
    assert sums.tolist() == expected
    assert counts_by_group(group, groups).tolist() == counted


@STYLE
@given(n=st.integers(0, 200), size=st.integers(1, 250))
def test_chunks_cover_everybody_once(n: int, size: int) -> None:
    covered = [i for part in chunks(n, size) for i in range(n)[part]]
    assert covered == list(range(n))


@pytest.mark.parametrize("largest", [2**53 - 1, 2**53, 2**53 + 1])
def test_sums_are_exact_on_both_sides_of_the_limit(largest: int) -> None:
    group, values = np.zeros(3, dtype=np.int64), np.array([largest, 1, -largest])
    assert_array_equal(sums_by_group(group, values, 1), [1])
    assert_array_equal(sums_by_group(group[:1], values[:1], 1), [largest])
