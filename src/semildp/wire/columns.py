"""Messages of many people as columns: what client and curator compute with. One row of them is one wire message."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._kernels.ranges import as_slice, rows_at

_BLOCK = 1 << 12  # people whose numbers are counted together, to find where a slice of people begins


@dataclass(frozen=True, eq=False)
class Enrolled:
    """What people have made public.

    Parameters
    ----------
    public
        Features as numbers, one row per person; NaN where private.
    mask
        True where private.
    """

    public: Floats
    mask: Bools

    def __len__(self) -> int:
        return len(self.public)

    def __getitem__(self, people: Ints | slice) -> Enrolled:
        people = as_slice(people)
        if isinstance(people, slice):
            return Enrolled(self.public[people], self.mask[people])
        return Enrolled(self.public.take(people, axis=0), rows_at(self.mask, people))


@dataclass(frozen=True, eq=False)
class Marks:
    """The whole numbers that people sent in answer to one ask, laid end to end.

    Parameters
    ----------
    count
        How many numbers each person sent.
    value
        The numbers, by person.
    """

    count: Ints
    value: Ints

    @classmethod
    def one_each(cls, value: Ints) -> Marks:
        """One number per person."""
        return cls(np.broadcast_to(np.int64(1), value.shape), value)

    @classmethod
    def sets(cls, person: Ints, value: Ints, n_people: int) -> Marks:
        """Sets of numbers. They are laid down in rising order, so that the order of marks says nothing."""
        span = int(value.max(initial=0)) + 1
        order = np.argsort(person * span + value, kind="stable")  # marks most often are in order already
        return cls(np.bincount(person, minlength=n_people), value[order])

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def person(self) -> Ints:
        """Position of the person who sent each number."""
        if self._one_each:
            return np.arange(len(self.count))
        return np.repeat(np.arange(len(self.count)), self.count)

    @cached_property
    def first(self) -> Ints:
        """Where each person's numbers start."""
        return np.cumsum(self.count) - self.count

    @property
    def _one_each(self) -> bool:
        """Whether this is as `one_each` makes it: one count that stands for all."""
        return self.count.strides == (0,) and len(self.count) == len(self.value)

    def __getitem__(self, people: slice) -> Marks:
        count = self.count[people]
        if self._one_each:
            return Marks(count, self.value[people])
        first = people.start or 0
        block = first // _BLOCK
        start = int(self._upto[block]) + int(self.count[block * _BLOCK : first].sum())
        return Marks(count, self.value[start : start + int(count.sum())])

    @cached_property
    def _upto(self) -> Ints:
        """How many numbers there are before each block of people: slices after slices need not count all of them."""
        starts = np.arange(0, len(self.count), _BLOCK)
        each = np.add.reduceat(self.count, starts, dtype=np.int64) if len(starts) else np.zeros(0, dtype=np.int64)
        return np.concatenate([[0], np.cumsum(each)])

    def small(self) -> Marks:
        """Return the same in the smallest whole numbers that hold them, with one count for all where each sent one.

        Who computes with such numbers widens them first: sums and products could leave their range.
        """
        value = self.value.astype(_holding(self.value))
        if len(value) == len(self.count) and bool((self.count == 1).all()):
            return Marks.one_each(value)
        return Marks(self.count.astype(_holding(self.count)), value)

    def only(self, people: Bools) -> Marks:
        """Return what some of the people sent."""
        return Marks(self.count[people], self.value[people[self.person]])

    def at(self, people: Ints) -> Marks:
        """Return what people at some places sent, in the order of `people`."""
        if self._one_each:
            return Marks.one_each(self.value[people])
        count, start = self.count[people], self.first[people]
        where = np.repeat(start - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        return Marks(count, self.value[where])

    def of(self, person: int) -> list[int]:
        """Return one person's numbers."""
        start = int(self.first[person])
        found: list[int] = self.value[start : start + int(self.count[person])].tolist()
        return found

    @classmethod
    def concatenate(cls, parts: list[Marks]) -> Marks:
        """Lay people end to end."""
        value = np.concatenate([p.value for p in parts])
        if all(p._one_each for p in parts):
            return cls.one_each(value)
        return cls(np.concatenate([p.count for p in parts]), value)


def _holding(numbers: Ints) -> np.dtype[Any]:
    """Return the smallest signed type that holds these numbers."""
    ends = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    return np.result_type(*(np.min_scalar_type(end if end < 0 else -end - 1) for end in ends))


Answers = tuple[Marks, ...]  # one entry per ask of a question
