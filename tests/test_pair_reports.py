"""One visit: bin and residual together. The guarantee exactly, the client's law, and the sums over reports."""

from __future__ import annotations

import itertools
from dataclasses import fields

import numpy as np
import pytest

from semildp import masks
from semildp.audit.statistics import assert_counts
from semildp.client import report_pairs
from semildp.curator import estimate_effects, tally_pairs
from semildp.domains import FeatureBounds
from semildp.mechanisms import PairCode
from semildp.sources import SeededSource
from semildp.wire import PairQuestion, PairReports
from tests.battery.pairs import KINDS, law_at, sent_sets
from tests.reference.pairs import worst_log_ratio

UNIT = FeatureBounds((0.0,) * 3, (1.0,) * 3)


def question(epsilon=1.0, kind="generalised", bins=2, levels=3, features=(0, 1), reach=1.0):
    return PairQuestion(UNIT, features, PairCode(epsilon, bins, levels, kind), reach)


def law(asked, x, residual):
    """Exact distribution of the marks for a private value and a residual, rounding at random included."""
    bins = asked.code.n_candidates
    return law_at(asked.code, min(int(x * bins), bins - 1), residual, asked.reach)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
def test_any_change_of_private_feature_and_label_costs_at_most_epsilon(epsilon, kind, bins, levels):
    asked = question(epsilon, kind, bins, levels)
    inputs = itertools.product((0.0, 0.3, 0.6, 1.0), (-9.0, -1.0, -0.4, 0.0, 0.7, 1.0, 9.0))
    worst = worst_log_ratio([law(asked, x, residual) for x, residual in inputs])
    assert 0.99 * epsilon <= worst <= epsilon + 1e-9


@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
@pytest.mark.parametrize(("x", "residual"), [(0.5, 0.3), (0.1, -2.0)])
def test_the_client_draws_from_that_law(kind, bins, levels, x, residual):
    """How often 20,000 people of one kind send each set of marks; false alarm at most 1e-6 per test."""
    n, asked = 20_000, question(1.0, kind, bins, levels, features=(1,), reach=0.9)
    X, mask = np.full((n, 3), x), masks.aligned(n, 3, [1])
    reports = report_pairs(asked, X, np.full(n, residual), mask, SeededSource(0))
    sent, expected = sent_sets(reports.person, reports.value, n), law(asked, x, residual)
    assert set(sent) <= set(expected)
    counts = dict.fromkeys(expected, 0)
    for marks in sent:
        counts[marks] += 1
    assert_counts(list(counts.values()), n, list(expected.values()), "marks are not sent as often as enumerated")


def test_a_person_answers_about_a_feature_they_hide_each_as_likely():
    """30,000 people of three kinds; false alarm at most 3e-6."""
    n = 30_000
    mask = np.tile([[True, False, True], [False, True, False], [True, True, True]], (n // 3, 1))
    asked = question(features=(0, 1, 2))
    chosen = report_pairs(asked, np.full((n, 3), 0.5), np.zeros(n), mask, SeededSource(1)).feature
    for kind in range(3):
        share = mask[kind] / mask[kind].sum()
        assert_counts(np.bincount(chosen[kind::3], minlength=3), n // 3, share, "features are not chosen evenly")


@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
def test_totals_are_the_literal_ones(kind, bins, levels):
    """Person by person and mark by mark; a shift is counted in 2**-20 of the reach."""
    n, rng, asked = 200, np.random.default_rng(0), question(1.0, kind, bins, levels, reach=0.7)
    shift = rng.normal(size=n)
    reports = report_pairs(asked, rng.uniform(size=(n, 3)), rng.normal(size=n), masks.first(n, 3, 2), SeededSource(0))
    people, marks, shifts, marked = [0, 0], {}, [0, 0], {}
    for i, j in enumerate(reports.feature.tolist()):
        unit = round(shift[i] / 0.7 * 2**20)
        people[j] += 1
        shifts[j] += unit
        for value in reports.value[reports.person == i].tolist():
            place = j, value // levels
            marks[*place, value % levels] = marks.get((*place, value % levels), 0) + 1
            marked[place] = marked.get(place, 0) + unit
    totals = tally_pairs(asked, reports, shift)
    assert (totals.people.tolist(), totals.shift.tolist()) == (people, shifts)
    assert {place: totals.marks[place] for place in marks} == marks
    assert totals.marks.sum() == len(reports.value)
    assert {place: totals.shift_marks[place] for place in marked} == marked


def test_totals_merge_in_any_order_and_nobody_at_all_gives_no_effect():
    n, asked, rng = 1000, question(1.0, "subset", 4, 3), np.random.default_rng(0)
    X, mask, shift = rng.uniform(size=(n, 3)), masks.first(n, 3, 2), rng.normal(size=n)
    reports = report_pairs(asked, X, np.zeros(n), mask, SeededSource(0))
    parts = []
    for start, stop in ((0, 300), (300, 301), (301, n)):
        mine = (reports.person >= start) & (reports.person < stop)
        part = PairReports(reports.feature[start:stop], reports.person[mine] - start, reports.value[mine])
        parts.append(tally_pairs(asked, part, shift[start:stop]))
    whole = tally_pairs(asked, reports, shift)
    for a, b, c in itertools.permutations(parts):
        merged = a + b + c
        for f in fields(merged):
            np.testing.assert_array_equal(getattr(merged, f.name), getattr(whole, f.name))
    nobody = PairReports(*(np.zeros(0, dtype=np.int64),) * 3)
    empty = estimate_effects(asked, tally_pairs(asked, nobody, np.zeros(0)))
    assert not empty.at(rng.uniform(size=(5, 2))).any()
