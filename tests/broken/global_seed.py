"""Noise is drawn from one generator of the module, seeded once, whatever source is passed in."""

from __future__ import annotations

import numpy as np

from semildp.mechanisms import DiscreteLaplace
from semildp.sources import SeededSource, Source

GLOBAL = SeededSource(666)


class GloballySeeded(DiscreteLaplace):
    def noise(self, n: int, source: Source) -> np.ndarray:
        return super().noise(n, GLOBAL)


def build() -> GloballySeeded:
    return GloballySeeded(1.0, 16)
