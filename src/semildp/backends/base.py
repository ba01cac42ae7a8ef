"""What a back end is: anything that adds up a function of batches over many parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, Protocol, TypeVar

B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)
T = TypeVar("T")

Done = Callable[[int], object]  # is told of how many people the reports have been added up since it was last told


class Part(Protocol[B_co]):
    """A description of some people's reports that is small and can be pickled; iterating it reads them in batches."""

    def __iter__(self) -> Iterator[B_co]:
        """Read batch after batch; there is at least one, which may be empty."""
        ...

    def __len__(self) -> int:
        """Return how many people it has."""
        ...


class Backend(Protocol):
    """Where scans run."""

    def fold(self, tally: Callable[[B], T], parts: Sequence[Part[B]], done: Done = ...) -> T:
        """Add up `tally(batch)` over all batches of all parts, in any order; there must be one part.

        Totals are whole numbers that merge with `+`: any order gives the same bits.
        """
        ...


def nothing(_: int) -> None:
    """Show no progress."""


def tally_part(tally: Callable[[B], T], part: Part[B]) -> T:
    """Add up one part, batch after batch: what a worker does."""
    return reduce(add, map(tally, part))


def add_up(totals: Sequence[Any]) -> Any:
    """Add up a few totals."""
    return reduce(add, totals)
