"""What classifiers share: labels from a public list of classes, probabilities, and the likeliest class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from semildp._arrays import Floats
from semildp._checks import short, true_or_false
from semildp.errors import InputError, refusal
from semildp.estimators.base import LocallyPrivateEstimator
from semildp.estimators.inputs import check_coverage, is_list, leak
from semildp.models.class_cells import ClassCellBody
from semildp.study import Classes, is_name


class LocallyPrivateClassifier(ClassifierMixin, LocallyPrivateEstimator):  # type: ignore[misc]
    """Base of the estimators whose label is a class."""

    classes: Any
    classes_: Any
    _y_numeric = False

    def predict_proba(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        X
            Features, one row per query. NaN and None are missing, and so is a category's value that is not known.
        return_std
            Whether to return the standard deviation of each probability's error too.

        Returns
        -------
        ndarray
            One column per class, in the order of `classes_`; rows add up to 1. With `return_std`, a pair of arrays.
        """
        true_or_false("return_std", return_std)
        queries = self._queries(X)  # refuses an estimator that is not fitted
        if not return_std:
            return self.model_.probabilities(queries)
        self._check_bars()
        found, variance = self.model_.predict_proba(queries)
        return found, np.sqrt(variance)

    def predict_proba_interval(self, X: ArrayLike, coverage: float = 0.9) -> tuple[Floats, Floats]:
        """Return intervals around probabilities that hold P(class | x), from known noise and sampling variance.

        Parameters
        ----------
        X
            As in `predict_proba`.
        coverage
            Share of people and studies, on average, for which the interval of a class holds its probability.

        Returns
        -------
        low, high : ndarray
            The ends, one column per class, between 0 and 1.
        """
        queries, share = self._queries(X), check_coverage(coverage)
        self._check_bars()
        return self.model_.proba_interval(queries, share)

    def _check_bars(self) -> None:
        """Refuse error bars of a model that has none."""
        if isinstance(self.model_.body, ClassCellBody) and not self.model_.body.bars:
            raise InputError(
                "Error bars of probabilities are known for SemiPrivateClassifier and for HistOfTreeClassifier where "
                "cell and class are sent together. Got the paper's method for classes. Call predict_proba(X) alone, or "
                "pass cell_mechanism='joint'."
            )

    def predict(self, X: ArrayLike) -> Any:
        """Predict the likeliest class; of classes that are as likely, the first.

        Parameters
        ----------
        X
            Features, as in `predict_proba`.

        Returns
        -------
        ndarray
            Entries of `classes_`.
        """
        probabilities = self.predict_proba(X)  # refuses a classifier that is not fitted
        return self.classes_[np.argmax(probabilities, axis=1)]

    def _read_labels(self, y: Any, leaks: list[str]) -> tuple[Floats, Classes]:
        """Return labels as places in the list of classes, and the list as words."""
        check_classification_targets(y)
        self.classes_, labels = read_classes(self.classes, np.asarray(y), leaks)
        return labels, Classes(tuple(str(value) for value in self.classes_.tolist()))

    def _protocols(self) -> Mapping[str, Callable[..., Any]]:
        from semildp.protocols import CLASS_PROTOCOLS

        return CLASS_PROTOCOLS

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # noise is the point: a few dozen rows teach nothing at epsilon = 1
        return tags


def read_classes(classes: Any, y: Any, leaks: list[str]) -> tuple[Any, Floats]:
    """Return the classes in rising order, as given or else those of the labels, with a warning; and labels as places.

    A label that is not among them is refused, without being shown.
    """
    required = "a list of at least two different classes"
    if classes is not None and not is_list(classes):
        raise refusal("classes", required, short(classes))
    try:
        listed = np.asarray(y if classes is None else classes)
        found = np.unique(listed)
    except (TypeError, ValueError):  # words beside numbers, or lists
        raise refusal("classes", f"{required}, all words or all numbers", "others") from None
    if listed.ndim != 1:
        raise refusal("classes", required, "a list of lists")
    if len(found) < 2:
        raise refusal("classes", required, "one class, or none", "Pass classes=[...], those that nobody has included.")
    words = [str(value) for value in found.tolist()]
    if not all(is_name(word) for word in words) or len(set(words)) < len(words):
        raise refusal("classes", "words or numbers that can be written down, each different", "others")
    if classes is None:
        leak(leaks, "classes", "the private labels", "classes=[...]")
    place = np.searchsorted(found, y) if found.dtype.kind == y.dtype.kind or _both_numbers(found, y) else None
    wrong = len(y) if place is None else int((found[np.minimum(place, len(found) - 1)] != y).sum())
    if place is None or wrong:
        raise InputError(
            f"Labels must be among `classes`. Got others in {wrong} of {len(y)} rows. Leave such rows out, or add "
            "their classes to the list."
        )
    return found, place.astype(np.float64)


def _both_numbers(first: Any, second: Any) -> bool:
    return first.dtype.kind in "iufb" and second.dtype.kind in "iufb"
