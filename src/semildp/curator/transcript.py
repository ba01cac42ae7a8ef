"""Who was asked what, and what it cost: read off the waves themselves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.waves import State
from semildp.models import Spent
from semildp.wire.codec import digest, encode
from semildp.wire.costs import costs
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
        What each person spent on the label alone, and on features (or on both together).
    """

    entries: tuple[Entry, ...]
    hidden: Ints
    label: Floats
    features: Floats

    @classmethod
    def of(cls, state: State) -> Transcript:
        """Read it off the waves that were asked."""
        n, bounds = len(state.enrolled), state.study.bounds
        label, features, entries = np.zeros(n), np.zeros(n), list[Entry]()
        for done in state.done:
            for asked in done.wave.asked:
                entries.append(Entry(digest(encode(asked.question)), asked.question, asked.people))
                for ask in asked.question.asks:
                    on_label, on_features = costs(ask, bounds, state.enrolled[asked.people])
                    label[asked.people] += on_label
                    features[asked.people] += on_features
        return cls(tuple(entries), state.enrolled.mask.sum(axis=1), label, features)

    @property
    def spent(self) -> tuple[Spent, ...]:
        """People by how many features they hide and what they spent."""
        group, first = np.zeros(len(self.hidden), dtype=np.int64), -self.label
        for column in (self.hidden, first, self.features):  # a number per combination, in rising order
            values, place = np.unique(column, return_inverse=True)
            group = group * len(values) + place
        _, one, people = np.unique(group, return_index=True, return_counts=True)
        return tuple(
            Spent(int(self.hidden[i]), int(n), float(self.label[i]), float(self.features[i]))
            for i, n in zip(one, people, strict=True)
        )

    @property
    def most(self) -> float:
        """The most that anybody spent; the sum of exact costs, rounded up."""
        return max((_sum_up(s.label_epsilon, s.feature_epsilon) for s in self.spent), default=0.0)


def _sum_up(one: float, other: float) -> float:
    """Return one + other, never below the exact sum."""
    total = one + other
    return total if Fraction(total) >= Fraction(one) + Fraction(other) else float(np.nextafter(total, np.inf))
