"""Noise is scaled to half of the label's range (M instead of 2M), and honestly stated so."""

from __future__ import annotations

import numpy as np

from semildp.mechanisms import DiscreteLaplace
from semildp.sources import Source


class HalfRange(DiscreteLaplace):
    @property
    def n_values(self) -> int:
        return 2 * self.steps + 1

    @property
    def output_domain(self) -> np.ndarray:
        return np.arange(super().output_domain[0], super().output_domain[-1] + self.steps + 1)

    def randomise(self, values: np.ndarray, source: Source) -> np.ndarray:
        return values + self.noise(len(values), source)


def build() -> HalfRange:
    return HalfRange(1.0, 4)
