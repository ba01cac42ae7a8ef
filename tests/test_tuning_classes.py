"""Tuning where labels are classes: learners are compared by the Brier score of reports that were collected once."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from semildp import BudgetAccountant, SemiPrivateClassifier
from semildp.curator.class_waves import evidence_of
from semildp.tuning import choose_learner
from semildp.tuning.held_out_classes import explained_classes

CLASSES = {"classes": ["no", "yes"], "feature_bounds": (0, 1), "private_features": [0], "random_state": 0}


class Identity(RegressorMixin, BaseEstimator):
    """Predicts the first public feature, whatever it is fitted to."""

    def fit(self, X, y, sample_weight=None):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.parametrize("participation", ["split", "both"])
def test_what_is_explained_of_classes_is_estimated_without_bias(participation):
    """P(yes) is a public feature, even on [0, 1]: it explains 1/12 of the variance 1/4 of 1{yes}.

    Mean over 40 studies. Five standard errors: 1 in 10^6 fails; the prior is off by little, 0.02 is allowed for it.
    """
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(800, 2))
        y = np.where(rng.uniform(size=800) < X[:, 1], "yes", "no")
        model = SemiPrivateClassifier(3.0, **{**CLASSES, "random_state": seed}, participation=participation)
        state = model._collect(X, y, None)[2].state
        found.append(explained_classes(evidence_of(state, None), {"true": Identity(), "half": DummyRegressor()}, 4))
    true, half = (np.array([each[name].mean for each in found]) for name in ("true", "half"))
    assert abs(true.mean() - 1 / 3) < 5 * true.std(ddof=1) / np.sqrt(40) + 0.02
    assert abs(half.mean()) < 0.05


def test_learners_of_classes_are_compared_for_what_one_collection_cost():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2_500, 3))
    y = np.where(np.abs(X[:, 1] - 0.5) > 0.25, "yes", "no")
    model = SemiPrivateClassifier(4.0, **CLASSES)
    candidates = {"logistic": LogisticRegression(), "tree": DecisionTreeRegressor(min_samples_leaf=150)}
    with BudgetAccountant(limit=4) as accountant:
        chosen = choose_learner(model, candidates, X, y)
    assert accountant.spent == 4
    assert chosen.best == "tree"  # class and feature go together, but not along a line
    assert chosen.estimator.learner is candidates["tree"]
    assert chosen.estimator.score(X, y) > 0.9
    same = choose_learner(model, {"default": None}, X, y, folds=2).estimator
    assert np.array_equal(same.predict_proba(X), clone(model).fit(X, y).predict_proba(X))
