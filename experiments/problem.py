"""What every method is given: people to learn from, fresh points to be judged on, public bounds, a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp.domains import FeatureBounds
from semildp.sources import SeededSource

Floats = NDArray[np.float64]

HELD_OUT = 0.2


@dataclass(frozen=True, eq=False)
class Problem:
    """One replication."""

    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats
    mask: NDArray[np.bool_]
    label_bounds: tuple[float, float]
    seed: np.random.SeedSequence

    @property
    def bounds(self) -> FeatureBounds:
        """The unit cube: features are scaled beforehand."""
        d = self.X.shape[1]
        return FeatureBounds((0.0,) * d, (1.0,) * d)

    @property
    def held_out(self) -> slice:
        """The last fifth of the people, on whose reports the honest choice is made; rows are in random order."""
        return slice(round(len(self.y) * (1 - HELD_OUT)), None)

    @property
    def kept(self) -> slice:
        """The other people."""
        return slice(0, self.held_out.start)

    def source(self, *key: int) -> SeededSource:
        """Return a source of its own for each use: a draw never depends on what else is run."""
        return SeededSource(np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, *key)))

    def error(self, predictions: Floats) -> float:
        """Mean squared error on the fresh points."""
        return float(np.mean((predictions - self.y_test) ** 2))
