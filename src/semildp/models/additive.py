"""A model of public features plus the effects of private ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.models.bars import Bars, Errors
from semildp.models.effects import Effect
from semildp.models.expectation import Expectation
from semildp.models.learned import Average
from semildp.study import Study

CHUNK = 2**15  # rows at a time: what is made of them stays in the processor's cache


class AdditiveBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="additive"):
    """A learnt function of public features, moved by `pull`, plus the effects of private features.

    Parameters
    ----------
    columns
        The public features it uses; a category enters as one column per value.
    learned
        The function of them.
    pull
        What is added to every prediction: few noisy labels are weighed against the middle of the bounds.
    noisy_mean
        Mean of all noisy labels, weighted by their precision.
    effects
        What private features add.
    expectations
        Where private features are expected, given public columns.
    bars
        What error bars are made of; None where there are none.
    """

    columns: tuple[int, ...]
    learned: Average
    pull: float
    noisy_mean: float
    effects: tuple[Effect, ...]
    expectations: tuple[Expectation, ...]
    bars: Bars | None = None

    def predict(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return predictions within the label bounds, and the mean square of their error."""
        return _predict(self, study, X, lambda errors: errors.square)

    def mean(self, study: Study, X: Floats) -> Floats:
        """Return predictions alone."""
        return _predict(self, study, X, None)[0]

    def around(self, study: Study, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return predictions, and how far on either side of them f lies with this probability."""
        return _predict(self, study, X, lambda errors: errors.within(coverage))


@dataclass(frozen=True, eq=False)
class OpaqueBody:
    """The same with any fitted scikit-learn regressor, which cannot be written as JSON."""

    columns: tuple[int, ...]
    learned: Any
    pull: float
    noisy_mean: float
    effects: tuple[Effect, ...]
    expectations: tuple[Expectation, ...]
    bars: Bars | None = None

    def predict(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return predictions within the label bounds, and the mean square of their error."""
        return _predict(self, study, X, lambda errors: errors.square)

    def mean(self, study: Study, X: Floats) -> Floats:
        """Return predictions alone."""
        return _predict(self, study, X, None)[0]

    def around(self, study: Study, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return predictions, and how far on either side of them f lies with this probability."""
        return _predict(self, study, X, lambda errors: errors.within(coverage))


def public_view(study: Study, columns: tuple[int, ...], X: Floats) -> Floats:
    """Return public features as a learner sees them: numbers as they are, a category as one column per value.

    Without any there is one constant column. A missing category is missing in all of its columns.
    """
    n_values = study.n_values
    if columns and all(n_values[j] is None for j in columns):
        return X.take(columns, axis=1)
    parts = [np.zeros((len(X), 0 if columns else 1))]
    for j in columns:
        column, values = X[:, j : j + 1], n_values[j]
        if values is not None:
            column = np.where(np.isnan(column), np.nan, np.rint(column) == np.arange(values))
        parts.append(column)
    return np.concatenate(parts, axis=1)


def public_prediction(body: AdditiveBody | OpaqueBody, study: Study, X: Floats) -> Floats:
    """Predict from public features, within the label bounds."""
    seen = public_view(study, body.columns, X)
    return np.asarray(np.clip(body.learned.predict(seen), *study.label_bounds))


def _predict(
    body: AdditiveBody | OpaqueBody, study: Study, X: Floats, read: Callable[[Errors], Floats] | None
) -> tuple[Floats, Floats]:
    """Return predictions, and what is read off the distribution of their errors; NaN if that is not known."""
    found, error = np.empty(len(X)), np.full(len(X), np.nan)
    for start in range(0, len(X), CHUNK):
        chunk, rows = slice(start, start + CHUNK), X[start : start + CHUNK]
        public = public_prediction(body, study, rows) + body.pull
        predicted = public
        if body.effects:
            predicted = predicted + added_effects(body, study, rows)
        found[chunk] = np.clip(predicted, *study.label_bounds)
        if read is not None and body.bars is not None:
            error[chunk] = read(body.bars.errors(rows, study.bounds.scale(rows), public, body.effects))
    return found, error


def added_effects(body: AdditiveBody | OpaqueBody, study: Study, X: Floats) -> Floats:
    """Return what private features add, beyond what the public prediction has of it already."""
    expectations = {e.feature: e for e in body.expectations}
    unit, seen, total = study.bounds.scale(X), public_view(study, body.columns, X), np.zeros(len(X))
    for effect in body.effects:
        total += effect.at(unit, expectations, seen)
    return total


def errors_of(body: AdditiveBody | OpaqueBody, study: Study, X: Floats, predicted: Floats) -> Errors | None:
    """Return what is known of f less another prediction of it at rows of features; None without error bars."""
    if body.bars is None:
        return None
    added = added_effects(body, study, X) if body.effects else 0.0
    return body.bars.errors(X, study.bounds.scale(X), predicted - added, body.effects)
