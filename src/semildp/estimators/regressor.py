"""What regressors share: labels that are numbers, predictions, and their error bars."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from semildp._arrays import Floats
from semildp._checks import true_or_false
from semildp.errors import InputError
from semildp.estimators.base import LocallyPrivateEstimator
from semildp.estimators.domains import read_label
from semildp.estimators.inputs import check_coverage
from semildp.study import Number


class LocallyPrivateRegressor(RegressorMixin, LocallyPrivateEstimator):  # type: ignore[misc]
    """Base of the estimators whose label is a number."""

    label_bounds: Any

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predict the label; values outside the bounds count as on the bound, missing ones are averaged over.

        Parameters
        ----------
        X
            Features, one row per query. NaN and None are missing, and so is a category's value that is not known.
        return_std
            Whether to return the standard deviation of each prediction's error too: how far E[label | x] lies from it,
            root mean square.

        Returns
        -------
        ndarray
            Predictions, within the label bounds; with `return_std`, a pair of arrays.
        """
        true_or_false("return_std", return_std)
        queries = self._queries(X)
        if not return_std:
            return self.model_.mean(queries)
        mean, variance = self.model_.predict(queries)
        self._check_bars(variance)
        return mean, np.sqrt(variance)

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> tuple[Floats, Floats]:
        """Return intervals around predictions that hold E[label | x], from known noise and sampling variance.

        Parameters
        ----------
        X
            As in `predict`.
        coverage
            Share of people and studies, on average, for which the interval holds E[label | x]. It is not meant for
            single labels, which lie further off.

        Returns
        -------
        low, high : ndarray
            The ends, within the label bounds.
        """
        low, high = self.model_.interval(self._queries(X), check_coverage(coverage))
        self._check_bars(low)
        return low, high

    def _check_bars(self, found: Floats) -> None:
        """Refuse error bars that are not known."""
        if np.isnan(found).any():
            raise InputError(
                "Error bars are known for HistOfTreeRegressor and SemiPrivateRegressor. Got a model of "
                f"{type(self).__name__} without them. Call predict(X) alone, or fit one of these."
            )

    def _read_labels(self, y: Any, leaks: list[str]) -> tuple[Floats, Number]:
        labels = np.asarray(y, dtype=np.float64)
        return labels, read_label(self.label_bounds, labels, leaks)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # noise is the point: a few dozen rows teach nothing at epsilon = 1
        return tags
