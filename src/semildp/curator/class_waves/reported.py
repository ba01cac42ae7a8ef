"""Any scikit-learn classifier, fitted to reported classes; its probabilities are turned into those of true classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor

from semildp._arrays import Floats
from semildp.curator.class_waves.reports import ClassGroup
from semildp.curator.learning.fitting import fit_to_rows
from semildp.errors import refusal


def check_class_learner(learner: Any) -> None:
    """Refuse what is neither a regressor nor a classifier that predicts probabilities; None is the default."""
    usable = isinstance(learner, BaseEstimator) and (
        is_regressor(learner) or (is_classifier(learner) and hasattr(learner, "predict_proba"))
    )
    if learner is not None and not usable:
        required = "a scikit-learn regressor, a classifier with predict_proba, or None for the default"
        raise refusal("learner", required, repr(learner))


@dataclass(frozen=True, eq=False)
class TrueClasses:
    """Probabilities of true classes, from those of reported ones.

    A reported class is a mark of a report, drawn at random: its distribution is k p + (1 - k) / C, p being that of the
    true class and k the contrast. So p = (r - (1 - k) / C) / k.

    Parameters
    ----------
    fitted
        The classifier, fitted to reported classes 0..C-1; it may not know all of them.
    contrast, n_classes
        k and C.
    """

    fitted: Any
    contrast: float
    n_classes: int

    def predict(self, X: Floats) -> Floats:
        """Return one column per class; entries may be outside [0, 1]."""
        found = np.zeros((len(X), self.n_classes))
        found[:, np.asarray(self.fitted.classes_, dtype=np.int64)] = self.fitted.predict_proba(X)
        return np.asarray((found - (1 - self.contrast) / self.n_classes) / self.contrast)


@dataclass(frozen=True, eq=False)
class OneClass:
    """One column of it: a regressor, for whoever needs one."""

    of: TrueClasses
    target: int

    def predict(self, X: Floats) -> Floats:
        """Return the estimated probability of the class."""
        return np.asarray(self.of.predict(X)[:, self.target])


def fit_reported(learner: Any, seen: Sequence[Floats], groups: Sequence[ClassGroup]) -> TrueClasses:
    """Fit a classifier to all marks, one row each; `seen` has what the people of each group show.

    A group of contrast k whose unbiased indicators have variance v counts 1 / (k v) for each person: the weights of
    least variance. The contrast of all is the mean over rows, weighed as the classifier weighs them.
    """
    rows, levels, weights, contrasts = list[Floats](), list[Any](), list[Floats](), list[Floats]()
    n_classes = groups[0].response.levels
    for X, group in zip(seen, groups, strict=True):
        if not len(group):
            continue
        response, sent = group.response, len(group.marks.value) / len(group)
        contrast = 1 / (response.per_score * sent)
        rows.append(X[group.marks.person])
        levels.append(group.marks.value % n_classes)
        weights.append(np.full(len(levels[-1]), 1 / (contrast * response.total_noise * sent)))
        contrasts.append(np.full(len(levels[-1]), contrast))
    weight = np.concatenate(weights)
    weight /= weight.max()
    fitted, weighed = fit_to_rows(learner, np.concatenate(rows), np.concatenate(levels), weight)
    contrast = float(np.average(np.concatenate(contrasts), weights=weight if weighed else None))
    return TrueClasses(fitted, contrast, n_classes)
