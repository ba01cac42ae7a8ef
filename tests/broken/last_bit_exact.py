"""The last bit of a binary response goes out without noise."""

from __future__ import annotations

import numpy as np

from semildp.mechanisms import BinaryResponse
from semildp.sources import Source


class LastBitExact(BinaryResponse):
    def randomise(self, values: np.ndarray, source: Source) -> np.ndarray:
        bits = super().randomise(values, source).reshape(-1, self.n_values)
        bits[:, -1] = values == self.n_values - 1
        return bits.reshape(-1)


def build() -> LastBitExact:
    return LastBitExact(1.0, 4)
