"""What a search or a cross-validation would spend if people were asked on their devices: every fit asks again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold, KFold, ParameterGrid, ParameterSampler, StratifiedKFold, check_cv

from semildp._checks import short
from semildp.budgets import exact
from semildp.errors import InputError, refusal
from semildp.estimators.figures import rounded_up

_SEARCH = "a search with `param_grid` or `param_distributions`, or an estimator of semildp with `cv`"


@dataclass(frozen=True)
class SearchCost:
    """What one person would spend, on their device, in a search or a cross-validation.

    A person is asked by every fit whose training part they are in. `SearchCost.of` reads it off a search before it is
    run; `print(cost.as_text())` says it in words.

    Parameters
    ----------
    epsilons
        Epsilon of each candidate, all private estimators of a pipeline added up.
    n_splits
        Splits into training and test part that each candidate is fitted to.
    trained
        In how many of the training parts one person is, at most.
    refit
        Whether the best is fitted to everybody in the end.
    """

    epsilons: tuple[Fraction, ...]
    n_splits: int
    trained: int
    refit: bool

    @classmethod
    def of(cls, search: Any, X: Any = None, y: Any = None, *, cv: Any = None, groups: Any = None) -> Self:
        """Read the cost off a search, or off an estimator that would be cross-validated.

        Parameters
        ----------
        search
            `GridSearchCV` or `RandomizedSearchCV` around an estimator of semildp, fitted or not; or such an estimator,
            which `cross_validate` or `cross_val_score` would fit.
        X, y, groups
            Data: splits are then counted person by person. Without it, of splits that are no k-fold, a person is taken
            to be in every training part.
        cv
            For an estimator: as `cross_validate` takes it.
        """
        grid, drawn = getattr(search, "param_grid", None), getattr(search, "param_distributions", None)
        if grid is None and drawn is None:
            if not hasattr(search, "get_params") or not hasattr(search, "fit"):
                raise refusal("search", _SEARCH, short(search))
            estimator, candidates, refit = search, [dict[str, Any]()], False
        else:
            if hasattr(search, "factor"):
                raise InputError(
                    "`search` must fit every candidate to the same splits. Got one that halves them. "
                    "Run it inside a BudgetAccountant, which counts its fits."
                )
            if cv is not None:
                raise refusal("cv", "None with a search, which has its own", short(cv))
            estimator, cv, refit = search.estimator, search.cv, bool(search.refit)
            candidates = _candidates(search, grid, drawn)
        splitter = check_cv(cv, None if y is None else np.asarray(y), classifier=is_classifier(estimator))
        if not hasattr(splitter, "get_n_splits"):
            raise refusal("cv", "a number of folds, a splitter of scikit-learn, or splits", short(cv))
        n_splits, trained = _splits(splitter, X, y, groups)
        return cls(tuple(_epsilon(estimator, each) for each in candidates), n_splits, trained, refit)

    @property
    def n_fits(self) -> int:
        """How many fits there are."""
        return len(self.epsilons) * self.n_splits + self.refit

    @property
    def per_person(self) -> Fraction:
        """The most that one person would spend in all: the last fit is taken to have the largest epsilon."""
        return self.trained * sum(self.epsilons, Fraction(0)) + (max(self.epsilons) if self.refit else 0)

    def as_text(self) -> str:
        """Return the cost in words; numbers are rounded up."""
        low, high = min(self.epsilons), max(self.epsilons)
        each = rounded_up(high) if low == high else f"{rounded_up(low)} to {rounded_up(high)}"
        many = "1 candidate" if len(self.epsilons) == 1 else f"{len(self.epsilons):,} candidates"
        last = ", and one fit of the best to everybody" if self.refit else ""
        times = self.trained * len(self.epsilons) + self.refit
        total = rounded_up(self.per_person)
        return (
            f"{self.n_fits:,} fits: {many} (epsilon {each}) on {self.n_splits} splits{last}.\n"
            f"A person is in at most {self.trained} of {self.n_splits} training parts. So on devices the same person "
            f"would be asked up to {times:,} times and spend up to {total}: the guarantee would be that of epsilon "
            f"{total}, not of {each}.\n"
            "Settings that only change what is done with reports cost nothing more: semildp.tuning.choose_learner."
        )


def _candidates(search: Any, grid: Any, drawn: Any) -> list[dict[str, Any]]:
    """Return the parameters of each candidate; of a random search without a seed, the dearest it could draw."""
    if grid is not None:
        return list(ParameterGrid(grid))
    if isinstance(search.random_state, int | np.integer):
        return list(ParameterSampler(drawn, search.n_iter, random_state=search.random_state))
    dearest: dict[str, float] = {}
    for each in drawn if isinstance(drawn, list | tuple) else [drawn]:
        for name, values in each.items():
            if _is_epsilon(name):
                dearest[name] = max(dearest.get(name, 0.0), _largest(name, values))
    return [dearest] * int(search.n_iter)


def _largest(name: str, values: Any) -> float:
    """Return the largest value of a list or a distribution."""
    if isinstance(values, Iterable):
        return max(float(value) for value in values)
    high = float(values.support()[1]) if hasattr(values, "support") else math.inf
    if not math.isfinite(high):
        advice = "Or give the search a whole number as `random_state`: then its candidates are known."
        raise refusal(name, "a list, or a distribution with a largest value", short(values), advice)
    return high


def _splits(splitter: Any, X: Any, y: Any, groups: Any) -> tuple[int, int]:
    """Return how many splits there are, and in how many training parts one person is at most."""
    if X is None:
        n_splits = int(splitter.get_n_splits())
        return n_splits, n_splits - isinstance(splitter, KFold | StratifiedKFold | GroupKFold)
    n_people = X.shape[0] if hasattr(X, "shape") else len(X)
    trained, n_splits = np.zeros(n_people, dtype=np.int64), 0
    for train, _ in splitter.split(X, y, groups):
        trained[train] += 1
        n_splits += 1
    return n_splits, int(trained.max())


def _is_epsilon(name: str) -> bool:
    return name == "epsilon" or name.endswith("__epsilon")


def _epsilon(estimator: Any, candidate: Mapping[str, Any]) -> Fraction:
    """Return what a fit with these parameters spends: the epsilons of all private estimators inside, added up."""
    parameters = {**estimator.get_params(deep=True), **candidate}
    owners = {"": estimator, **parameters}
    found = [
        exact(name, value)
        for name, value in parameters.items()
        if _is_epsilon(name) and hasattr(owners.get(name.rpartition("__")[0]), "private_features")
    ]
    if not found:
        raise refusal("search", _SEARCH, f"a {type(estimator).__name__} without a private estimator inside")
    return sum(found, Fraction(0))
