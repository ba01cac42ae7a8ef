"""Many private features, on somebody's first day: not asked where it cannot pay, and no worse than the mean."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import SemiPrivateRegressor
from semildp.curator import pair_plan
from semildp.curator.effects import FeatureTerms, estimate_effects, tally_pairs
from semildp.curator.pair_plan import pays, plan_pairs
from semildp.curator.shrinking import shrink
from semildp.domains import LabelGrid
from semildp.mechanisms import PairResponse
from semildp.sources import SeededSource
from semildp.wire.columns import Marks


def fitted(n, d, epsilon, explained, seed):
    """Everything private; `explained` is how much of the label's variance one feature, or all together, explain."""
    rng = np.random.default_rng([seed, d, n])
    X = rng.uniform(size=(2 * n, d))
    unit = (X - 0.5) * np.sqrt(12)
    signal = {"nothing": 0.0, "one": 0.7 * unit[:, 0], "all": 0.7 * unit.sum(axis=1) / np.sqrt(d)}[explained]
    y = np.clip(signal + rng.normal(size=2 * n) * (1.0 if explained == "nothing" else 0.71), -3, 3)
    model = SemiPrivateRegressor(
        epsilon, label_bounds=(-3, 3), feature_bounds=(0, 1), private_features=list(range(d)), random_state=seed
    )
    model.fit(X[:n], y[:n])
    return model, model.score(X[n:], y[n:])


@pytest.mark.parametrize("explained", ["nothing", "one", "all"])
@pytest.mark.parametrize(("n", "d", "epsilon"), [(500, 100, 4), (10_000, 100, 1), (10_000, 100, 4), (10_000, 68, 2)])
def test_many_private_features_are_never_far_worse_than_the_mean(n, d, epsilon, explained):
    """Each feature shrunk by itself came to R2 of -1 to -6. Fixed seeds."""
    scores = [fitted(n, d, epsilon, explained, seed)[1] for seed in range(3)]
    assert np.mean(scores) > -0.02


@pytest.mark.parametrize(("n", "d", "epsilon"), [(2000, 20, 4), (10_000, 20, 4), (10_000, 5, 1)])
def test_where_they_are_asked_noise_alone_costs_little_and_effects_are_found(n, d, epsilon):
    """20 features at epsilon 4 came to R2 of -0.1 and below on noise alone. Fixed seeds."""
    nothing = [fitted(n, d, epsilon, "nothing", seed) for seed in range(12)]
    assert all(model.questions_ for model, _ in nothing)
    assert np.mean([score for _, score in nothing]) > -0.02
    assert np.mean([fitted(n, d, epsilon, "all", seed)[1] for seed in range(12)]) > 0.05


def test_nobody_is_asked_about_features_whose_noise_hides_all_they_explain():
    for n, d, epsilon in ((2000, 100, 2), (10_000, 100, 1), (500, 68, 4)):
        assert fitted(n, d, epsilon, "nothing", 0)[0].questions_ == ()
    assert fitted(500, 2, 4, "nothing", 0)[0].questions_


def test_all_private_features_together_are_expected_to_explain_a_quarter_at_most():
    for n_features in (1, 2, 5, 20, 500):
        share = pair_plan.effect_share(n_features)
        assert share * n_features == pytest.approx(min(0.05 * n_features, 0.25))
        plan = plan_pairs(10**9, n_features, 8.0, 10**9, 0.1, 3)
        assert plan.gain < pair_plan.PUBLIC_SHARE + 0.25 + 1e-9


def test_a_second_round_must_gain_more_than_it_may_cost():
    good = plan_pairs(10_000, 2, 4.0, 5000, 0.5, 3)
    alone = good.gain - 0.02
    assert pays(good, alone)
    assert not pays(good, good.gain - 0.005)
    risky = plan_pairs(500, 50, 1.0, 250, 10.0, 3)
    assert risky.loss > 0.01
    assert not pays(risky, -1.0)


@pytest.mark.parametrize("count", [2, 5, 40])
@pytest.mark.parametrize("signal", [0.0, 0.3, 1.0, 4.0])
def test_the_expected_gain_is_what_shrinking_gives(count, signal):
    """Against 20,000 draws of coefficients with noise 1, shrunk by `shrink`; the law of x is taken as nearly so."""
    rng = np.random.default_rng(0)
    true = rng.normal(size=(20_000, count)) * np.sqrt(signal)
    seen = true + rng.normal(size=true.shape)
    ones = np.ones(count)
    shrunk = np.array([shrink(row, ones, ones) for row in seen])
    gains = (true**2 - (true - shrunk) ** 2).sum(axis=1)
    error = 5 * gains.std() / np.sqrt(len(gains))
    expected = pair_plan.shrunk_gain(count, signal, 1.0, 1.0)
    assert expected == pytest.approx(gains.mean(), abs=error + 0.03 * (1 + count * signal) ** 0.5)


def test_noise_in_many_features_does_not_add_up():
    """Fifty features that explain nothing, 3 bins each: lines and steps together are 0 in most of 30 studies.

    Steps are what the best line leaves. Left of the shrunk one, they would take up the noise that it gave back.
    """
    n, d = 6000, 50
    code = PairResponse(4.0, 3, 3, "generalised")
    levels = LabelGrid(-1.5, 1.5, code.levels - 1)
    lines, steps = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        source, totals = SeededSource(seed), []
        for feature in range(d):  # each person is asked about one feature
            bins, residual = rng.integers(3, size=n // d), np.clip(rng.normal(size=n // d), -1.5, 1.5)
            terms = FeatureTerms(feature, code, 1.5, ordered=True)
            person, value = code.send(bins, levels.encode_at_random(residual, source.words(n // d)), source)
            totals.append((terms, tally_pairs(terms, Marks.sets(person, value, n // d), np.zeros(n // d))))
        effects = estimate_effects(totals)
        lines.append(any(effect.slope for effect in effects))
        steps.append(any(any(effect.steps) for effect in effects))
    assert np.mean(lines) < 0.4
    assert np.mean(steps) < 0.4
