"""Metadata routing, pipelines, searches: any learner, any mask, and the same result with routing on or off."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    HistGradientBoostingRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from semildp import HistOfTreeRegressor, SemiPrivateRegressor, masks
from semildp.baselines import LabelTreeRegressor, PublicTreeRegressor
from semildp.curator.learning.fitting import _fit_weighted
from tests.people import BOUNDS, simulate

N = 240
X, Y, _ = simulate(N)
NAMES = ["a", "b", "c", "d", "e"]
FRAME = pd.DataFrame(X, columns=NAMES)
MASKS = {
    "nobody hides": masks.first(N, 5, 0),
    "everyone hides two": masks.first(N, 5, 2),
    "everyone hides all": masks.first(N, 5, 5),
    "personal": masks.heavy_tail(N, 5, 1.0),
}
LEARNERS = {
    "the default": None,
    "weights, no missing values": LinearRegression(),
    "its own cross-validation": RidgeCV(),
    "weights and missing values": HistGradientBoostingRegressor(max_iter=3),
    "no weights": KNeighborsRegressor(),
    "weights, but not for its parts": BaggingRegressor(KNeighborsRegressor(), 2, random_state=0),
    "weights for its parts": BaggingRegressor(LinearRegression(), 2, random_state=0),
    "no routing": AdaBoostRegressor(n_estimators=2, random_state=0),
    "votes": VotingRegressor([("a", Ridge()), ("b", KNeighborsRegressor())]),
    "stacked": StackingRegressor([("a", Ridge()), ("b", KNeighborsRegressor())]),
    "pipeline": make_pipeline(StandardScaler(), Ridge()),
    "pipeline that fills in": make_pipeline(SimpleImputer(), KNeighborsRegressor()),
    "search": GridSearchCV(Ridge(), {"alpha": [1.0, 10.0]}, cv=2),
    "another target": TransformedTargetRegressor(Ridge(), transformer=StandardScaler()),
}


@pytest.fixture
def metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def model(**parameters):
    return SemiPrivateRegressor(**{"epsilon": 4.0, **BOUNDS, "random_state": 0, **parameters})


CASES = [(learner, "personal") for learner in LEARNERS]  # where entries are missing; and of the others one, in turn
CASES += [(learner, tuple(MASKS)[k % 3]) for k, learner in enumerate(LEARNERS)]


@pytest.mark.parametrize(("learner", "mask"), CASES)
def test_any_learner_and_any_mask_with_metadata_routing(learner, mask):
    predicted = []
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            predicted.append(model(learner=LEARNERS[learner]).fit(X, Y, mask=MASKS[mask]).predict(X))
    assert np.isfinite(predicted[0]).all()
    if learner not in ("weights for its parts", "no routing"):  # with routing on, these take no weights unless told to
        np.testing.assert_allclose(*predicted)


@pytest.mark.usefixtures("metadata_routing")
@pytest.mark.parametrize("learner", LEARNERS)
def test_cross_validation_of_a_pipeline_with_any_learner(learner):
    pipeline = make_pipeline(FunctionTransformer(), model(learner=LEARNERS[learner]).set_fit_request(mask=True))
    params = {"mask": MASKS["personal"]}
    scores = cross_validate(pipeline, X, Y, params=params, cv=2, error_score="raise")["test_score"]
    assert np.isfinite(scores).all()


@pytest.mark.usefixtures("metadata_routing")
@pytest.mark.filterwarnings("ignore::semildp.errors.EpsilonSearchWarning")
def test_a_search_over_the_learner_s_own_parameters():
    inner = model(learner=make_pipeline(StandardScaler(), Ridge())).set_fit_request(mask=True)
    grid = {"semiprivateregressor__learner__ridge__alpha": [1.0, 100.0], "semiprivateregressor__epsilon": [2.0, 4.0]}
    search = GridSearchCV(make_pipeline(FunctionTransformer(), inner), grid, cv=2, error_score="raise")
    fitted = search.fit(X, Y, mask=MASKS["personal"]).best_estimator_[-1]
    assert {group.n_private for group in fitted.privacy_.groups} == set(MASKS["personal"].sum(axis=1))


@pytest.mark.usefixtures("metadata_routing")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_masks_that_are_frames_are_sliced_and_matched(frame):
    rows, mask = (frame(dict(zip(NAMES, array.T, strict=True))) for array in (X, MASKS["personal"]))
    request = model(learner=LinearRegression()).set_fit_request(mask=True)
    by_frame = cross_validate(request, rows, Y, params={"mask": mask[NAMES[::-1]]}, cv=2, error_score="raise")
    by_array = cross_validate(request, X, Y, params={"mask": MASKS["personal"]}, cv=2, error_score="raise")
    np.testing.assert_array_equal(by_frame["test_score"], by_array["test_score"])


@pytest.mark.usefixtures("metadata_routing")
@pytest.mark.parametrize("estimator", [HistOfTreeRegressor, PublicTreeRegressor, LabelTreeRegressor])
def test_the_other_estimators_route_as_well(estimator):
    mask = MASKS["nobody hides" if estimator is LabelTreeRegressor else "personal"]
    request = estimator(4.0, **BOUNDS).set_fit_request(mask=True)
    scores = cross_validate(make_pipeline(FunctionTransformer(), request), X, Y, params={"mask": mask}, cv=2)
    assert np.isfinite(scores["test_score"]).all()


WEIGHTS = np.random.default_rng(0).uniform(0.1, 1, size=N)


def fit_weighted(learner, X, y, weights):
    return _fit_weighted(learner, X, y, weights)[0]


def test_weights_reach_every_learner_that_takes_them():
    expected = Ridge().fit(X, Y, WEIGHTS).predict(X)
    np.testing.assert_allclose(fit_weighted(Ridge(), X, Y, WEIGHTS).predict(X), expected)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = make_pipeline(FunctionTransformer(), Ridge().set_fit_request(sample_weight=True))
        np.testing.assert_allclose(fit_weighted(Ridge(), X, Y, WEIGHTS).predict(X), expected)
        np.testing.assert_allclose(fit_weighted(asking, X, Y, WEIGHTS).predict(X), expected)
        plain = fit_weighted(make_pipeline(FunctionTransformer(), Ridge()), X, Y, WEIGHTS)
    np.testing.assert_allclose(plain.predict(X), Ridge().fit(X, Y).predict(X))


def test_a_learner_that_fails_for_another_reason_says_so():
    class Fails(Ridge):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("too little light")

    with pytest.raises(ValueError, match="too little light"):
        fit_weighted(Fails(), X, Y, WEIGHTS)


def test_weights_reach_a_learner_whose_missing_values_are_filled_in():
    """Half of the people answer with less noise: an unweighted fit differs."""

    class Spy(LinearRegression):
        seen = ()

        def fit(self, X, y, sample_weight=None):
            Spy.seen = (X, sample_weight)
            return super().fit(X, y, sample_weight)

    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            fitted = model(learner=Spy()).fit(X, Y, mask=MASKS["personal"])
        rows, weights = Spy.seen
        assert np.isfinite(rows).all()
        assert weights.shape == (len(rows),)
        assert np.isfinite(fitted.learner_.predict(np.full((1, rows.shape[1]), np.nan))).all()
