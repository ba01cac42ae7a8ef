"""Error bars of probabilities: they hold P(class | x) as often as they say, on average, and survive JSON."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeClassifier, InputError, SemiPrivateClassifier
from semildp.models import Model

ABOUT = {"epsilon": 4, "classes": [0, 1], "feature_bounds": (0, 1), "private_features": [0]}
FRESH = np.random.default_rng(1).uniform(size=(200, 3))


def chance(X):
    return 1 / (1 + np.exp(-3 * (X[:, 0] + X[:, 2] - 1)))


def fitted(seed, kind=SemiPrivateClassifier):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(1_500, 3))
    return kind(**ABOUT, random_state=seed).fit(X, (rng.random(1_500) < chance(X)).astype(int))


@pytest.fixture(scope="module", params=[SemiPrivateClassifier, HistOfTreeClassifier], ids=["waves", "cells"])
def studies(request):
    return [fitted(seed, request.param) for seed in range(12)]


def covered(studies, narrower=1.0):
    found = []
    for model in studies:
        middle = model.predict_proba(FRESH)[:, 1]
        low, high = (middle + narrower * (end[:, 1] - middle) for end in model.predict_proba_interval(FRESH))
        found.append(((low <= chance(FRESH)) & (chance(FRESH) <= high)).mean())
    return np.array(found)


def test_intervals_hold_probabilities_about_as_often_as_they_say(studies):
    """A study's share has a deviation of about .12: the mean of 12 is below .75 with probability 1e-5 if it is .9."""
    assert covered(studies).mean() > 0.75
    assert covered(studies, narrower=1 / 3).mean() < 0.75  # what is a third as wide is caught


def test_deviations_and_intervals_fit_probabilities(studies):
    model = studies[0]
    probability, deviation = model.predict_proba(FRESH, return_std=True)
    low, high = model.predict_proba_interval(FRESH, coverage=0.5)
    np.testing.assert_array_equal(probability, model.predict_proba(FRESH))
    np.testing.assert_array_equal(deviation[:, 0], deviation[:, 1])
    assert (deviation > 0).all()
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (low <= probability).all()
    assert (probability <= high).all()
    wider = model.predict_proba_interval(FRESH, coverage=0.95)
    assert (wider[0] <= low).all()
    assert (wider[1] >= high).all()


def test_they_survive_json(studies):
    read = Model.from_json(studies[0].model_.to_json())
    for mine, theirs in zip(studies[0].predict_proba_interval(FRESH), read.proba_interval(FRESH, 0.9), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("kind", [SemiPrivateClassifier, HistOfTreeClassifier])
def test_three_classes_have_their_own(kind):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(900, 2))
    y = np.digitize(X[:, 1] + 0.1 * rng.normal(size=900), [0.3, 0.7])
    model = kind(4, classes=[0, 1, 2], feature_bounds=(0, 1), private_features=[0], random_state=0)
    deviation = model.fit(X, y).predict_proba(X[:50], return_std=True)[1]
    assert deviation.shape == (50, 3)
    assert np.isfinite(deviation).all()
    assert not np.array_equal(deviation[:, 0], deviation[:, 1])


def test_the_paper_s_method_for_classes_refuses_them():
    paper = fitted(0, HistOfTreeClassifier.paper)
    with pytest.raises(InputError, match="Got the paper's method for classes"):
        paper.predict_proba_interval(FRESH)
    with pytest.raises(InputError, match="Got the paper's method for classes"):
        paper.predict_proba(FRESH, return_std=True)
    assert np.isnan(paper.model_.proba_interval(FRESH, 0.9)).all()
