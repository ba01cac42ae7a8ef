"""From pair reports to effects: right where noise is low, shrunk where it is not, beyond the latest prediction."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import masks
from semildp.client import report_pairs
from semildp.curator import estimate_effects, plan_pairs, residual_estimates, tally_pairs
from semildp.curator.shrinking import to_simplex
from semildp.domains import FeatureBounds
from semildp.mechanisms import PairCode
from semildp.sources import SeededSource
from semildp.wire import PairQuestion, PairReports
from tests.battery.pairs import KINDS, laws

UNIT = FeatureBounds((0.0,) * 3, (1.0,) * 3)


def question(epsilon=1.0, kind="generalised", bins=2, levels=3, features=(0, 1), reach=1.0):
    return PairQuestion(UNIT, features, PairCode(epsilon, bins, levels, kind), reach)


def test_effects_are_right_where_there_is_little_noise():
    n, rng = 60_000, np.random.default_rng(0)
    X, mask = rng.uniform(size=(n, 3)), masks.first(n, 3, 2)
    straight, curved = np.where(X[:, 0] < 0.5, -0.4, 0.4), np.where(abs(X[:, 0] - 0.5) < 0.25, -0.4, 0.4)
    for residual, bins, expected in ((straight, 2, [-0.4, 0.4]), (curved, 4, [0.4, -0.4, -0.4, 0.4])):
        asked = question(8.0, "generalised", bins, 3)
        reports = report_pairs(asked, X, residual, mask, SeededSource(2))
        effects = estimate_effects(asked, tally_pairs(asked, reports, np.zeros(n)))
        middles = (np.arange(bins) + 0.5) / bins
        half = np.full(bins, 0.5)
        np.testing.assert_allclose(effects.at(np.column_stack([middles, half])), expected, atol=0.06)
        both_in_the_middle = effects.at(np.full((bins, 2), 0.5))
        np.testing.assert_allclose(effects.at(np.column_stack([half, middles])), both_in_the_middle, atol=0.06)
        assert residual_estimates(asked, reports).mean() == pytest.approx(residual.mean(), abs=0.02)


def test_where_there_is_only_noise_most_effects_are_zero():
    """Lines stay if their mean square is one standard error above noise, 16 % of the time; steps about as often."""
    n, lines, steps = 4000, [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        asked = question(0.7, "subset", 4, 2)
        reports = report_pairs(asked, rng.uniform(size=(n, 3)), np.zeros(n), masks.first(n, 3, 2), SeededSource(seed))
        effects = estimate_effects(asked, tally_pairs(asked, reports, np.zeros(n)))
        lines += (effects.slopes != 0).tolist()
        steps += effects.steps.any(axis=1).tolist()
    assert np.mean(lines) < 0.16 + 5 * np.sqrt(0.16 * 0.84 / 150)  # both lines stay, or none
    assert np.mean(steps) < 0.16 + 5 * np.sqrt(0.16 * 0.84 / 150)


@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
def test_what_was_added_since_is_taken_off_without_bias(kind, bins, levels):
    """One person's shift is credited to the bin they are in, in exact expectation over all reports."""
    code = PairCode(1.0, bins, levels, kind)
    asked, shift = PairQuestion(UNIT, (0,), code, 2.0), np.array([0.6])
    for value, law_of in laws(code).items():
        mean = np.zeros(bins)
        for marks, chance in law_of.items():
            one = PairReports(np.array([0]), np.zeros(len(marks), dtype=np.int64), np.array(marks, dtype=np.int64))
            totals = tally_pairs(asked, one, shift)
            mean += chance * (code.per_mark * totals.shift_marks[0] + code.per_person * totals.shift[0]) / 2**20
        np.testing.assert_allclose(mean, (np.arange(bins) == value // levels) * 0.3, atol=1e-5)


def test_a_shifted_prediction_is_as_good_as_having_asked_later():
    """Without noise: residuals 0.5, of which the new prediction has taken 0, 0.25 or 0.5 by bin, so these are left."""
    n, asked = 3000, question(60.0, "generalised", 3, 5, features=(0,))
    x = np.repeat([0.1, 0.5, 0.9], n // 3)
    taken = np.repeat([0.0, 0.25, 0.5], n // 3)
    X, mask = np.column_stack([x, x, x]), masks.first(n, 3, 1)
    reports = report_pairs(asked, X, np.full(n, 0.5), mask, SeededSource(0))
    effects = estimate_effects(asked, tally_pairs(asked, reports, taken))
    middles = np.array([[1 / 6], [0.5], [5 / 6]])
    np.testing.assert_allclose(effects.at(middles), [0.25, 0.0, -0.25], atol=1e-3)
    unshifted = estimate_effects(asked, tally_pairs(asked, reports, np.zeros(n)))
    np.testing.assert_allclose(unshifted.at(middles), 0.0, atol=1e-3)


def test_projection_to_the_simplex():
    np.testing.assert_allclose(to_simplex(np.array([5.0, -3.0, 2.0]), 10), [6.5, 0.0, 3.5])
    np.testing.assert_allclose(to_simplex(np.array([4.0, 6.0]), 10), [4.0, 6.0])
    assert to_simplex(np.zeros(3), 0.0).tolist() == [0.0] * 3


def test_more_people_and_budget_ask_for_finer_answers_and_promise_more():
    settings = (1000, 0.5, 40.0), (10_000, 2.0, 10.0), (100_000, 4.0, 2.0)
    plans = [plan_pairs(n, 2, epsilon, n // 2, noise, 3) for n, epsilon, noise in settings]
    bins, levels, gains = zip(*((p.code.n_candidates, p.code.levels, p.gain) for p in plans), strict=True)
    assert list(bins) == sorted(bins)
    assert levels[0] <= levels[2]
    assert gains[0] < gains[1] < gains[2]
