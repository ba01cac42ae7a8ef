"""What all estimators share: reading input, checking queries, telling what was spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from semildp._checks import privacy_parameter, true_or_false
from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.estimators.account import PrivacyAccount
from semildp.estimators.accountant import charge, counting_process
from semildp.estimators.coding import refuse_dates, refuse_words
from semildp.estimators.inputs import read_feature_bounds, read_label_bounds, read_mask, without_values
from semildp.estimators.names import Columns, refuse_namesakes
from semildp.masks import Mask

Floats = NDArray[np.float64]

PARTICIPATIONS = ("split", "both")


@dataclass(frozen=True)
class Terms:
    """What is public before anyone is asked, and which of it had to be read from the data after all."""

    feature_bounds: FeatureBounds
    label_bounds: tuple[float, float]
    leaks: tuple[str, ...]


class LocallyPrivateRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: they differ in what people send and what the curator makes of it."""

    epsilon: float
    label_bounds: Any
    feature_bounds: Any
    private_features: Any
    clip: bool
    random_state: Any
    n_features_in_: int
    privacy_: PrivacyAccount
    _counted_in: int | None = None  # the process of the accountant that was open when this was sent to a worker

    def fit(self, X: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> Self:
        """Collect everybody's reports and learn from them.

        Parameters
        ----------
        X
            Features, one row per person; entries that are private may be NaN.
        y
            Labels, always private.
        mask
            One row per person, 1 where the person keeps the feature private. A data frame is matched to `X` by column
            name and index. Not together with `private_features`.

        Returns
        -------
        self
        """
        privacy_parameter("epsilon", self.epsilon)
        true_or_false("clip", self.clip)
        raw, labels = self._numbers(X, y, ensure_all_finite="allow-nan", y_numeric=True)
        labels = np.asarray(labels, dtype=np.float64)
        columns = Columns.of(X, raw.shape[1])
        chosen = read_mask(mask, self.private_features, X, len(raw), columns)
        leaks: list[str] = []
        bounds = read_feature_bounds(self.feature_bounds, raw, columns, leaks)
        label_bounds = read_label_bounds(self.label_bounds, labels, leaks)
        charge(type(self).__name__, self.epsilon, self._counted_in)
        self._learn(raw, labels, chosen, Terms(bounds, label_bounds, tuple(leaks)))
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Predict the label of rows whose every feature is known; values outside the bounds count as on the bound.

        Parameters
        ----------
        X
            Features, one row per query.

        Returns
        -------
        ndarray
            Predictions, within the label bounds.
        """
        check_is_fitted(self)
        queries: Floats = self._numbers(X, reset=False)
        return self._predict(queries)

    def report(self) -> str:
        """Print what was spent, by whom and under which definition, and return it as text."""
        check_is_fitted(self)
        text = self._report_text()
        print(text)
        return text

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        """Collect and learn; sets all fitted attributes."""
        raise NotImplementedError

    def _predict(self, X: Floats) -> Floats:
        """Predict checked queries."""
        raise NotImplementedError

    def _numbers(self, X: Any, y: Any = "no_validation", **checks: Any) -> Any:
        """Return X, or X and y, as arrays of floats, or refuse them without showing a value."""
        refuse_namesakes(X)
        refuse_dates(X)
        try:
            return validate_data(self, X, y, dtype=np.float64, **checks)
        except OverflowError:  # whole numbers beyond float64
            raise InputError("`X` and `y` must be numbers that fit in float64. Got larger ones.") from None
        except (TypeError, ValueError) as caught:
            problem = caught
        refuse_words(X)  # not while the problem is handled: it would be shown as well
        told = without_values(str(problem))
        raise problem if told == str(problem) else InputError(told)

    def _report_text(self) -> str:
        return self.privacy_.as_text()

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _repr_html_(self) -> str:
        drawing: str = estimator_html_repr(self)
        return drawing + self.privacy_.as_html() if hasattr(self, "privacy_") else drawing

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {**super().__getstate__(), "_counted_in": counting_process()}
        return state if state["_counted_in"] is not None else {k: v for k, v in state.items() if k != "_counted_in"}

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        if self._counted_in is not None:
            copy._counted_in = self._counted_in
        return copy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # noise is the point: a few dozen rows teach nothing at epsilon = 1
        return tags
