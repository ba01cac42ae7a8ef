"""Folding in this process, one chunk after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import TypeVar

T = TypeVar("T")

CHUNK = 1 << 16


def chunks(n: int, size: int = CHUNK) -> Iterator[slice]:
    """Yield slices that cover 0..n-1; one empty slice if n is 0."""
    for start in range(0, max(n, 1), size):
        yield slice(start, min(start + size, n))


def fold(part: Callable[[slice], T], n: int, size: int = CHUNK) -> T:
    """Add up `part(chunk)` over all chunks of `n` people."""
    return reduce(add, (part(chunk) for chunk in chunks(n, size)))
