"""The estimators behave as scikit-learn expects of its own."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimators_pickle, parametrize_with_checks

from semildp import HistOfTreeDensity, HistOfTreeRegressor, SemiPrivateRegressor, masks
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from tests.people import BOUNDS, simulate

ESTIMATORS = [
    HistOfTreeRegressor(),
    HistOfTreeRegressor(participation="both", splitter="cart", label_mechanism="laplace"),
    HistOfTreeRegressor(splitter="random", hide_mask=True),
    HistOfTreeRegressor.paper(),
    HistOfTreeRegressor.paper(cell_mechanism="rr", splitter="cart", label_mechanism="window"),
    HistOfTreeRegressor.paper(splitter="random", hide_mask=True),
    PrivateHistogramRegressor(),
    RandomizedFeatureTreeRegressor(),
    PublicTreeRegressor(),
    LabelTreeRegressor(),
    SemiPrivateRegressor(),
    SemiPrivateRegressor(learner=LinearRegression(), participation="both"),
]
DENSITIES = [HistOfTreeDensity(), HistOfTreeDensity(hide_mask=True, cell_mechanism="rr")]
BY_NAME = {type(estimator).__name__: estimator for estimator in reversed(ESTIMATORS)}  # the first of each class
BY_NAME["paper"] = HistOfTreeRegressor.paper()
X, Y, _ = simulate(300)
both_modes = pytest.mark.parametrize("name", ["HistOfTreeRegressor", "paper"])
MASK = masks.heavy_tail(300, 5, 1.0)


def seeded(name, **parameters):
    return clone(BY_NAME[name]).set_params(**{**BOUNDS, "random_state": 0, **parameters})


@pytest.fixture
def metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def expected_failures(estimator):
    """Entries may be missing in `predict` and where they are private; in `fit`, a public one may not."""
    if getattr(estimator, "hide_mask", False):
        return {}
    return {"check_estimators_pickle": "fits with missing public entries, which are refused; see the next test"}


@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
@parametrize_with_checks([*ESTIMATORS, *DENSITIES], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *DENSITIES], ids=str)
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
def test_scikit_learn_s_check_of_pickles_without_missing_entries(estimator, monkeypatch):
    tags = estimator.__sklearn_tags__()
    assert tags.input_tags.allow_nan
    tags.input_tags.allow_nan = False
    monkeypatch.setattr(type(estimator), "__sklearn_tags__", lambda self: tags)
    for readonly in (False, True):
        check_estimators_pickle(type(estimator).__name__, clone(estimator), readonly_memmap=readonly)


@pytest.mark.parametrize("name", BY_NAME)
def test_missing_entries_are_averaged_over_in_predict(name):
    """What is predicted lies between what the missing entry's values would give, and is the mean if all are missing."""
    model = seeded(name, epsilon=100.0).fit(X, Y)
    holes = X[:20].copy()
    holes[:, 0] = np.nan
    filled = [model.predict(np.column_stack([np.full(20, x), X[:20, 1:]])) for x in np.linspace(0, 1, 101)]
    between = model.predict(holes)
    assert (between >= np.min(filled, axis=0) - 1e-9).all()
    assert (between <= np.max(filled, axis=0) + 1e-9).all()
    nothing = model.predict(np.full((1, 5), np.nan))
    assert nothing == pytest.approx(Y.mean(), abs=1.0)


@pytest.mark.parametrize("name", BY_NAME)
def test_pickle_and_clone(name):
    model = seeded(name).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict(X), model.predict(X))


@pytest.mark.parametrize("name", BY_NAME)
def test_without_a_seed_the_operating_system_is_asked(name, monkeypatch):
    """Exact: the same bytes of the operating system give the same model, others another one."""

    def fitted(stream):
        monkeypatch.setattr(os, "urandom", np.random.default_rng(stream).bytes)
        return seeded(name).set_params(random_state=None, epsilon=4.0).fit(X, Y)

    first, same, other = (fitted(stream) for stream in (1, 1, 2))
    np.testing.assert_array_equal(first.predict(X), same.predict(X))
    assert (first.predict(X) != other.predict(X)).any()
    assert not first.privacy_.simulated


@pytest.mark.usefixtures("metadata_routing")
@both_modes
def test_cross_validation_slices_the_mask(name):
    model = seeded(name).set_fit_request(mask=True)
    assert np.isfinite(cross_val_score(model, X, Y, params={"mask": MASK}, cv=3)).all()


@pytest.mark.usefixtures("metadata_routing")
def test_a_density_is_cross_validated_with_its_mask():
    model = HistOfTreeDensity(feature_bounds=(0, 1), random_state=0).set_fit_request(mask=True)
    assert np.isfinite(cross_val_score(model, X, params={"mask": MASK}, cv=3)).all()


@pytest.mark.usefixtures("metadata_routing")
@both_modes
def test_grid_search_and_pipeline_route_the_mask(name):
    model = make_pipeline(FunctionTransformer(), seeded(name).set_fit_request(mask=True))
    search = GridSearchCV(model, {"histoftreeregressor__depth": [0, 1]}, cv=2).fit(X, Y, mask=MASK)
    fitted = search.best_estimator_[-1]
    assert {group.n_private for group in fitted.privacy_.groups} == set(MASK.sum(axis=1))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@both_modes
def test_data_frames_and_their_names(frame, name):
    names = ["income", "health", "age", "town", "job"]
    table = frame(dict(zip(names, X.T, strict=True)))
    model = seeded(name, private_features=["health"], feature_bounds=dict.fromkeys(names, (0, 1)))
    model.fit(table, Y)
    assert model.feature_names_in_.tolist() == names
    assert model.partition_.histogram_features == (1,)
    plain = seeded(name, private_features=[1]).fit(X, Y)
    np.testing.assert_array_equal(model.predict(table), plain.predict(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@both_modes
def test_mask_as_a_data_frame(frame, name):
    rows, table = (frame({f"x{j}": column for j, column in enumerate(array.T)}) for array in (X, MASK))
    by_frame = seeded(name).fit(rows, Y, mask=table)
    np.testing.assert_array_equal(by_frame.predict(rows), seeded(name).fit(X, Y, mask=MASK).predict(X))


@both_modes
def test_mask_and_private_features_say_the_same(name):
    by_mask = seeded(name).fit(X, Y, mask=masks.first(300, 5, 2))
    by_index = seeded(name, private_features=[0, 1]).fit(X, Y)
    np.testing.assert_array_equal(by_mask.predict(X), by_index.predict(X))


@pytest.mark.parametrize("name", BY_NAME)
def test_report_and_html_say_what_was_spent(name, capsys):
    model = seeded(name, epsilon=1.5)
    assert "semildp-account" not in model._repr_html_()
    model.fit(X, Y)
    model.report()
    printed = capsys.readouterr().out
    assert "1.5-semi-feature local differential privacy" in printed or "e^" in printed
    assert "a simulation" in printed
    page = model._repr_mimebundle_()["text/html"]
    assert "semildp-account" in page
    assert type(model).__name__ in page
