"""Who was asked what, and what it cost: read off the waves themselves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Floats, Ints
from semildp._kernels.ranges import as_slice
from semildp.backends import chunks
from semildp.budgets import float_at_least
from semildp.curator.waves import State
from semildp.masks import row_sums
from semildp.models import Spent
from semildp.wire.codec import digest, encode
from semildp.wire.costs import Price, prices
from semildp.wire.messages import Ask, Question


@dataclass(frozen=True, eq=False)
class Entry:
    """One question: its digest (with the question's own centre), the question, and who was asked."""

    digest: str
    question: Question
    people: Ints


@dataclass(frozen=True)
class Account:
    """People who hide as many features and have paid the same, in the same order.

    Parameters
    ----------
    hidden
        How many features each of them hides.
    label, features
        What each spent on the label alone, and on features (or on both together), to the nearest float.
    paid
        Epsilons, and how many times each was paid: all that was spent, exactly.
    """

    hidden: int
    label: float = 0.0
    features: float = 0.0
    paid: tuple[tuple[float, int], ...] = ()

    def charge(self, epsilon: float, price: Price) -> Account:
        """Return the account after one more answer."""
        paid = dict(self.paid)
        paid[epsilon] = paid.get(epsilon, 0) + price.times
        return Account(self.hidden, self.label + price.label, self.features + price.features, tuple(paid.items()))

    @property
    def total(self) -> float:
        """What each spent in all: the exact sum, rounded up."""
        return float_at_least(sum((Fraction(epsilon) * often for epsilon, often in self.paid), Fraction(0)))


@dataclass(frozen=True, eq=False)
class Transcript:
    """Who was asked what, and what everybody spent.

    Parameters
    ----------
    entries
        The questions, in order.
    accounts
        What people have spent, each once.
    of_person
        Which of these is each person's.
    """

    entries: tuple[Entry, ...]
    accounts: tuple[Account, ...]
    of_person: NDArray[np.int32]

    @classmethod
    def of(cls, state: State) -> Transcript:
        """Read it off the waves that were asked."""
        n_features = len(state.study.features)
        accounts = {Account(hidden): hidden for hidden in range(n_features + 1)}
        of_person, entries = _hidden(state.enrolled.mask), list[Entry]()
        for done in state.done:
            for asked in done.asked:
                entries.append(Entry(digest(encode(asked.question)), asked.question, asked.people))
                for ask in asked.question.asks:
                    _charge(state, ask, asked.people, accounts, of_person)
        return cls(tuple(entries), tuple(accounts), of_person)

    @property
    def label(self) -> Floats:
        """What each person spent on the label alone."""
        return np.array([account.label for account in self.accounts])[self.of_person]

    @property
    def features(self) -> Floats:
        """What each person spent on features, or on both together."""
        return np.array([account.features for account in self.accounts])[self.of_person]

    @property
    def spent(self) -> tuple[Spent, ...]:
        """People by how many features they hide and what they spent."""
        people: dict[tuple[int, float, float], int] = {}
        for account, n in self._held:
            key = account.hidden, -account.label, account.features
            people[key] = people.get(key, 0) + n
        return tuple(Spent(hidden, n, -label, features) for (hidden, label, features), n in sorted(people.items()))

    @property
    def total(self) -> Floats:
        """What each person spent in all: the exact sum, rounded up."""
        return np.array([account.total for account in self.accounts])[self.of_person]

    @property
    def most(self) -> float:
        """The most that anybody spent, rounded up."""
        return max((account.total for account, _ in self._held), default=0.0)

    @cached_property
    def _held(self) -> list[tuple[Account, int]]:
        """The accounts that somebody has, and how many do."""
        people = np.zeros(len(self.accounts), dtype=np.int64)
        for c in chunks(len(self.of_person)):
            people += np.bincount(self.of_person[c], minlength=len(people))
        return [(account, n) for account, n in zip(self.accounts, people.tolist(), strict=True) if n]


def _hidden(mask: Bools) -> NDArray[np.int32]:
    """Return how many features each person hides."""
    out = np.empty(len(mask), dtype=np.int32)
    for c in chunks(len(mask)):
        out[c] = row_sums(mask[c])
    return out


def _charge(state: State, ask: Ask, people: Ints, accounts: dict[Account, int], of_person: NDArray[np.int32]) -> None:
    """Move everybody who was asked to the account that they have afterwards."""
    before = tuple(accounts)
    for c in chunks(len(people)):
        here = as_slice(people[c])
        which, price = prices(ask, state.study.bounds, state.enrolled[here])
        pair = of_person[here] * np.int64(len(price)) + which
        table = np.zeros(len(before) * len(price), dtype=np.int32)
        for each in np.flatnonzero(np.bincount(pair, minlength=len(table))).tolist():
            after = before[each // len(price)].charge(ask.epsilon, price[each % len(price)])
            table[each] = accounts.setdefault(after, len(accounts))
        of_person[here] = table[pair]
