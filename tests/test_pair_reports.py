"""One visit: bin and residual together. The guarantee exactly, the effects without bias, nobody asked twice."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semildp import masks
from semildp.client import report_pairs
from semildp.curator import count_pairs, estimate_effects, plan_pairs
from semildp.curator.effects import _to_simplex
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import GeneralisedResponse
from semildp.sources import SeededSource
from semildp.wire import PairQuestion

UNIT = FeatureBounds((0.0,) * 3, (1.0,) * 3)


def question(epsilon=1.0, bins=2, levels=3, features=(0, 1), reach=1.0):
    return PairQuestion(UNIT, features, bins, LabelGrid(-reach, reach, levels - 1), epsilon)


def law(asked, x, residual):
    """Exact distribution of the symbol for a private value and a residual, rounding at random included."""
    n_levels = asked.residuals.steps + 1
    own = min(int(x * asked.bins), asked.bins - 1)
    place = np.clip((residual - asked.residuals.low) / asked.residuals.step, 0, asked.residuals.steps)
    low = int(np.floor(place))
    symbols = np.arange(asked.bins * n_levels)
    mechanism = GeneralisedResponse(asked.epsilon, len(symbols))

    def given(level):
        return np.exp(mechanism.log_probability(symbols, np.full(len(symbols), own * n_levels + level)))

    upper = place - low
    return (1 - upper) * given(low) + (upper * given(low + 1) if upper else 0)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("bins", "levels"), [(2, 2), (3, 2), (4, 5)])
def test_any_change_of_private_feature_and_label_costs_at_most_epsilon(epsilon, bins, levels):
    asked = question(epsilon, bins, levels)
    inputs = itertools.product((0.0, 0.3, 0.6, 1.0), (-9.0, -1.0, -0.4, 0.0, 0.7, 1.0, 9.0))
    laws = np.log([law(asked, x, residual) for x, residual in inputs])
    worst = (laws.max(axis=0) - laws.min(axis=0)).max()
    assert worst <= epsilon + 1e-9
    assert worst >= 0.99 * epsilon


def test_the_client_draws_from_that_law():
    """Frequencies of all symbols over 40,000 people of one kind: largest |z| below 5.5 (false alarm below 1e-6)."""
    n, asked = 40_000, question(1.0, 3, 3, features=(1,))
    X, residual, mask = np.full((n, 3), 0.5), np.full(n, 0.3), masks.aligned(n, 3, [1])
    sent = report_pairs(asked, X, residual, mask, SeededSource(0)).symbol
    expected = law(asked, 0.5, 0.3)
    z = (np.bincount(sent, minlength=9) / n - expected) / np.sqrt(expected * (1 - expected) / n)
    assert np.abs(z).max() < 5.5


def test_a_person_answers_about_a_feature_they_hide_each_as_likely():
    n = 30_000
    mask = np.tile([[True, False, True], [False, True, False], [True, True, True]], (n // 3, 1))
    asked = question(features=(0, 1, 2))
    chosen = report_pairs(asked, np.full((n, 3), 0.5), np.zeros(n), mask, SeededSource(1)).feature
    assert mask[np.arange(n), chosen].all()
    for kind, features in ((0, (0, 2)), (1, (1,)), (2, (0, 1, 2))):
        shares = np.bincount(chosen[kind::3], minlength=3) / (n // 3)
        for f in features:
            assert abs(shares[f] - 1 / len(features)) < 5.5 * 0.5 / np.sqrt(n // 3)


def test_effects_are_right_where_there_is_little_noise_and_nothing_where_there_is_much():
    n, rng = 60_000, np.random.default_rng(0)
    X, mask = rng.uniform(size=(n, 3)), masks.first(n, 3, 2)
    residual = np.where(X[:, 0] < 0.5, -0.4, 0.4)
    for epsilon, expected in ((8.0, [[-0.4, 0.4], [0.0, 0.0]]), (0.01, [[0.0, 0.0], [0.0, 0.0]])):
        asked = question(epsilon, 2, 3)
        counts = count_pairs(asked, report_pairs(asked, X, residual, mask, SeededSource(2)))
        effects = estimate_effects(asked, counts, 0.0)
        np.testing.assert_allclose(effects.values, expected, atol=0.06)
        assert effects.offset == 0.0


def test_the_offset_weighs_the_reports_mean_against_the_public_prediction():
    n = 20_000
    asked = question(8.0, 2, 3)
    reports = report_pairs(asked, np.full((n, 3), 0.3), np.full(n, 0.25), masks.first(n, 3, 2), SeededSource(3))
    counts = count_pairs(asked, reports)
    assert estimate_effects(asked, counts, 1e6).offset == pytest.approx(0.25, abs=0.03)
    assert estimate_effects(asked, counts, 0.0).offset == 0.0


def test_counts_merge_and_nobody_at_all_gives_no_effect():
    n, asked = 1000, question()
    X, mask = np.random.default_rng(0).uniform(size=(n, 3)), masks.first(n, 3, 2)
    reports = report_pairs(asked, X, np.zeros(n), mask, SeededSource(0))
    parts = [
        count_pairs(asked, type(reports)(reports.feature[part], reports.symbol[part]))
        for part in (slice(0, 300), slice(300, None))
    ]
    np.testing.assert_array_equal(sum(parts), count_pairs(asked, reports))
    empty = estimate_effects(asked, np.zeros((2, 2, 3), dtype=np.int64), 1.0)
    assert empty.offset == 0.0
    assert not empty.values.any()


def test_projection_to_the_simplex():
    np.testing.assert_allclose(_to_simplex(np.array([5.0, -3.0, 2.0]), 10), [6.5, 0.0, 3.5])
    np.testing.assert_allclose(_to_simplex(np.array([4.0, 6.0]), 10), [4.0, 6.0])


def test_more_people_and_budget_ask_for_finer_answers_and_promise_more():
    plans = [plan_pairs(n, 2, epsilon, 1.0) for n, epsilon in ((1000, 0.5), (10_000, 2.0), (100_000, 4.0))]
    assert [plan.bins for plan in plans] == sorted(plan.bins for plan in plans)
    assert plans[0].gain < plans[1].gain < plans[2].gain
    assert plans[0].levels <= plans[2].levels
