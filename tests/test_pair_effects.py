"""From pair reports to effects: right where noise is low, shrunk where it is not, beyond the latest prediction."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.client import People, answer
from semildp.curator.effects import FeatureTerms, PairTotals, estimate_effects, residual_estimates, tally_pairs
from semildp.curator.pair_plan import plan_pairs
from semildp.curator.shrinking import to_simplex
from semildp.mechanisms import PairResponse
from semildp.protocols.cohorts import draw_feature
from semildp.protocols.semi_private import feature_terms
from semildp.sources import SeededSource
from tests.asking import ask_pair, lists_of, marks_of, question_of, study_of
from tests.battery.pairs import KINDS, laws

STUDY = study_of(60.0)


def asked(code, feature=0, reach=1.0):
    """The question about one feature, and its terms as the curator reads them off it."""
    question = question_of(STUDY, ask_pair(STUDY, feature, code, reach))
    return question, feature_terms(STUDY, question)


def sent(code, X, residual, source, features=(0, 1)):
    """What people send who hide the features, each about one of them that is drawn; terms and marks of each."""
    people = People(X, residual, np.isin(np.arange(3), features) | np.zeros(X.shape, dtype=np.bool_))
    chosen = np.array(features)[draw_feature(source, people.mask[:, list(features)])]
    out = []
    for feature in features:
        question, terms = asked(code, feature)
        here = np.flatnonzero(chosen == feature)
        out.append((terms, here, answer(STUDY, question, people[here], source)[0]))
    return out


def effects_of(parts, shift):
    return estimate_effects([(terms, tally_pairs(terms, marks, shift[here])) for terms, here, marks in parts])


def test_terms_are_those_of_the_question():
    for code in (
        PairResponse(1.0, 4, 3, "subset"),
        PairResponse(1.0, 2, 2, "paired"),
        PairResponse(1.0, 3, 5, "generalised"),
    ):
        width = code.mechanism.size if code.kind == "subset" else 1
        _, terms = asked(code, 1, 0.5)
        assert terms == FeatureTerms(1, PairResponse(1.0, code.n_candidates, code.levels, code.kind, width), 0.5, True)
    colours = study_of(60.0, category=True)
    question = question_of(colours, ask_pair(colours, 0, PairResponse(1.0, 3, 2, "subset")))
    assert not feature_terms(colours, question).ordered


def test_effects_are_right_where_there_is_little_noise():
    n, rng = 60_000, np.random.default_rng(0)
    X, unseen = rng.uniform(size=(n, 3)), np.full(1, np.nan)
    straight, curved = np.where(X[:, 0] < 0.5, -0.4, 0.4), np.where(abs(X[:, 0] - 0.5) < 0.25, -0.4, 0.4)
    for residual, bins, expected in ((straight, 2, [-0.4, 0.4]), (curved, 4, [0.4, -0.4, -0.4, 0.4])):
        parts = sent(PairResponse(8.0, bins, 3, "generalised"), X, residual, SeededSource(2))
        first, second = effects_of(parts, np.zeros(n))
        assert (first.feature, second.feature) == (0, 1)
        middles = (np.arange(bins) + 0.5) / bins
        np.testing.assert_allclose(first.at(middles), expected, atol=0.06)
        np.testing.assert_allclose(second.at(middles), second.at(np.full(bins, 0.5)), atol=0.06)
        np.testing.assert_allclose(second.at(middles), 0.0, atol=0.06)
        assert first.at(unseen)[0] == pytest.approx(0.0, abs=0.06)
        found = np.concatenate([residual_estimates(terms, marks) for terms, _, marks in parts])
        assert found.mean() == pytest.approx(residual.mean(), abs=0.02)


def test_a_category_has_steps_and_no_line():
    n, rng = 30_000, np.random.default_rng(0)
    colours = study_of(60.0, category=True)
    X = np.column_stack([rng.integers(0, 3, n), rng.uniform(size=(n, 2))]).astype(float)
    residual = np.array([0.4, -0.4, 0.0])[X[:, 0].astype(int)]
    question = question_of(colours, ask_pair(colours, 0, PairResponse(8.0, 3, 3, "generalised"), 1.0))
    people = People(X, residual, np.tile([True, False, False], (n, 1)))
    terms, (marks,) = feature_terms(colours, question), answer(colours, question, people, SeededSource(0))
    (effect,) = estimate_effects([(terms, tally_pairs(terms, marks, np.zeros(n)))])
    assert effect.slope == 0.0
    np.testing.assert_allclose(effect.at(colours.bounds.scale(X[:3])[:, 0]), residual[:3], atol=0.06)
    np.testing.assert_allclose(effect.steps, [0.4, -0.4, 0.0], atol=0.06)


def test_where_there_is_only_noise_most_effects_are_zero():
    """Lines stay if their mean square is one standard error above noise, 16 % of the time; steps about as often."""
    n, lines, steps = 4000, [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        parts = sent(PairResponse(0.7, 4, 2, "subset"), rng.uniform(size=(n, 3)), np.zeros(n), SeededSource(seed))
        effects = effects_of(parts, np.zeros(n))
        lines += [effect.slope != 0 for effect in effects]
        steps += [any(effect.steps) for effect in effects]
    assert np.mean(lines) < 0.16 + 5 * np.sqrt(0.16 * 0.84 / 150)  # both lines stay, or none
    assert np.mean(steps) < 0.16 + 5 * np.sqrt(0.16 * 0.84 / 150)


@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
def test_what_was_added_since_is_taken_off_without_bias(kind, bins, levels):
    """One person's shift is credited to the bin they are in, in exact expectation over all reports."""
    code = PairResponse(1.0, bins, levels, kind)
    terms, shift = FeatureTerms(0, code, 2.0, True), np.array([0.6])
    for value, law_of in laws(code).items():
        mean = np.zeros(bins)
        for marks, chance in law_of.items():
            totals = tally_pairs(terms, marks_of([marks]), shift)
            mean += chance * (code.per_mark * totals.shift_marks + code.per_person * totals.shift) / 2**20
        np.testing.assert_allclose(mean, (np.arange(bins) == value // levels) * 0.3, atol=1e-5)


def test_a_shifted_prediction_is_as_good_as_having_asked_later():
    """Without noise: residuals 0.5, of which the new prediction has taken 0, 0.25 or 0.5 by bin, so these are left."""
    n, code = 3000, PairResponse(60.0, 3, 5, "generalised")
    x = np.repeat([0.1, 0.5, 0.9], n // 3)
    taken = np.repeat([0.0, 0.25, 0.5], n // 3)
    parts = sent(code, np.column_stack([x, x, x]), np.full(n, 0.5), SeededSource(0), features=(0,))
    (effect,) = effects_of(parts, taken)
    middles = np.array([1 / 6, 0.5, 5 / 6])
    np.testing.assert_allclose(effect.at(middles), [0.25, 0.0, -0.25], atol=1e-3)
    (unshifted,) = effects_of(parts, np.zeros(n))
    np.testing.assert_allclose(unshifted.at(middles), 0.0, atol=1e-3)


def test_the_label_is_sent_less_the_person_s_own_centre():
    """Without noise, two levels far apart: the level says on which side of the centre the label lies."""
    n, code = 1000, PairResponse(60.0, 3, 2, "generalised")
    rng = np.random.default_rng(0)
    people = People(rng.uniform(size=(n, 3)), rng.uniform(size=n), np.ones((n, 3), dtype=np.bool_))
    centres = people.labels + np.where(rng.uniform(size=n) < 0.5, -2.0, 2.0)
    question, _ = asked(code)
    (marks,) = answer(STUDY, question, people, SeededSource(0), centres)
    assert (marks.value % 2).tolist() == (people.labels > centres).astype(int).tolist()


def test_totals_merge_to_the_same_bits_in_any_batches():
    n, rng = 500, np.random.default_rng(0)
    (terms, here, marks), _ = sent(
        PairResponse(1.0, 4, 3, "subset"), rng.uniform(size=(n, 3)), rng.normal(size=n), SeededSource(1)
    )
    shift = rng.normal(size=len(here))
    whole = tally_pairs(terms, marks, shift)
    order = rng.permutation(len(here))
    shuffled, rows = shift[order], lists_of(marks)
    for size in (1, 7, 100):
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        total = None
        for k, batch in enumerate(batches):
            part = tally_pairs(terms, marks_of(rows[i] for i in batch), shuffled[k * size : (k + 1) * size])
            total = part if total is None else part + total
        for name in ("people", "marks", "shift", "shift_marks"):
            assert getattr(total, name).tolist() == getattr(whole, name).tolist()
    assert isinstance(whole, PairTotals)


def test_projection_to_the_simplex():
    np.testing.assert_allclose(to_simplex(np.array([5.0, -3.0, 2.0]), 10), [6.5, 0.0, 3.5])
    np.testing.assert_allclose(to_simplex(np.array([4.0, 6.0]), 10), [4.0, 6.0])
    assert to_simplex(np.zeros(3), 0.0).tolist() == [0.0] * 3


def test_more_people_and_budget_ask_for_finer_answers_and_promise_more():
    settings = (1000, 0.5, 40.0), (10_000, 2.0, 10.0), (100_000, 4.0, 2.0)
    plans = [plan_pairs(n, 2, epsilon, n // 2, noise, 3) for n, epsilon, noise in settings]
    bins, levels, gains = zip(*((p.response.n_candidates, p.response.levels, p.gain) for p in plans), strict=True)
    assert list(bins) == sorted(bins)
    assert levels[0] <= levels[2]
    assert gains[0] < gains[1] < gains[2]
