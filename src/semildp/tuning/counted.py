"""CountedSearch: a search that says what it asks of people, and stops where they have had enough."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from semildp.estimators.accountant import BudgetAccountant
from semildp.tuning.costs import SearchCost


class CountedSearch(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Runs a search inside a `BudgetAccountant`, and keeps what it came to.

    In a simulation nobody is asked, and a search costs nothing; on devices each of its fits would ask the same people
    again. `cost_` is known before the first fit; if `limit` is less than what a person could spend, `LimitError` is
    raised by the fit that would pass it.

    Parameters
    ----------
    search
        `GridSearchCV`, `RandomizedSearchCV` or another search, around an estimator of semildp. Its fits must run in
        this process: n_jobs=1, or threads.
    limit
        The most that one person may spend in all fits together. None only adds up.

    Attributes
    ----------
    search_
        The fitted search.
    cost_
        `SearchCost`: what one person would spend on a device.
    accountant_
        The `BudgetAccountant`: every fit, counted as made on the same people, which is never less.
    """

    def __init__(self, search: Any, limit: Any = None) -> None:
        self.search = search
        self.limit = limit

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Run the search; parameters are passed on to its `fit`."""
        self.cost_ = SearchCost.of(self.search, X, y, groups=params.get("groups"))
        self.accountant_ = BudgetAccountant(self.limit)
        search = clone(self.search)
        with self.accountant_:
            self.search_ = search.fit(X, y, **params)
        return self

    def predict(self, X: Any) -> Any:
        """Predict by the best candidate."""
        check_is_fitted(self)
        return self.search_.predict(X)

    def report(self) -> str:
        """Print what the search would have spent on devices, and return it as text."""
        check_is_fitted(self)
        text = f"{self.cost_.as_text()}\n{self.accountant_.as_text()}"
        print(text)
        return text
