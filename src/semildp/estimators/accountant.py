"""Adding up what several fits would ask of the same people, and refusing the one too many."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Self

from semildp.budgets import Number, exact
from semildp.errors import InputError, LimitError
from semildp.estimators.figures import rounded_down, rounded_up

_LOCK = threading.RLock()


@dataclass(frozen=True)
class CountedFit:
    """One fit: which estimator, and the epsilon it was allowed to spend per person."""

    estimator: str
    epsilon: Fraction


class BudgetAccountant:
    """Adds up the epsilon of every fit made inside a `with` block, and refuses the fit that would pass the limit.

    All fits inside count as made on the same people, each with all of its `epsilon`, also where it spent less or
    failed half-way: the sum is never less than what one person spent. A fit is refused with `LimitError` before anyone
    is asked. Sums are exact; a float stands for the decimal number it prints as. A thread that has opened no
    accountant itself counts with every one that is open; a fit in another process cannot be counted and is refused
    where it is noticed (docs/pipelines.md).

    Parameters
    ----------
    limit
        The most that one person may spend in all. None only adds up.

    Examples
    --------
    >>> import numpy as np
    >>> from semildp import BudgetAccountant, LimitError, SemiPrivateRegressor
    >>> X, y = np.random.default_rng(0).uniform(size=(2, 50, 1))
    >>> model = SemiPrivateRegressor(1.0, label_bounds=(0, 1), feature_bounds=(0, 1))
    >>> with BudgetAccountant(limit=2.5) as accountant:
    ...     for _ in range(3):
    ...         try:
    ...             _ = model.fit(X, y[:, 0])
    ...         except LimitError as refused:
    ...             print(refused)
    `epsilon` must be at most what is left of the accountant's limit, 0.5 of 2.5. Got 1. Nobody was asked.
    >>> accountant.spent, accountant.left
    (Fraction(2, 1), Fraction(1, 2))
    """

    def __init__(self, limit: Number | None = None) -> None:
        self._limit = None if limit is None else exact("limit", limit)
        self._fits: list[CountedFit] = []
        self._process = os.getpid()

    @property
    def limit(self) -> Fraction | None:
        """The most that one person may spend, or None."""
        return self._limit

    @property
    def fits(self) -> tuple[CountedFit, ...]:
        """Every fit that was counted, in order."""
        return tuple(self._fits)

    @property
    def spent(self) -> Fraction:
        """The most that one person has spent in all fits together."""
        return sum((fit.epsilon for fit in self.fits), Fraction(0))

    @property
    def left(self) -> Fraction | None:
        """What may still be spent, or None without a limit."""
        return None if self._limit is None else self._limit - self.spent

    def as_text(self) -> str:
        """Return the sum in words, one line per kind of fit; what is spent is rounded up, what is left down."""
        kinds = Counter(self.fits).items()
        lines = [f"  - {n} x {fit.estimator}, epsilon {rounded_up(fit.epsilon)}" for fit, n in kinds]
        limit = "no limit"
        if self._limit is not None:
            limit = f"limit {rounded_down(self._limit)}, {rounded_down(self._limit - self.spent)} left"
        total = f"Together at most {rounded_up(self.spent)} per person ({limit})."
        return "\n".join([f"{len(self.fits)} fits, counted as asking the same people:", *lines, total])

    def __enter__(self) -> Self:
        with _LOCK:
            if self in _OPEN:
                raise InputError("A BudgetAccountant must be entered once at a time. Got one that is open already.")
            self._process = os.getpid()
            _OPEN.append(self)
        _HERE.set((*_HERE.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _LOCK:
            _OPEN.remove(self)
        _HERE.set(tuple(other for other in _HERE.get() if other is not self))


_HERE: ContextVar[tuple[BudgetAccountant, ...]] = ContextVar("accountants of this thread", default=())
_OPEN: list[BudgetAccountant] = []  # of all threads


def charge(estimator: str, epsilon: Number, counted_in: int | None) -> None:
    """Count one fit with the accountants that are open, or refuse it; `counted_in` is `counting_process` of its origin.

    Called before anything is drawn. If one accountant refuses, none counts it.
    """
    with _LOCK:
        accountants = _HERE.get() or tuple(_OPEN)
        elsewhere = any(accountant._process != os.getpid() for accountant in accountants)
        if elsewhere or (counted_in is not None and counted_in in _parents()):
            raise InputError(
                "A fit inside a BudgetAccountant must run in the accountant's own process. Got a worker process, whose "
                "fits it could not count. Pass n_jobs=1, or use joblib.parallel_config(backend='threading')."
            )
        fit = CountedFit(estimator, exact("epsilon", epsilon))
        for accountant in accountants:
            if accountant.left is not None and fit.epsilon > accountant.left:
                raise LimitError(
                    "`epsilon` must be at most what is left of the accountant's limit, "
                    f"{rounded_down(accountant.left)} of {rounded_down(accountant._limit or 0)}. "
                    f"Got {rounded_up(fit.epsilon)}. Nobody was asked."
                )
        for accountant in accountants:
            accountant._fits.append(fit)


def counting_process() -> int | None:
    """Return this process if an accountant is open in it: an estimator that is sent to a worker takes it along."""
    return os.getpid() if _OPEN and _OPEN[-1]._process == os.getpid() else None


def _parents() -> tuple[int, ...]:
    parent = multiprocessing.parent_process()
    return (os.getppid(),) if parent is None or parent.pid is None else (os.getppid(), parent.pid)
