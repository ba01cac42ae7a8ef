"""A replaced response is drawn from one candidate too few: the last is sent by those who are there only."""

from __future__ import annotations

import numpy as np

from semildp.mechanisms import GeneralisedResponse
from semildp.mechanisms._replacement import replace_threshold
from semildp.sources import Source, below


class OffByOne(GeneralisedResponse):
    def draw(self, n: int, source: Source) -> tuple[np.ndarray, np.ndarray]:
        words = source.words(n, 2)
        threshold = np.uint64(replace_threshold(self.epsilon, self.n_values))
        return words[:, 0] < threshold, below(words[:, 1], self.n_values - 1)


def build() -> OffByOne:
    return OffByOne(1.0, 4)
