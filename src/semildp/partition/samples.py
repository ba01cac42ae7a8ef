"""What a splitter may look at: public features, who made them public, and labels as numbers; by scans only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from semildp._arrays import Bools, Floats, Ints

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Samples:
    """A batch of people as a splitter sees them.

    Parameters
    ----------
    unit
        Features scaled to [0, 1], one row per person; entries that are private hold NaN and are never read.
    mask
        True where the entry is private.
    labels
        One whole number per person.
    first
        Position of the first of them among all people.
    """

    unit: Floats
    mask: Bools
    labels: Ints
    first: int = 0
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return `make()`, computed when first asked for under this key."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]  # type: ignore[no-any-return]


class Scan(Protocol):
    """Adds up a function of samples over all batches."""

    def __call__(self, tally: Callable[[Samples], T], /) -> T:
        """Return the sum of `tally(batch)` over all batches."""
        ...


def scan_over(*batches: Samples) -> Scan:
    """Return a scan over batches held in memory."""

    def scan(tally: Callable[[Samples], T], /) -> T:
        total = tally(batches[0])
        for batch in batches[1:]:
            total = total + tally(batch)  # type: ignore[operator]
        return total

    return scan


def public_rows(samples: Samples, features: Ints) -> tuple[Floats, Bools]:
    """Return some features, one row each, with 0 where private; and where they are private."""
    hidden = np.ascontiguousarray(samples.mask[:, features].T)
    return np.where(hidden, 0.0, samples.unit[:, features].T), hidden
