"""Fitting any scikit-learn regressor to noisy labels, with weights and missing entries as far as it takes them."""

from __future__ import annotations

import re
from typing import Any

import sklearn
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from semildp._arrays import Floats, Ints
from semildp.curator.learning.noisy_label_average import NoisyLabelAverage
from semildp.curator.learning.rows import Column, Rows
from semildp.errors import refusal


def check_learner(learner: Any) -> None:
    """Refuse what is not a scikit-learn regressor; None is the default."""
    if learner is not None and not (isinstance(learner, BaseEstimator) and is_regressor(learner)):
        raise refusal("learner", "a scikit-learn regressor, or None for the default", repr(learner))


def fit_learner(
    learner: Any, seen: Rows, labels: Column, precision: Column, caution: float, *, pilot: bool = False
) -> Any:
    """Fit a learner to noisy labels, weighted where it can be; missing entries are filled where it needs that.

    The default reads rows when it needs them, others get all of them. Those it will predict for may have missing
    entries even if nobody here has. As a `pilot`, the default takes less time.
    """
    if learner is None:
        return NoisyLabelAverage(caution).fit_rows(seen, labels, precision, pilot=pilot)
    return fit_to_rows(learner, seen[:], labels[:], precision[:])[0]


def fit_to_rows(learner: Any, rows: Floats, labels: Floats | Ints, weights: Floats) -> tuple[Any, bool]:
    """Fit any learner, filling missing entries in where it needs that; say whether it took the weights."""
    fresh = clone(learner)
    if get_tags(fresh).input_tags.allow_nan:
        return _fit_weighted(fresh, rows, labels, weights)
    from sklearn.impute import SimpleImputer  # here: slow to load, and the default needs neither
    from sklearn.pipeline import make_pipeline

    fill = SimpleImputer(keep_empty_features=True).fit(rows)
    fitted, weighted = _fit_weighted(fresh, fill.transform(rows), labels, weights)
    return make_pipeline(fill, fitted), weighted


def _fit_weighted(learner: Any, X: Floats, y: Floats | Ints, weights: Floats) -> tuple[Any, bool]:
    """Fit any learner, with weights if it takes them: itself, or with metadata routing on, through what it consists of.

    A learner that consists of others may take weights and then find that a part cannot: it is fitted without.
    """
    try:
        if _takes_weights(learner):
            return clone(learner).fit(X, y, sample_weight=weights), True
    except (TypeError, ValueError, NotImplementedError) as problem:
        if not re.search("sample.weight|metadata routing", str(problem)):
            raise
    return learner.fit(X, y), False


def _takes_weights(learner: Any) -> bool:
    if has_fit_parameter(learner, "sample_weight"):
        return True
    routing = sklearn.get_config()["enable_metadata_routing"]
    return routing and bool(get_routing_for_object(learner).consumes("fit", ["sample_weight"]))
