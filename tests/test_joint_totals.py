"""Sums over joint reports: to the last digit those of tests/reference, mergeable, unbiased."""

from __future__ import annotations

import itertools
from dataclasses import fields

import numpy as np
import pytest

from semildp.backends import chunks, fold
from semildp.client import People, answer, enrol
from semildp.curator import JointTerms, tally_joint
from semildp.partition import Partition, Tree
from semildp.sources import SeededSource
from semildp.wire.columns import Enrolled, Marks
from tests.asking import TREE, lists_of, marks_of, question_of, study_of
from tests.battery.pairs import law_at
from tests.reference import joint

STUDY = study_of(64.0)
PARTITION = Partition(STUDY.bounds, (0,), 2, TREE)  # feature 0 has bins, 1 and 2 are in the tree
CENTRES = np.array([-0.2, 0.0, 0.1, 0.3])
MASKS = ((False, False, False), (True, False, False), (True, False, True), (True, True, True))  # 1, 2, 4, 8 candidates
ROWS = np.array(list(itertools.product((0.2, 0.8), repeat=3)))
KINDS = ((1.0, 0.35), (2.0, 0.1), (0.5, 0.35), (4.0, 0.2))  # epsilon and spread: codes of all kinds, which is tested


def crowd_terms(epsilon=1.0, spread=0.35):
    return JointTerms(PARTITION, CENTRES, 0.9, spread, epsilon)


def crowd(n, seed=0):
    """People of all masks, mixed."""
    rng = np.random.default_rng(seed)
    return People(ROWS[rng.integers(0, 8, n)], rng.normal(size=n), np.array(MASKS)[rng.integers(0, 4, n)])


def candidates(row, mask):
    """A person's cells by the definition: those of all who agree where it is public."""
    agree = ROWS[[bool((other == row)[~np.array(mask)].all()) for other in ROWS]]
    return sorted(set(PARTITION.cell(agree).tolist()))


def reported(terms, people, source, size=10**6):
    """The people's marks, sent some at a time."""
    question = question_of(STUDY, terms.ask(enrol(people)))
    return Marks.concatenate([answer(STUDY, question, people[some], source)[0] for some in chunks(len(people), size)])


def worth_of(asked):
    def worth(k):
        code = asked.response(k)
        numbers = code.per_mark, code.per_person, code.per_score, code.per_square, code.noise(asked.spread)
        return joint.Worth(code.levels, *numbers)

    return worth


def test_all_kinds_of_codes_are_asked():
    codes = [crowd_terms(*kind).response(k) for kind in KINDS for k in (1, 2, 4, 8)]
    assert {code.kind for code in codes} == {"generalised", "subset", "paired"}


@pytest.mark.parametrize(("epsilon", "spread"), [*KINDS, (0.01, 0.35), (1e-6, 0.35), (64.0, 0.2)])
def test_sums_equal_the_reference_to_the_last_digit(epsilon, spread):
    n, terms = 300, crowd_terms(epsilon, spread)
    people = crowd(n)
    marks = reported(terms, people, SeededSource(0))
    found = tally_joint(terms, enrol(people), marks)
    possible = [candidates(row, hidden) for row, hidden in zip(people.rows, people.mask, strict=True)]
    levels = [terms.response(len(cells)).levels for cells in possible]
    sent = [[divmod(v, k) for v in row] for row, k in zip(lists_of(marks), levels, strict=True)]
    expected = joint.tally(PARTITION.n_cells, possible, sent, worth_of(terms))
    assert found.weight.tolist() == [expected.weight]
    for name in ("people", "scores", "squares"):
        array = getattr(found, name)
        assert array.dtype == np.int64
        assert array.tolist() == list(getattr(expected, name).values()), name


def bits(totals):
    return [(f.name, getattr(totals, f.name).dtype.str, getattr(totals, f.name).tobytes()) for f in fields(totals)]


def test_sums_merge_in_any_order_to_the_same_bits():
    n, terms = 500, crowd_terms()
    people = crowd(n)
    enrolled, marks = enrol(people), reported(terms, people, SeededSource(0))
    divisions = [slice(0, 200), slice(200, 201), slice(201, n)]
    parts = [tally_joint(terms, enrolled[some], marks[some]) for some in divisions]
    whole = tally_joint(terms, enrolled, marks)
    for a, b, c in itertools.permutations(parts):
        assert bits(a + b + c) == bits(a + (b + c)) == bits(whole)


@pytest.mark.parametrize("size", [1, 7, 64, 499])
def test_any_batches_of_the_curator_add_up_to_the_same_bits(size):
    """And the order of people does not matter either."""
    n, terms = 500, crowd_terms()
    people = crowd(n)
    enrolled, marks = enrol(people), reported(terms, people, SeededSource(0))
    whole = bits(tally_joint(terms, enrolled, marks))
    assert bits(fold(lambda some: tally_joint(terms, enrolled[some], marks[some]), chunks(n, size))) == whole
    order = np.random.default_rng(size).permutation(n)
    sent = lists_of(marks)
    assert bits(tally_joint(terms, enrolled[order], marks_of(sent[i] for i in order))) == whole


@pytest.mark.parametrize("mask", MASKS[:3])
@pytest.mark.parametrize(("epsilon", "spread"), KINDS)
def test_people_and_sums_are_unbiased(epsilon, spread, mask):
    """One person: the mean over all reports is their weight, and weight times residual, in their cell only.

    And the noise of sums elsewhere is the stated one. Exact up to rounding to 2**-32; a residual is cut at the reach.
    """
    terms, hidden = crowd_terms(epsilon, spread), np.array([mask])
    unit = terms.unit
    for row, y in ((ROWS[3], 0.37), (ROWS[6], 5.0)):
        cells = candidates(row, mask)
        code, cell = terms.response(len(cells)), int(PARTITION.cell(row[None])[0])
        weight = terms.response(1).noise(spread) / code.noise(spread)
        people, sums, noise, exact = np.zeros((4, PARTITION.n_cells))
        law = law_at(code, cells.index(cell), y - CENTRES[cell // 2], 0.9)
        for sent, chance in law.items():
            values = [cells[v // code.levels] * code.levels + v % code.levels for v in sent]
            totals = tally_joint(terms, Enrolled(np.where(hidden, np.nan, row), hidden), marks_of([values]))
            score = unit * totals.scores / 2**32
            people += chance * unit * totals.people / 2**32
            sums += chance * score
            exact += chance * score**2
            noise += chance * unit**2 * totals.squares / 2**32
        own = np.arange(PARTITION.n_cells) == cell
        residual = np.clip(y - CENTRES[cell // 2], -0.9, 0.9) / 0.9
        np.testing.assert_allclose(people, own * weight, atol=1e-7)
        np.testing.assert_allclose(sums, own * weight * residual, atol=1e-7)
        np.testing.assert_allclose(noise[~own], exact[~own], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("k", [2**12, 2**14, 2**16])
def test_people_with_very_many_candidates_are_not_lost_in_rounding(k):
    """Their weight, and the noise of a mark of theirs, are small but not 0 in the units of the sums."""
    partition = Partition(STUDY.bounds, (0, 1), int(k**0.5), Tree())
    terms = JointTerms(partition, np.zeros(1), 1.0, 0.35, 1.0)
    person = People(np.full((1, 3), 0.5), np.zeros(1), np.ones((1, 3), dtype=np.bool_))
    marks = reported(terms, person, SeededSource(0))
    totals = tally_joint(terms, enrol(person), marks)
    assert totals.weight[0] > 0
    assert (totals.squares[marks.value // terms.response(k).levels] > 0).all()
