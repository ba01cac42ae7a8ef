"""Who was asked what, and what it cost: read off the waves themselves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.budgets import float_at_least
from semildp.curator.waves import State
from semildp.models import Spent
from semildp.wire.codec import digest, encode
from semildp.wire.costs import costs, times
from semildp.wire.messages import Question


@dataclass(frozen=True, eq=False)
class Entry:
    """One question: its digest (with the question's own centre), the question, and who was asked."""

    digest: str
    question: Question
    people: Ints


@dataclass(frozen=True, eq=False)
class Transcript:
    """Who was asked what, and what everybody spent.

    Parameters
    ----------
    entries
        The questions, in order.
    hidden
        How many features each person hides.
    label, features
        What each person spent on the label alone, and on features (or on both together), to the nearest float.
    paid
        By epsilon, how many times each person paid it: all that was spent, exactly.
    """

    entries: tuple[Entry, ...]
    hidden: Ints
    label: Floats
    features: Floats
    paid: dict[float, Ints]

    @classmethod
    def of(cls, state: State) -> Transcript:
        """Read it off the waves that were asked."""
        n, bounds = len(state.enrolled), state.study.bounds
        label, features, entries, paid = np.zeros(n), np.zeros(n), list[Entry](), dict[float, Ints]()
        for done in state.done:
            for asked in done.asked:
                entries.append(Entry(digest(encode(asked.question)), asked.question, asked.people))
                for ask in asked.question.asks:
                    on_label, on_features = costs(ask, bounds, state.enrolled[asked.people])
                    label[asked.people] += on_label
                    features[asked.people] += on_features
                    often = paid.setdefault(ask.epsilon, np.zeros(n, dtype=np.int64))
                    often[asked.people] += times(ask, bounds, state.enrolled[asked.people])
        return cls(tuple(entries), state.enrolled.mask.sum(axis=1), label, features, paid)

    @property
    def spent(self) -> tuple[Spent, ...]:
        """People by how many features they hide and what they spent."""
        one, place = _alike(self.hidden, -self.label, self.features)
        people = np.bincount(place)
        return tuple(
            Spent(int(self.hidden[i]), int(n), float(self.label[i]), float(self.features[i]))
            for i, n in zip(one, people, strict=True)
        )

    @property
    def total(self) -> Floats:
        """What each person spent in all: the exact sum, rounded up."""
        one, place = _alike(np.zeros(len(self.hidden)), *self.paid.values())
        sums = [sum((Fraction(e) * int(often[i]) for e, often in self.paid.items()), Fraction(0)) for i in one]
        return np.array([float_at_least(number) for number in sums])[place]

    @property
    def most(self) -> float:
        """The most that anybody spent, rounded up."""
        return float(self.total.max(initial=0.0))


def _alike(*columns: Ints | Floats) -> tuple[Ints, Ints]:
    """Return one person of each combination of numbers, combinations in rising order, and everybody's combination."""
    group = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:  # numbered anew each time, so that numbers stay below the number of people squared
        values, place = np.unique(column, return_inverse=True)
        group = np.unique(group * len(values) + place, return_inverse=True)[1]
    return np.unique(group, return_index=True)[1], group
