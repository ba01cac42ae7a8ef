"""Sums over reports are exact up to 2**62; beyond that they are refused, and never wrapped around."""

from __future__ import annotations

from dataclasses import fields
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp._kernels.sums import checked_product, checked_sum, exact_total, sums_by_group
from semildp.client import enrol
from semildp.curator import JointTotals, Tally, tally_cells, tally_joint
from semildp.errors import InputError
from semildp.mechanisms import PairResponse
from semildp.partition import Candidates
from semildp.wire.columns import Enrolled, Marks
from tests.asking import PARTITION, crowd, joint_terms, marks_of, study_of

STYLE = settings(deadline=None, max_examples=100)
CAPACITY = 2**62
MOST_PEOPLE = 10**9  # what JointTotals states
REFUSED = r"must stay below 2\*\*62"
ZEROS, ONE = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
NUMBERS = st.integers(0, 62).flatmap(lambda digits: st.integers(-(2**digits), 2**digits))


@STYLE
@given(st.lists(st.tuples(st.integers(0, 3), NUMBERS), max_size=40))
def test_a_sum_is_exact_or_refused(pairs):
    """Exact where the values of each group, without sign, add up to less than 2**62; else refused, but for a hair."""
    group, value = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    exact, size = [0] * 4, [0] * 4
    for g, v in pairs:
        exact[g] += v
        size[g] += abs(v)
    if max(size) < CAPACITY * (1 - 1e-9):
        assert sums_by_group(group, value, 4).tolist() == exact
    elif max(size) > CAPACITY * (1 + 1e-9):
        with pytest.raises(InputError, match=REFUSED):
            sums_by_group(group, value, 4)


@pytest.mark.parametrize("digits", range(50, 61))
def test_no_digit_is_lost_from_2_to_the_50_to_the_capacity(digits):
    for value in (2**digits - 1, 2**digits, 2**digits + 1):
        for values in ([value], [-value], [value, 1, -value], [value, -1], [value // 2, value // 2, 1]):
            group = np.zeros(len(values), dtype=np.int64)
            assert sums_by_group(group, np.array(values), 1).tolist() == [sum(values)]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("value", [2**62, 2**62 + 1, 2**63 - 1])
def test_at_the_capacity_and_beyond_sums_are_refused(value, sign):
    with pytest.raises(InputError, match=REFUSED):
        sums_by_group(ZEROS, np.array([sign * value]), 1)
    with pytest.raises(InputError, match=REFUSED):
        sums_by_group(np.zeros(2, dtype=np.int64), np.array([sign * (value // 2), sign * (value // 2)]), 1)
    with pytest.raises(InputError, match=REFUSED):
        checked_sum(np.array([sign * value]), ZEROS)


def test_the_smallest_number_of_64_bits_is_refused_too():
    """Its size is not a number of 64 bits."""
    for call in (
        lambda lowest: sums_by_group(ZEROS, lowest, 1),
        lambda lowest: checked_sum(lowest, ZEROS),
        lambda lowest: checked_product(lowest, ONE),
    ):
        with pytest.raises(InputError, match=REFUSED):
            call(np.array([-(2**63)]))


def test_full_groups_beside_each_other_do_not_add_up():
    """Each of 100 groups is nearly full; all of them together would not fit in any number of 64 bits."""
    group, value = np.arange(100), np.full(100, 2**61 + 1)
    assert sums_by_group(group, value, 100).tolist() == [2**61 + 1] * 100


@STYLE
@given(NUMBERS, NUMBERS)
def test_two_sums_and_a_product_are_exact_or_refused(a, b):
    for call, exact, size in ((checked_sum, a + b, abs(a) + abs(b)), (checked_product, a * b, abs(a * b))):
        if size < CAPACITY * (1 - 1e-9):
            assert call(np.array([a]), np.array([b])).tolist() == [exact]
        elif size > CAPACITY * (1 + 1e-9):
            with pytest.raises(InputError, match=REFUSED):
                call(np.array([a]), np.array([b]))


@STYLE
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_a_total_is_exact_however_large(values):
    assert exact_total(np.array(values, dtype=np.int64)) == sum(values)


def hidden(n: int) -> Enrolled:
    """People who hide everything: 12 candidates each."""
    return Enrolled(np.full((n, 3), np.nan), np.ones((n, 3), dtype=np.bool_))


def test_labels_times_candidates_do_not_wrap_around():
    """12 * 2**57 fits. 12 times a little more than 2**64 / 12 does not, and would come out as 8."""
    marks = Marks.one_each(ZEROS)
    totals = tally_cells(PARTITION, hidden(1), np.array([2**57 + 1]), marks)
    assert totals.labels.sized_marks[0] == 12 * (2**57 + 1)
    with pytest.raises(InputError, match=REFUSED):
        tally_cells(PARTITION, hidden(1), np.array([2**64 // 12 + 1]), marks)


def test_the_sum_of_all_labels_does_not_wrap_around():
    """Each cell's sum fits, the sum of all does not: it is kept as a number without end."""
    X = np.array([[0.1, 0.1, 0.1], [0.9, 0.1, 0.1], [0.9, 0.9, 0.9], [0.1, 0.9, 0.9], [0.5, 0.1, 0.1]])
    labels = np.full(5, 2**61)
    public = Enrolled(X, np.zeros((5, 3), dtype=np.bool_))
    assert tally_cells(PARTITION, public, labels, Marks.one_each(PARTITION.cell(X))).label_sum == 5 * 2**61


def test_candidates_with_other_masks_do_not_wrap_around():
    """Each of the three masks nearly fills the first cell: the sum over masks is refused."""
    nobody, bins = np.zeros(3, dtype=np.int64), np.zeros((3, 2), dtype=np.int64)
    unknown = np.array([[False, False], [True, False], [False, True]])
    candidates = Candidates(np.arange(3), nobody, bins, unknown, (2, 2), 1)
    assert candidates.tally(np.full(3, 2**60)).tolist() == [3 * 2**60, 2**60, 2**60, 0]
    with pytest.raises(InputError, match=REFUSED):
        candidates.tally(np.full(3, 2**62 - 2**40))


@pytest.mark.parametrize("kind", [Tally, JointTotals])
def test_totals_that_do_not_fit_are_not_merged(kind):
    """In each of the fields alone: 2**61 and 2**61 - 1 fit together, 2**61 twice does not."""
    names = [f.name for f in fields(kind)]
    for full in names:
        half, less = (kind(**{n: np.array([v if n == full else 1]) for n in names}) for v in (2**61, 2**61 - 2**20))
        assert getattr(half + less, full).tolist() == [2**62 - 2**20]
        with pytest.raises(InputError, match=REFUSED):
            half + half


def worst_reports(code: PairResponse, cells: list[int]) -> list[list[int]]:
    """Reports that mark one candidate, or all, as often as can be, at either end of the levels."""
    symbols = [[cell * code.levels + level for level in range(code.levels)] for cell in cells]
    if code.kind == "generalised":
        return [[symbols[0][0]], [symbols[0][-1]]]
    if code.kind == "paired":
        return [[each[0] for each in symbols], [each[-1] for each in symbols]]
    flat = [symbol for each in symbols for symbol in each]
    return [flat[: code.mechanism.size], flat[-code.mechanism.size :]]


@pytest.mark.parametrize("mask", [(False,) * 3, (True, False, False), (True, False, True), (True,) * 3])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-4, 0.01, 0.5, 1.0, 2.0, 8.0, 64.0])
def test_as_many_people_as_stated_fit_whatever_they_send(epsilon, mask):
    """10**9 people who all send the same worst report: 2**16 of them are added up at once, and then by doubling."""
    terms, at_once = joint_terms(study_of(epsilon), epsilon), 2**16
    hides = np.array([mask])
    one = Enrolled(np.where(hides, np.nan, 0.3), hides)
    many = Enrolled(np.repeat(one.public, at_once, axis=0), np.repeat(one.mask, at_once, axis=0))
    cells = PARTITION.candidates(one.public, one.mask).cells()[1].tolist()
    for report in worst_reports(terms.response(len(cells)), cells):
        alone = tally_joint(terms, one, marks_of([report]))
        everyone = Marks(np.full(at_once, len(report)), np.tile(np.array(report, dtype=np.int64), at_once))
        together = tally_joint(terms, many, everyone)
        doubled = reduce(lambda total, _: total + total, range(13), together)
        for f in fields(alone):
            each, sums = getattr(alone, f.name), getattr(doubled, f.name)
            assert sums.tolist() == [2**29 * x for x in each.tolist()], f.name
            assert max(abs(x) * MOST_PEOPLE for x in each.tolist()) < CAPACITY, f.name


@pytest.mark.parametrize("epsilon", [1e-6, 1.0])
def test_more_people_than_stated_are_refused(epsilon):
    """Everything public counts most: at 2**30 people, 7 % more than stated, the sum of weights is full."""
    terms = joint_terms(study_of(epsilon), epsilon)
    public = Enrolled(np.full((1, 3), 0.3), np.zeros((1, 3), dtype=np.bool_))
    report = worst_reports(terms.response(1), PARTITION.cell(public.public).tolist())[0]
    half = reduce(lambda total, _: total + total, range(29), tally_joint(terms, public, marks_of([report])))
    with pytest.raises(InputError, match=REFUSED):
        half + half


def test_an_honest_crowd_s_sums_are_the_sum_over_its_people():
    study = study_of(1e-6)
    terms, people = joint_terms(study, 1e-6), crowd(study, 40)
    enrolled = enrol(people)
    candidates = PARTITION.candidates(enrolled.public, enrolled.mask)
    person, cell = candidates.cells()
    reports = [
        worst_reports(terms.response(int(k)), cell[person == i].tolist())[i % 2] for i, k in enumerate(candidates.size)
    ]
    whole = tally_joint(terms, enrolled, marks_of(reports))
    each = [tally_joint(terms, enrolled[i : i + 1], marks_of([reports[i]])) for i in range(40)]
    for f in fields(whole):
        assert getattr(reduce(add, each), f.name).tolist() == getattr(whole, f.name).tolist()
