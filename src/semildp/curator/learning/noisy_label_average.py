"""The default learner on public features and noisy labels: works untuned from fifty people to a million."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from semildp._arrays import Floats, Ints
from semildp.curator.learning.design import Design
from semildp.curator.learning.interactions import boost, step_edges
from semildp.curator.learning.ridge import fold_sums, predictions, ridge
from semildp.errors import refusal
from semildp.models.learned import Average, PairTable, PairTables, pair_codes, step_codes


class NoisyLabelAverage(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    def __init__(self, caution: float = 1.0, random_state: int = 0, rough: bool = False) -> None:
        self.caution = caution
        self.random_state = random_state
        self.rough = rough

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        data, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True)
        labels = np.asarray(labels, dtype=np.float64)
        weights = _check_weights(sample_weight, len(labels))
        self.mean_ = float(np.average(labels, weights=weights))
        self.columns_ = _varying(data)
        self.trust_, self.weights_ = 0.0, np.zeros(0)
        self.members_ = []
        if len(self.columns_) and len(labels) >= 10:
            self._fit_members(data[:, self.columns_], labels, weights)
        return self

    def _fit_members(self, X, y, w):
        n = len(y)
        rng = np.random.default_rng(self.random_state)
        order = rng.permutation(n)
        X, y, w = X[order], y[order] - self.mean_, w[order] / w.mean()
        k = 5 if n < 5000 else 3 if n < 200_000 else 2
        ends = np.linspace(0, n, k + 1).astype(int)
        folds = [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]
        design = Design.of(X)
        sums = fold_sums(design, X, y, w, folds)
        total = sums.sum(axis=0)
        widths = [design.n_linear] + ([total.shape[0] - 1] if len(design.curved) else [])
        p = total.shape[0] - 1
        coefs = np.zeros((p, len(widths), k + 1))
        for j, s in enumerate([total - f for f in sums] + [total]):
            for i, width in enumerate(widths):
                coefs[:width, i, j] = ridge(s, width)
        everyone = predictions(design, X, coefs[:, :, :k].reshape(p, -1)).reshape(n, len(widths), k)
        outside = np.concatenate([everyone[f, :, j] for j, f in enumerate(folds)]).T
        means = np.concatenate([np.full(f.stop - f.start, (total - s)[0, p] / (total - s)[0, 0]) for f, s in zip(folds, sums)])
        dev = outside - means
        self.weights_ = _weights(w * (dev - y) ** 2)
        additive = self.weights_ @ dev
        self.members_ = [design.member(coefs[:width, i, k], self.mean_) for i, width in enumerate(widths)]
        if not self.rough and X.shape[1] > 1:
            edges = step_edges(X)
            codes = step_codes(X, edges)
            b = np.zeros(n)
            sum_tables = {}
            for j, f in enumerate(folds):
                keep = np.r_[0 : f.start, f.stop : n]
                left = y[keep] - everyone[keep, :, j] @ self.weights_
                tables = boost(codes[:, keep], left, w[keep], rng)
                for pair, t in tables.items():
                    if t.any():
                        b[f] += t[pair_codes(codes[:, f], *pair)]
                        sum_tables[pair] = sum_tables.get(pair, 0) + t / k
            slope, err = _slope(b, y - additive, w)
            c = float(np.clip(min(slope, 1.5) - self.caution * err, 0, 1.5))
            self.raw_ = (slope, err)
            if c > 0:
                additive = additive + c * b
                self.weights_ = np.append(self.weights_, c)
                self.members_.append(PairTables(edges, tuple(PairTable(*p, tuple(t.tolist())) for p, t in sum_tables.items())))
        slope, err = _slope(additive, y, w)
        self.trust_ = float(np.clip(min(slope, 1.0) - self.caution * err, 0.0, 1.0))
        self.average_ = Average(tuple(range(X.shape[1])), self.mean_, self.trust_, tuple(self.weights_.tolist()), tuple(self.members_))

    def predict(self, X: Any) -> Floats:
        """Predict the label."""
        check_is_fitted(self)
        data = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        if self.trust_ == 0:
            return np.full(len(data), self.mean_)
        return self.average_.predict(data[:, self.columns_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True
        return tags


def _slope(dev, y, w):
    square = float(w @ dev**2)
    if square == 0:
        return 0.0, 0.0
    slope = float(w @ (dev * y)) / square
    left = y - slope * dev
    return slope, float(np.sqrt(w**2 @ (dev * left) ** 2)) / square


def _varying(X: Floats) -> Ints:
    """Return the columns in which at least two different values are seen."""
    low = np.where(np.isnan(X), np.inf, X).min(axis=0)
    high = np.where(np.isnan(X), -np.inf, X).max(axis=0)
    return np.flatnonzero(low < high)


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
