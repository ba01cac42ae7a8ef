"""The default learner on public features and noisy labels: works untuned from fifty people to a million."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from semildp._arrays import Floats, Ints
from semildp.errors import refusal

_MANY = 20_000
_SPLINE_ENTRIES = 2 * 10**7  # more numbers than this are not expanded in splines: memory
_TREE_PEOPLE = 4_000  # people per tree: with noisy labels many small trees do as well as large ones


class NoisyLabelAverage(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Averages quite different learners and trusts them only as far as held-out noisy labels bear them out.

    A ridge regression, a ridge regression on splines and a forest with large leaves are weighted by their out-of-fold
    error on noisy labels, equal within its standard error. The average's deviation from the mean is scaled by the
    slope of the noisy labels on it, at most 1, less `caution` standard errors, cut at 0: where the labels are too noisy
    to learn from, what is left is the mean.

    Parameters
    ----------
    caution
        How many standard errors of that slope are taken off.
    random_state
        Seed of folds and forest; no privacy depends on it.

    Attributes
    ----------
    weights_
        Weight of each member.
    trust_
        Factor of the deviation from the mean.
    columns_
        The columns that vary.
    mean_
        The mean of the noisy labels.
    """

    def __init__(self, caution: float = 1.0, random_state: int = 0) -> None:
        self.caution = caution
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit all members, once on everybody and once per fold.

        Parameters
        ----------
        X
            Public features; missing values are allowed.
        y
            Noisy labels.
        sample_weight
            Precision of each label, up to a factor. None: all the same.
        """
        data, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True)
        labels = np.asarray(labels, dtype=np.float64)
        weights = _check_weights(sample_weight, len(labels))
        self.mean_ = float(np.average(labels, weights=weights))
        self.columns_ = _varying(data)
        self.trust_, self.weights_ = 0.0, np.zeros(0)
        if len(self.columns_) and len(labels) >= 10:
            self._fit_members(data[:, self.columns_], labels, weights)
        return self

    def _fit_members(self, X: Floats, y: Floats, w: Floats) -> None:
        members = _members(X.shape, self.random_state)
        folds = KFold(5 if len(y) < _MANY else 2, shuffle=True, random_state=self.random_state)
        means = _outside(DummyRegressor(), folds, X, y, {"sample_weight": w})
        outside = np.array([_outside(m, folds, X, y, _last_step(m, w)) - means for m in members])
        centred = y - self.mean_
        self.weights_ = _weights(w * (outside - centred) ** 2)
        deviation = self.weights_ @ outside
        square = float(w @ deviation**2)
        if square == 0:
            return
        slope = float(w @ (deviation * centred)) / square
        left = centred - slope * deviation
        error = float(np.sqrt(w**2 @ (deviation * left) ** 2)) / square
        self.trust_ = float(np.clip(min(slope, 1.0) - self.caution * error, 0.0, 1.0))
        self.members_ = [_fitted(member, X, y, w) for member in members]

    def predict(self, X: Any) -> Floats:
        """Predict the label."""
        check_is_fitted(self)
        data = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        if self.trust_ == 0:
            return np.full(len(data), self.mean_)
        each = np.array([member.predict(data[:, self.columns_]) for member in self.members_])
        return np.asarray(self.mean_ + self.trust_ * (self.weights_ @ each - self.mean_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True
        return tags


def _varying(X: Floats) -> Ints:
    """Return the columns in which at least two different values are seen."""
    low = np.where(np.isnan(X), np.inf, X).min(axis=0)
    high = np.where(np.isnan(X), -np.inf, X).max(axis=0)
    return np.flatnonzero(low < high)


def _members(shape: tuple[int, int], random_state: int) -> list[Any]:
    n_people, n_columns = shape
    penalties = np.logspace(-1, 6, 15 if n_people < _MANY // 4 else 5)  # with many people the penalty hardly matters
    per_tree = min(n_people, _TREE_PEOPLE)
    forest = RandomForestRegressor(
        40,
        min_samples_leaf=max(5, per_tree // 20),
        max_samples=per_tree / n_people if n_people > per_tree else None,
        max_features=0.5,
        random_state=random_state,
    )
    members = [
        make_pipeline(SimpleImputer(), StandardScaler(), RidgeCV(penalties)),
        make_pipeline(SimpleImputer(), forest),
    ]
    if n_people * n_columns <= _SPLINE_ENTRIES:
        spline = SplineTransformer(5, extrapolation="constant")
        members.append(make_pipeline(SimpleImputer(), spline, StandardScaler(), RidgeCV(penalties)))
    return members


def _fitted(member: Any, X: Floats, y: Floats, weights: Floats) -> Any:
    """Fit a copy of a pipeline, with weights for its last step, whether or not metadata routing is on outside."""
    with sklearn.config_context(enable_metadata_routing=False):
        return clone(member).fit(X, y, **_last_step(member, weights))


def _outside(member: Any, folds: KFold, X: Floats, y: Floats, params: dict[str, Floats]) -> Floats:
    """Predict everybody's label from the other folds, whether or not metadata routing is on outside."""
    with sklearn.config_context(enable_metadata_routing=False):
        return np.asarray(cross_val_predict(member, X, y, cv=folds, params=params))


def _last_step(member: Any, weights: Floats) -> dict[str, Floats]:
    return {f"{member.steps[-1][0]}__sample_weight": weights}


def _check_weights(weights: Any, n_people: int) -> Floats:
    """Return weights as an array; None is the same for all."""
    array = np.ones(n_people) if weights is None else np.asarray(weights, dtype=np.float64)
    if array.shape != (n_people,) or not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise refusal("sample_weight", f"{n_people} numbers, 0 or more and not all 0", f"shape {array.shape}")
    return array


def _weights(losses: Floats) -> Floats:
    """Weigh members by e**-z, z being how many standard errors their loss is above the lowest."""
    best = int(np.argmin(losses.mean(axis=1)))
    excess = losses - losses[best]
    error = excess.std(axis=1) / np.sqrt(losses.shape[1])
    z = excess.mean(axis=1) / np.where(error > 0, error, 1.0)
    weights = np.exp(-z)
    return np.asarray(weights / weights.sum())
