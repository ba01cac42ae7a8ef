"""Folding in this process, one batch after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import TypeVar

from semildp.backends.base import Done, Part, nothing, tally_part

B = TypeVar("B")
T = TypeVar("T")

CHUNK = 1 << 16


def chunks(n: int, size: int = CHUNK) -> Iterator[slice]:
    """Yield slices that cover 0..n-1; one empty slice if n is 0."""
    for start in range(0, max(n, 1), size):
        yield slice(start, min(start + size, n))


def fold(tally: Callable[[B], T], batches: Iterable[B]) -> T:
    """Add up `tally(batch)` over all batches; there must be one."""
    return reduce(add, map(tally, batches))


class Serial:
    """One part after the other."""

    def fold(self, tally: Callable[[B], T], parts: Sequence[Part[B]], done: Done = nothing) -> T:
        """Add up `tally(batch)` over all batches of all parts."""

        def totals() -> Iterator[T]:
            for part in parts:
                yield tally_part(tally, part)
                done(len(part))

        return reduce(add, totals())
