"""Probabilities of bins for each person, made when they are read: many people's are not kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semildp._arrays import Floats
from semildp.backends import chunks
from semildp.curator.effects.people import BATCH

KEPT = 1 << 18  # numbers that are kept rather than made again: 2 megabytes


@dataclass(frozen=True, eq=False)
class Made:
    """Rows of numbers, one per person, that are made by a slice of people at a time."""

    n_people: int
    make: Callable[[slice], Floats]

    def __len__(self) -> int:
        return self.n_people

    def __getitem__(self, rows: slice) -> Floats:
        return self.make(rows)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Number of people and of columns."""
        return self.n_people, self.make(slice(0, 1)).shape[1]

    def mean(self, axis: int) -> Floats:
        """Return the mean row; `axis` is 0, as of an array."""
        total = sum(self.make(rows).sum(axis=axis) for rows in chunks(self.n_people, BATCH))
        return np.asarray(total / self.n_people)


Rows = Floats | Made  # one row for all, or one for each person


def rows_of(n_people: int, make: Callable[[slice], Floats]) -> Rows:
    """Return rows that are made by batches; at once if they are few, and as one row if it is the same for all."""
    first = make(slice(0, 1))
    if len(make(slice(0, 2))) < min(n_people, 2):
        return first
    return make(slice(0, n_people)) if n_people * first.shape[1] <= KEPT else Made(n_people, make)
