"""SemiPrivateRegressor: who answers when, what is spent, and that private features are used."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from semildp import SemiPrivateRegressor, masks
from semildp.estimators import NoisyLabelAverage
from tests.people import BOUNDS, simulate, true_function

FRESH = np.random.default_rng(99).uniform(size=(2000, 5))


def fitted(n=4000, epsilon=4.0, mask=None, seed=0, **parameters):
    X, y, _ = simulate(n, seed=seed)
    model = SemiPrivateRegressor(epsilon, **{**BOUNDS, "random_state": seed, **parameters})
    return model.fit(X, y, mask=masks.first(n, 5, 2) if mask is None else mask)


def error(model):
    return np.mean((model.predict(FRESH) - true_function(FRESH)) ** 2)


@pytest.fixture
def counted(monkeypatch):
    """How many people answered each question."""
    import semildp.estimators.semi_private as module

    asked = {"labels": 0, "pairs": 0}
    labels, pairs = module.randomise_labels, module.report_pairs

    def count_labels(grid, y, *rest):
        asked["labels"] += len(y)
        return labels(grid, y, *rest)

    def count_pairs(question, X, *rest):
        asked["pairs"] += len(X)
        return pairs(question, X, *rest)

    monkeypatch.setattr(module, "randomise_labels", count_labels)
    monkeypatch.setattr(module, "report_pairs", count_pairs)
    return asked


def test_everyone_visits_once_with_all_of_epsilon(counted):
    model = fitted(learner=LinearRegression())
    assert counted["labels"] + counted["pairs"] == 4000
    assert counted["pairs"] > 1500
    assert model.question_.epsilon == 4.0
    assert [group.total for group in model.privacy_.groups] == [4.0]


def test_both_rounds_split_the_budget(counted):
    model = fitted(learner=LinearRegression(), participation="both", label_share=0.25)
    assert (counted["labels"], counted["pairs"]) == (4000, 4000)
    assert model.question_.epsilon == 3.0
    (group,) = model.privacy_.groups
    assert (group.label_epsilon, group.feature_epsilon) == (1.0, 3.0)


def test_nobody_is_asked_where_it_cannot_pay(counted):
    model = fitted(n=60, epsilon=0.5)
    assert (counted["labels"], counted["pairs"]) == (60, 0)
    assert model.question_ is None
    assert len(model.privacy_.sent) == 2


def test_who_hides_nothing_that_most_hide_answers_in_the_first_round(counted):
    mask = masks.first(4000, 5, 2)
    mask[:1000] = False
    fitted(mask=mask, learner=LinearRegression())
    assert counted["pairs"] < 0.6 * 3000
    assert counted["labels"] + counted["pairs"] == 4000


def test_private_features_are_really_used():
    """Far below 0.12, the best possible from public features alone; leaving out the second round shows it."""
    model = fitted(n=20_000, learner=LinearRegression())
    assert error(model) < 0.04
    model.effects_ = None
    assert error(model) > 0.11


@pytest.mark.parametrize("mask", [masks.first(500, 5, 0), masks.first(500, 5, 5), masks.heavy_tail(500, 5, 1.0)])
def test_any_mask(mask):
    model = fitted(n=500, mask=mask)
    predicted = model.predict(FRESH)
    assert ((predicted >= -2) & (predicted <= 4.5)).all()


def test_a_learner_that_knows_no_missing_values_gets_them_filled():
    assert np.isfinite(error(fitted(mask=masks.heavy_tail(4000, 5, 1.0), learner=LinearRegression())))


def test_a_huge_epsilon_is_no_trouble():
    assert np.isfinite(error(fitted(n=500, epsilon=1e6, learner=LinearRegression())))


@pytest.mark.parametrize("learner", [5, "forest", LinearRegression])
def test_a_learner_that_is_none_is_refused(learner):
    with pytest.raises(ValueError, match="`learner` must be a scikit-learn regressor, or None"):
        fitted(n=50, learner=learner)


def test_bad_choices_are_refused():
    with pytest.raises(ValueError, match="`participation` must be one of 'split', 'both'"):
        fitted(n=50, participation="once")
    with pytest.raises(ValueError, match="`label_share` must be a number"):
        fitted(n=50, label_share=0)


class TestNoisyLabelAverage:
    def test_pure_noise_leaves_the_mean(self):
        """Trust is 0 or small: over 20 draws the predictions' variance is below 2 % of the labels' on average."""
        rng = np.random.default_rng(0)
        ratios = []
        for _ in range(20):
            X, y = rng.uniform(size=(200, 4)), rng.normal(size=200)
            ratios.append(NoisyLabelAverage().fit(X, y).predict(X).var() / y.var())
        assert np.mean(ratios) < 0.02

    def test_signal_is_found(self):
        X, _, f = simulate(3000)
        noisy = f + np.random.default_rng(1).normal(size=3000)
        model = NoisyLabelAverage().fit(X, noisy)
        assert np.mean((model.predict(FRESH) - true_function(FRESH)) ** 2) < 0.02
        assert model.trust_ > 0.8

    def test_nothing_to_learn_from(self):
        X = np.full((30, 2), np.nan)
        np.testing.assert_allclose(NoisyLabelAverage().fit(X, np.arange(30.0)).predict(X), 14.5)
