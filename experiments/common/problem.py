"""What every method is given: people to learn from, fresh points to be judged on, public bounds, a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semildp import Study
from semildp.client import People, enrol, ready
from semildp.sources import SeededSource
from semildp.study import Feature, Number
from semildp.wire.columns import Enrolled

Floats = NDArray[np.float64]

HELD_OUT = 0.2


@dataclass(frozen=True, eq=False)
class Problem:
    """One replication. Features are scaled to the unit cube beforehand."""

    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats
    mask: NDArray[np.bool_]
    label_bounds: tuple[float, float]
    seed: np.random.SeedSequence

    def study(self, epsilon: float, protocol: str = "hist-of-tree") -> Study:
        """Return the public document of this problem."""
        features = tuple(Feature(f"x{j}", Number(0.0, 1.0)) for j in range(self.X.shape[1]))
        return Study(
            name="experiment", epsilon=epsilon, label=Number(*self.label_bounds), features=features, protocol=protocol
        )

    @cached_property
    def people(self) -> People:
        """Everybody's raw row, ready to answer; it is the same for every epsilon."""
        return ready(self.study(1.0), self.X, self.y, self.mask, self.source(0), clip=False)

    @cached_property
    def enrolled(self) -> Enrolled:
        """What everybody makes public."""
        return enrol(self.people)

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

    @property
    def random_state(self) -> int:
        """A seed for an estimator that depends on the problem alone."""
        return int(np.random.default_rng(self.seed).integers(2**31))

    def streams(self, names: Sequence[str]) -> dict[str, SeededSource]:
        """Return the sources that an estimator with this problem's `random_state` would use."""
        seeds = np.random.SeedSequence(self.random_state).spawn(len(names))
        return {name: SeededSource(seed) for name, seed in zip(names, seeds, strict=True)}

    def error(self, predictions: Floats) -> float:
        """Mean squared error on the fresh points."""
        return float(np.mean((predictions - self.y_test) ** 2))
