"""Sources that remember their words, and sources that hand out given ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from semildp.sources import SeededSource


class Recorded:
    """A seeded source that remembers what it handed out, call by call."""

    def __init__(self, seed: int = 11) -> None:
        self._source = SeededSource(seed)
        self.calls: list[Any] = []

    def words(self, *shape: int) -> Any:
        self.calls.append(self._source.words(*shape))
        return self.calls[-1].copy()

    def flat(self) -> list[int]:
        """Return all words in the order in which they were handed out."""
        return [int(word) for call in self.calls for word in call.reshape(-1)]


class Replayed:
    """Hands out given words, call by call, in the shapes asked for; none may be left."""

    def __init__(self, calls: Sequence[Any]) -> None:
        self.left = [np.array(call, dtype=np.uint64) for call in calls]

    def words(self, *shape: int) -> Any:
        call = self.left.pop(0)
        assert call.size == np.prod(shape, dtype=int), "another number of words than before"
        return call.reshape(shape)
