"""Classifiers behave as scikit-learn expects of its own."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from semildp import HistOfTreeClassifier, InputError, PrivacyLeakWarning
from semildp.models import Model

ESTIMATORS = [
    HistOfTreeClassifier(),
    HistOfTreeClassifier(participation="both", splitter="cart"),
    HistOfTreeClassifier(splitter="random", hide_mask=True),
    HistOfTreeClassifier.paper(),
    HistOfTreeClassifier.paper(cell_mechanism="rr", splitter="cart"),
]
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(3000, 3))
Y = np.array(["no", "perhaps", "yes"])[np.digitize(X[:, 0] + X[:, 1], [0.8, 1.2])]
GIVEN = {"classes": ["yes", "no", "perhaps"], "feature_bounds": (0, 1), "private_features": [0], "random_state": 0}


@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
@parametrize_with_checks(
    ESTIMATORS,
    expected_failed_checks=lambda estimator: (
        {}
        if estimator.hide_mask
        else {"check_estimators_pickle": "fits with missing public entries, which are refused"}
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("build", [HistOfTreeClassifier, HistOfTreeClassifier.paper])
def test_probabilities_are_inside_0_and_1_add_up_and_predict_the_likeliest(build):
    fitted = build(8.0, **GIVEN).fit(X, Y)
    assert fitted.classes_.tolist() == ["no", "perhaps", "yes"]
    queries = np.vstack([X[:200], np.full((1, 3), np.nan), [[np.nan, 0.9, 0.5]]])
    p = fitted.predict_proba(queries)
    assert p.min() > 0
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(queries), fitted.classes_[p.argmax(axis=1)])
    assert fitted.score(X, Y) > 0.55, "much more than the largest class, a third or so"
    assert fitted.privacy_.epsilon == 8.0


def test_a_fit_is_the_same_from_its_seed_survives_pickle_and_json_and_a_clone_is_new():
    fitted = HistOfTreeClassifier(2.0, **GIVEN).fit(X, Y)
    again = clone(fitted).fit(X, Y)
    np.testing.assert_array_equal(fitted.probabilities_, again.probabilities_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), fitted.predict_proba(X))
    model = Model.from_json(fitted.model_.to_json())
    assert model == fitted.model_
    np.testing.assert_array_equal(model.predict_proba(X)[0], fitted.predict_proba(X))
    with pytest.raises(InputError, match="predict_proba"):
        model.predict(X)


def test_variances_are_those_of_probabilities_and_the_paper_s_method_has_none():
    fitted = HistOfTreeClassifier(2.0, **GIVEN).fit(X, Y)
    variance = fitted.model_.predict_proba(X)[1]
    assert ((variance > 0) & (variance < 1)).all()
    assert np.isnan(HistOfTreeClassifier.paper(2.0, **GIVEN).fit(X, Y).model_.predict_proba(X)[1]).all()


def test_frames_categories_missing_private_entries_and_searches():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": np.where(X[:, 2] > 0.5, "red", "blue")})
    bounds = {"a": (0, 1), "b": (0, 1), "colour": ["red", "blue"]}
    model = HistOfTreeClassifier(4.0, classes=["no", "perhaps", "yes"], feature_bounds=bounds, random_state=0)
    some = frame.copy()
    some.loc[:300, "a"] = np.nan
    assert model.set_params(private_features=["a"]).fit(some, Y).score(frame, Y) > 0.5
    assert cross_val_score(model, frame, Y, cv=3).min() > 0.4
    search = GridSearchCV(model, {"depth": [1, 3]}, cv=2).fit(frame, Y)
    assert search.best_params_["depth"] in (1, 3)


def test_classes_from_labels_are_a_leak_and_what_cannot_be_used_is_refused():
    given = {**GIVEN, "classes": None}
    with pytest.warns(PrivacyLeakWarning, match="classes"):
        HistOfTreeClassifier(**given).fit(X, Y)
    for settings, words in (
        ({"classes": ["yes"]}, "at least two"),
        ({"classes": ["yes", "no"]}, "among `classes`"),
        ({"cell_mechanism": "grr"}, "must be 'joint'"),
        ({"cell_mechanism": "subset"}, "cell_mechanism"),
        ({"splitter": "cart", "hide_mask": True, "private_features": None}, "cart"),
        ({"epsilon": 1e-7}, "1e-06"),
    ):
        with pytest.raises(InputError, match=words):
            HistOfTreeClassifier(**{**GIVEN, **settings}).fit(X, Y)


def test_the_report_tells_what_was_asked_and_of_which_classes(capsys):
    text = HistOfTreeClassifier(2.0, **GIVEN).fit(X, Y).report()
    assert text in capsys.readouterr().out
    assert "the label's class, by generalised randomised response" in text
    assert "the cell and the label's class, jointly" in text
    assert "perhaps" in text.splitlines()[-1]
