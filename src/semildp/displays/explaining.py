"""How much of the variance each feature explains: from effects, from rows of public features, or from cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from semildp._arrays import Floats
from semildp.displays.partition import feature_edges, people_in
from semildp.models import Effect
from semildp.study import Study

LEFT = "the variance that the public prediction leaves"
LABEL = "the label's variance, as estimated"
PREDICTED = "the variance of predictions"


@dataclass(frozen=True)
class Importance:
    """What a feature explains, or two features together.

    Parameters
    ----------
    name
        What it is called.
    share
        Share of the variance.
    standard_error
        Of the share; None: not known.
    private
        Whether most people hide it.
    """

    name: str
    share: float
    standard_error: float | None
    private: bool


def effects_explain(estimator: Any, variance: float | None = None) -> list[Importance]:
    """Return what effects of private features explain: mean squares over people, over a variance.

    The variance is that of residuals of the last wave unless it is given.
    """
    names, whole = estimator.study_.names, _left(estimator) if variance is None else variance
    found = []
    for effect in estimator.effects_:
        square, error = mean_square(effect)
        found.append(Importance(" with ".join(names[j] for j in effect.features), square / whole, error / whole, True))
    return found


def mean_square(effect: Effect) -> tuple[float, float]:
    """Return the mean square of an effect over people, and its standard error: 2 E|value| deviation.

    That is by how much it moves if all values are wrong by one standard deviation at the same time.
    """
    square, error = effect.table**2, 2 * np.abs(effect.table) * effect.deviation
    for shares in reversed(effect.shares):
        square, error = square @ np.asarray(shares), error @ np.asarray(shares)
    return float(square), float(error)


def columns_explain(estimator: Any, X: Any) -> list[Importance]:
    """Return what public features explain too: half the mean squared change of predictions if a column is shuffled.

    The label's variance is that of public predictions and what they leave.
    """
    rows = estimator._queries(X).copy()  # as `predict` reads them: frames, categories by their values
    names, public = estimator.study_.names, estimator.public_columns_
    rows[:, [j for j in range(rows.shape[1]) if j not in public]] = np.nan
    predicted = estimator.model_.predict(rows)[0]
    whole = float(predicted.var()) + _left(estimator)
    rng, found = np.random.default_rng(0), effects_explain(estimator, whole)
    for j in public:
        shuffled = rows.copy()
        shuffled[:, j] = rng.permutation(rows[:, j])
        change = (estimator.model_.predict(shuffled)[0] - predicted) ** 2 / (2 * whole)
        found.append(Importance(names[j], float(change.mean()), float(change.std() / np.sqrt(len(change))), False))
    return found


def cells_explain(estimator: Any) -> list[Importance]:
    """Return what each feature alone explains of the variance of predictions, over people as they are estimated."""
    study, partition = estimator.study_, estimator.partition_
    counts = np.maximum(np.asarray(estimator.estimate_.counts), 0.0)
    values = np.asarray(estimator.estimate_.values)
    whole = _variance(values, counts)
    found = []
    for j, feature in enumerate(study.features):
        edges = feature_edges(partition, study, j)
        queries = _one_known(study, j, edges)
        people = people_in(partition, queries, counts, np.diff(edges))
        share = _variance(estimator.model_.predict(queries)[0], people) / whole if whole > 0 else 0.0
        found.append(Importance(feature.name, share, None, j in partition.histogram_features))
    return found


def _one_known(study: Study, feature: int, edges: Floats) -> Floats:
    """Return a query for each place of a feature, the others missing."""
    queries = np.full((len(edges) - 1, len(study.features)), np.nan)
    queries[:, feature] = (edges[:-1] + edges[1:]) / 2
    return queries


def _variance(values: Floats, people: Floats) -> float:
    """Return the variance of values over people."""
    if people.sum() <= 0:
        return 0.0
    mean = np.average(values, weights=people)
    return float(np.average((values - mean) ** 2, weights=people))


def _left(estimator: Any) -> float:
    """Return the variance of residuals of the last wave that asked for them; 1 if none did."""
    variances = [wave.variance for wave in estimator.waves_ if hasattr(wave, "variance")]
    return float(variances[-1]) if variances else 1.0
