"""A mechanism as the client uses it: one call for people whose candidate sets differ in size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp.mechanisms import Mechanism
from semildp.sources import Source


class AmongOthers:
    """A mechanism used as the client uses it: people with other candidate sets are in the same call."""

    def __init__(self, kind: Callable[..., Mechanism], epsilon: float, size: int) -> None:
        self._kind, self._alone, self._size = kind, kind(epsilon, size), size

    def __getattr__(self, name: str) -> object:
        return getattr(self._alone, name)

    def randomise(self, values: np.ndarray, source: Source) -> np.ndarray:
        sizes = np.tile([5, 1, self._size, 2], len(values))
        everyone = np.stack([values * 0 + 4, values * 0, values, values * 0 + 1], axis=1).reshape(-1)
        sent = self._kind(self.epsilon, sizes).randomise(everyone, source)
        if len(sent) == len(sizes):
            return sent[2::4]
        return sent[np.repeat(np.arange(len(sizes)) % 4 == 2, sizes)]
