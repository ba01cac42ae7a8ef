"""Rows of public features that are read when they are needed: all of them never need to be in memory at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from semildp._arrays import Floats, Ints, Words
from semildp.backends import chunks
from semildp.models.tree import LARGEST

BATCH = 1 << 14  # rows read at a time: a megabyte or two


class Rows(Protocol):
    """One row of numbers per person; an array is one."""

    def __len__(self) -> int: ...

    def __getitem__(self, people: Ints | slice) -> Floats: ...


class Column(Protocol):
    """One number per person; an array is one."""

    def __len__(self) -> int: ...

    def __getitem__(self, people: slice) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Rows of some people in a given order, cut to the range of 32-bit floats; read again whenever they are needed.

    Parameters
    ----------
    rows
        Where they are read.
    order
        Positions of the people.
    columns
        The columns that are read; None: all.
    """

    rows: Rows
    order: Ints
    columns: Ints | None = None

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, people: Ints | slice) -> Floats:
        found = self.rows[self.order[people]]
        if self.columns is not None and len(self.columns) < found.shape[1]:
            found = found[:, self.columns]
        return np.clip(found, -LARGEST, LARGEST)

    def only(self, columns: Ints) -> Shuffled:
        """Return the same people with these columns alone."""
        return Shuffled(self.rows, self.order, columns)


def held(rows: Rows) -> Floats:
    """Return all rows as one array."""
    parts = [rows[chunk] for chunk in chunks(len(rows), BATCH)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def batches(rows: Rows, columns: Ints) -> Iterator[tuple[slice, Floats]]:
    """Yield some columns of all rows, a batch at a time, cut to the range of 32-bit floats."""
    for chunk in chunks(len(rows), BATCH):
        yield chunk, np.clip(rows[chunk][:, columns], -LARGEST, LARGEST)


def sample(n_people: int, most: int, seed: int) -> Ints:
    """Return the positions of about `most` of the people, those with the lowest hashes; of everybody if they are few.

    Whether somebody is in the sample depends on their position and the seed alone, so any part of the people can be
    asked about on its own.
    """
    kind = np.int32 if n_people <= np.iinfo(np.int32).max else np.int64
    if n_people <= most:
        return np.arange(n_people, dtype=kind)
    limit = np.uint64(int(most / n_people * 2.0**64))
    parts = [
        (chunk.start + np.flatnonzero(_hash(np.arange(chunk.start, chunk.stop), seed) < limit)).astype(kind)
        for chunk in chunks(n_people)
    ]
    return np.concatenate(parts)


def _hash(positions: Ints, seed: int) -> Words:
    """Return splitmix64 (Steele et al. 2014) of positions; sums and products are modulo 2^64."""
    x = (positions.astype(np.uint64) + np.uint64(seed % 2**32) * np.uint64(2**32)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
