"""People who were asked, a batch at a time: nothing here holds a copy of everybody's features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.backends import chunks
from semildp.wire.columns import Enrolled

BATCH = 1 << 15  # people whose features are held at a time: a few megabytes
_BITS = 62  # features whose masks fit in one whole number


class Asked(Protocol):
    """What people have made public, read in batches; `Enrolled` is one."""

    def __len__(self) -> int: ...

    def __getitem__(self, people: Ints | slice) -> Enrolled: ...


@dataclass(frozen=True, eq=False)
class Chosen:
    """Some of the people who are enrolled, by their positions; their features are copied only when they are read."""

    enrolled: Asked
    people: Ints

    def __len__(self) -> int:
        return len(self.people)

    def __getitem__(self, people: Ints | slice) -> Enrolled:
        return self.enrolled[self.people[people]]


@dataclass(frozen=True, eq=False)
class Joined:
    """Several groups of the people who are enrolled, one group after the other, by their positions."""

    enrolled: Asked
    groups: tuple[Ints, ...]

    def __len__(self) -> int:
        return sum(map(len, self.groups))

    def at_once(self) -> Chosen:
        """Return all of them as one group: a copy of their positions, to be used while they are read often."""
        return Chosen(self.enrolled, np.concatenate(self.groups))

    def __getitem__(self, people: Ints | slice) -> Enrolled:
        return self.at_once()[people]


def batches(people: Asked) -> Iterator[tuple[slice, Enrolled]]:
    """Yield all people, a batch at a time, with their positions."""
    if len(people):
        for rows in chunks(len(people), BATCH):
            yield rows, people[rows]


def publics(people: list[Asked]) -> Iterator[Floats]:
    """Yield what several groups have made public, a batch at a time; few people are one batch."""
    if sum(len(each) for each in people) <= BATCH:
        yield np.concatenate([each[:].public for each in people])
        return
    for each in people:
        for _, enrolled in batches(each):
            yield enrolled.public


def kinds(people: Asked, features: list[int]) -> tuple[Ints, Ints]:
    """Divide people by which of some features they hide: return a number per person, and how many have each number.

    If all are alike there is one number, 0, for all of them. Numbers rise with the masks, read as rows of 0 and 1.
    """
    masks: list[Bools] = [enrolled.mask[:, features] for _, enrolled in batches(people)]
    if all((mask == masks[0][0]).all() for mask in masks):
        return np.zeros(1, dtype=np.int64), np.array([len(people)])
    if len(features) > _BITS:
        rows = np.concatenate(masks)
        _, kind, size = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    else:
        bits = 1 << np.arange(len(features))[::-1]
        _, kind, size = np.unique(np.concatenate([m @ bits for m in masks]), return_inverse=True, return_counts=True)
    return kind.ravel(), size
