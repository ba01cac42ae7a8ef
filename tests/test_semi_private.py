"""SemiPrivateRegressor: who answers when, what is spent, and that private features are used."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from msgspec import structs
from sklearn.linear_model import LinearRegression

from semildp import SemiPrivateRegressor, masks
from semildp.simulate import simulate as run_study
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from semildp.wire.messages import AskLabel, AskPair, AskSigned
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
    """How many people answered each kind of question, counted where devices answer."""
    module = importlib.import_module("semildp.client.answer")
    asked = {"labels": 0, "pairs": 0, "signs": 0}  # those asked by signs are among the pairs, too
    kinds = {AskLabel: "labels", AskPair: "pairs", AskSigned: "pairs"}

    def counting(kind, own):
        def count(ask, study, people, *rest):
            asked[kinds[kind]] += len(people)
            asked["signs"] += len(people) if kind is AskSigned else 0
            return own(ask, study, people, *rest)

        return count

    for kind in kinds:
        monkeypatch.setitem(module._ANSWER, kind, counting(kind, module._ANSWER[kind]))
    return asked


def asks(model):
    return [question.asks[0] for question in model.questions_]


def test_everyone_visits_once_with_all_of_epsilon(counted):
    model = fitted(learner=LinearRegression())
    assert counted["labels"] + counted["pairs"] == 4000
    assert counted["pairs"] > 1500
    assert {ask.epsilon for ask in asks(model)} == {4.0}
    assert [(g.label_epsilon, g.feature_epsilon) for g in model.privacy_.groups] == [(4.0, 0.0), (0.0, 4.0)]


def test_both_rounds_split_the_budget(counted):
    model = fitted(learner=LinearRegression(), participation="both", label_share=0.25)
    assert (counted["labels"], counted["pairs"]) == (4000, 4000)
    assert {ask.epsilon for ask in asks(model)} == {3.0}
    (group,) = model.privacy_.groups
    assert (group.label_epsilon, group.feature_epsilon) == (1.0, 3.0)


def test_nobody_is_asked_about_private_features_where_it_cannot_pay(counted):
    model = fitted(n=300, epsilon=0.01)
    assert counted["labels"] + counted["pairs"] == 300
    assert {ask.partition.features for ask in asks(model)} == {()}
    assert model.effects_ == ()


def test_very_few_people_are_all_asked_for_labels(counted):
    assert asks(fitted(n=150, epsilon=0.1)) == []
    assert counted["labels"] == 150


def test_who_hides_nothing_that_most_hide_spends_everything_on_the_label(counted):
    """They are asked for labels, or for residuals alone."""
    mask = masks.first(4000, 5, 2)
    mask[:1000] = False
    model = fitted(mask=mask, learner=LinearRegression())
    assert counted["labels"] + counted["pairs"] == 4000
    features = {ask.partition.features for ask in asks(model)}
    assert () in features
    assert len(features) > 1
    spent = {(g.n_private, g.label_epsilon, g.feature_epsilon) for g in model.privacy_.groups}
    assert spent == {(0, 4.0, 0.0), (2, 4.0, 0.0), (2, 0.0, 4.0)}


@pytest.mark.parametrize("learner", [None, LinearRegression()])
def test_private_features_are_really_used(learner):
    """Far below 0.12, the best possible from public features alone; leaving out the second round shows it."""
    model = fitted(n=20_000, learner=learner)
    assert error(model) < 0.04
    body = structs.replace(model.model_.body, effects=()) if learner is None else replace(model.model_.body, effects=())
    model.model_ = structs.replace(model.model_, body=body)
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


class Spy(LinearRegression):
    """Remembers what it was fitted to."""

    fits: ClassVar[list[tuple]] = []

    def fit(self, X, y, sample_weight=None):
        Spy.fits.append((X, y, sample_weight))
        return super().fit(X, y, sample_weight)


def test_the_learner_is_fitted_again_to_the_labels_of_all_waves(counted):
    """Labels of residual waves are unbiased; all of a wave count by its precision, the largest weight being 1.

    Residuals that were turned round tell nothing of a label.
    """
    Spy.fits.clear()
    model = fitted(n=20_000, learner=Spy())
    seen, labels, weights = Spy.fits[-1]
    unsigned = counted["pairs"] - counted["signs"]
    left_out = (
        20_000 - counted["signs"] - len(labels)
    )  # people asked for labels in a window that does not cover the last
    assert 0 <= left_out < 0.3 * counted["labels"]
    later = labels[-unsigned:]
    error = later.std() / np.sqrt(len(later))
    assert later.mean() == pytest.approx(simulate(20_000)[1].mean(), abs=5 * error + 0.02)
    assert weights.max() == 1.0
    assert 2 <= len(np.unique(weights)) <= 5 + len(model.questions_)
    expected = LinearRegression().fit(seen, labels, weights)
    np.testing.assert_allclose(model.learner_.predict(seen), expected.predict(seen))


def test_effects_are_beyond_the_learner_that_is_kept(monkeypatch):
    """What the last learner predicts more than a person's centre is handed on, person by person, as the shift."""
    import semildp.protocols.semi_private as module

    handed, own = [], module.learn_effects

    def remember(study, columns, private, answered, *others):
        handed.append(answered)
        return own(study, columns, private, answered, *others)

    monkeypatch.setattr(module, "learn_effects", remember)
    X, y, _ = simulate(4000)
    study = Study(
        name="shifts",
        epsilon=4.0,
        label=Number(-2.0, 4.5),
        features=tuple(Feature(f"x{j}", Number(0.0, 1.0)) for j in range(5)),
        protocol="semi-private",
    )
    protocol = module.SemiPrivate(learner=LinearRegression())
    sources = {name: SeededSource(k) for k, name in enumerate(protocol.streams)}
    result = run_study(study, X, y, masks.first(4000, 5, 2), protocol=protocol, sources=sources, clip=True)
    asked = [each for done in result.state.done if done.wave.stream == "pair" for each in done.wave.asked]
    assert len(handed[-1]) == len(asked) >= 2
    for answered, each in zip(handed[-1], asked, strict=True):
        public = X[each.people][:, list(result.model.body.columns)]
        latest = np.clip(result.model.body.learned.predict(public), -2.0, 4.5)
        np.testing.assert_allclose(answered.reports.shift, latest - each.centres, atol=1e-9)
    assert max(np.abs(answered.reports.shift).max() for answered in handed[-1]) > 0


def test_plans_look_once_more_and_the_model_does_not(monkeypatch):
    """Plans expect more pairs of private features to matter together, and axes are rougher for them."""
    import semildp.protocols.semi_private as module

    expected, own = [], module.learn_effects

    def remember(study, columns, private, answered, unit, n_private, paired, places):
        expected.append((paired, places))
        return own(study, columns, private, answered, unit, n_private, paired, places)

    monkeypatch.setattr(module, "learn_effects", remember)
    fitted(n=2000)
    for_plans, in_the_end = (module.PLANNED_PAIRS, module.ROUGH), (module.PAIRED, module.PLACES)
    assert expected == [for_plans, for_plans, in_the_end]
    assert for_plans[0] > in_the_end[0]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 1024.0])
@pytest.mark.parametrize("participation", ["split", "both"])
def test_hardly_anybody(n, epsilon, participation):
    for seed in range(2):
        predicted = fitted(n=n, epsilon=epsilon, participation=participation, seed=seed).predict(FRESH)
        assert ((predicted >= -2) & (predicted <= 4.5)).all()


def test_constant_labels_without_noise():
    X, _, _ = simulate(400)
    model = SemiPrivateRegressor(1024.0, **BOUNDS, random_state=0).fit(X, np.ones(400), mask=masks.first(400, 5, 2))
    np.testing.assert_allclose(model.predict(FRESH), 1.0, atol=0.05)
