"""Who spent what, by one scan: people are counted by what they hide and what they were asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.masks import distinct_rows, row_sums
from semildp.models import Spent
from semildp.partition import Partition
from semildp.stored.header import Header
from semildp.stored.rows import Rows, held_once
from semildp.wire.columns import Enrolled
from semildp.wire.costs import price
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskCell, AskClass, AskPair, AskSigned

Paid = tuple[tuple[int, int, bool], ...]  # wave, question, and whether the person has one candidate, of each answer


@dataclass(frozen=True, eq=False)
class Account:
    """People, by how many features they hide and what they answered; two accounts merge with `+`."""

    people: Counter[tuple[int, Paid]]

    def __add__(self, other: Account) -> Account:
        return Account(self.people + other.people)

    def spent(self, header: Header) -> tuple[Spent, ...]:
        """Return people by how many features they hide and what they spent, as `curator.transcript` does."""
        sums: Counter[tuple[int, float, float]] = Counter()
        for (hidden, paid), n_people in self.people.items():
            label, features = 0.0, 0.0
            for wave, question, alone in paid:
                for ask in header.waves[wave].questions[question].asks:
                    paid_now = price(ask, hidden, alone=alone)
                    label, features = label + paid_now.label, features + paid_now.features
            sums[hidden, label, features] += n_people
        order = sorted(sums, key=lambda key: (key[0], -key[1], key[2]))
        return tuple(Spent(hidden, sums[hidden, a, b], a, b) for hidden, a, b in order)


@dataclass(frozen=True)
class AccountTally:
    """Counts people by what they hide and what they answered."""

    def __call__(self, rows: Rows) -> Account:
        """Count some people."""
        ranges, key = list[int](), row_sums(distinct_rows(rows.enrolled.mask)).astype(np.int64)
        for number, visit in enumerate(rows.visits):
            questions = rows.header.waves[number].questions
            question = visit.question[:1] if held_once(visit.question) else visit.question
            alone = np.zeros(1, dtype=np.bool_)
            for which, each in enumerate(questions):
                for ask in each.asks:
                    if isinstance(ask, AskCell | AskPair | AskSigned | AskClass):
                        partition = read_partition(ask.partition, rows.header.study.bounds)
                        alone = alone | ((question == which) & one_candidate(partition, rows.enrolled))
            key = (key * (len(questions) + 1) + question + 1) * 2 + alone
            ranges.append(len(questions) + 1)
        values, counts = _counted(key) if len(key) == len(rows) else (key, np.array([len(rows)]))
        return Account(Counter({_read(int(v), ranges): int(n) for v, n in zip(values, counts, strict=True)}))


def _counted(key: Ints) -> tuple[Ints, Ints]:
    """Return the different numbers and how often each occurs; quick where they are small."""
    if key.max(initial=0) < 1 << 16:
        counts = np.bincount(key)
        values = np.flatnonzero(counts)
        return values, counts[values]
    return np.unique(key, return_counts=True)


def _read(key: int, ranges: list[int]) -> tuple[int, Paid]:
    """Take a number apart into hidden features and answers, the last wave first."""
    paid = list[tuple[int, int, bool]]()
    for wave in range(len(ranges) - 1, -1, -1):
        key, alone = divmod(key, 2)
        key, question = divmod(key, ranges[wave])
        if question:
            paid.insert(0, (wave, question - 1, bool(alone)))
    return key, tuple(paid)


def one_candidate(partition: Partition, enrolled: Enrolled) -> Bools:
    """Return who could be in one cell only: one entry where it is the same for all whose mask is held once.

    Candidates are counted only for those who hide nothing in the histogram and something that the tree splits.
    """
    cut = [f for f, bins in zip(partition.histogram_features, partition.bins, strict=True) if bins > 1]
    used = sorted({f for f in partition.tree.feature if f >= 0})
    alone = ~_any_hidden(enrolled.mask, cut)
    unsure = alone & _any_hidden(enrolled.mask, used)
    if unsure.any():
        alone = np.broadcast_to(alone, len(enrolled)).copy()
        people = np.flatnonzero(np.broadcast_to(unsure, len(enrolled)))
        some = enrolled[people]
        alone[people] = partition.count(some.public, some.mask) == 1
    return alone


def _any_hidden(mask: Bools, features: list[int]) -> Bools:
    """Return who hides any of the features; one entry where the mask is held once."""
    rows = distinct_rows(mask)
    found = np.zeros(len(rows), dtype=np.bool_)
    for feature in features:
        found |= rows[:, feature]
    return found
