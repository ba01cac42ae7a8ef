"""One number per person, made from reports when it is read: reports are small, and numbers of all need not be kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.backends import chunks
from semildp.curator.effects.reports import BATCH, EffectReports
from semildp.curator.learning.rows import Column
from semildp.domains import LabelGrid
from semildp.mechanisms import WindowResponse
from semildp.wire.forms import read_mechanism
from semildp.wire.messages import AskLabel


@dataclass(frozen=True, eq=False)
class LabelReports:
    """Noisy labels m + (label - m) / kept + lost from label reports, m being the middle of their window."""

    ask: AskLabel
    sent: Ints
    kept: float
    lost: float

    def __len__(self) -> int:
        return len(self.sent)

    def __getitem__(self, rows: slice) -> Floats:
        mechanism = read_mechanism(self.ask.mechanism, self.ask.epsilon)
        assert isinstance(mechanism, WindowResponse)
        grid = LabelGrid(self.ask.low, self.ask.high, mechanism.steps)
        middle = (self.ask.low + self.ask.high) / 2
        return middle + self.lost + (grid.decode(mechanism.estimate(self.sent[rows])) - middle) / self.kept


@dataclass(frozen=True, eq=False)
class ResidualReports:
    """Noisy labels centre - lean + residual / kept from residual reports."""

    reports: EffectReports
    centres: Floats
    lean: float

    def __len__(self) -> int:
        return len(self.reports)

    def __getitem__(self, rows: slice) -> Floats:
        found = self.reports.of(rows).residuals()
        found /= self.reports.kept
        found += self.centres[rows]
        found -= self.lean
        return found


@dataclass(frozen=True, eq=False)
class NumberGroups:
    """The numbers of several groups of people, one group after the other. Rows are slices, or single places."""

    groups: tuple[Column, ...]

    @cached_property
    def _ends(self) -> Ints:
        return np.cumsum([len(group) for group in self.groups])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, rows: slice) -> Floats:
        start, stop, step = rows.indices(len(self))
        found = np.empty(len(range(start, stop, step)))
        for inside, part in self._parts(start, stop):
            first = -(inside.start - start) % step  # of the part, that is wanted
            some = part[first::step]
            at = (inside.start + first - start) // step
            found[at : at + len(some)] = some
        return found

    def _parts(self, start: int, stop: int) -> Iterator[tuple[slice, Floats]]:
        """Yield the numbers from `start` to `stop`, some at a time, and their places."""
        for group, end in zip(self.groups, self._ends.tolist(), strict=True):
            begin = end - len(group)
            low, high = max(start, begin), min(stop, end)
            for c in chunks(high - low, BATCH) if low < high else ():
                inside = slice(low + c.start, low + c.stop)
                yield inside, group[slice(inside.start - begin, inside.stop - begin)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return self[:].astype(np.float64 if dtype is None else dtype, copy=False)


@dataclass(frozen=True, eq=False)
class Repeated:
    """The same number for everybody of a group, one group after the other.

    Parameters
    ----------
    values, sizes
        The number, and how many people there are, of each group.
    """

    values: Floats
    sizes: Ints

    @cached_property
    def _ends(self) -> Ints:
        return np.cumsum(self.sizes)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, rows: Ints | slice) -> Floats:
        if not isinstance(rows, slice):
            return np.asarray(self.values[np.searchsorted(self._ends, rows, side="right")])
        start, stop, step = rows.indices(len(self))
        ends = np.clip(self._ends, start, stop)
        sizes = np.diff(ends, prepend=start) if step == 1 else _steps(ends, start, step)
        return np.repeat(self.values, sizes)


def _steps(ends: Ints, start: int, step: int) -> Ints:
    """Return how many of start, start + step, ... are below each end and not below the one before."""
    return np.diff(-(-(ends - start) // step), prepend=0)
