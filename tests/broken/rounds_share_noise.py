"""Both rounds use the same draw: each report by itself is as stated, the two together are not."""

from __future__ import annotations

import numpy as np

from semildp.audit import Part, Visit, columns
from semildp.mechanisms import GeneralisedResponse
from semildp.sources import Source

EACH = GeneralisedResponse(0.5, 4)


def send(values: tuple[int, int], n: int, source: Source) -> np.ndarray:
    replaced, other = EACH.draw(n, source)
    return columns(*(np.where(replaced, other, value) for value in values))


def build() -> Visit:
    parts = [Part(EACH, lambda values, i=i: values[i], lambda sent, i=i: sent[:, i]) for i in range(2)]
    return Visit("rounds share noise", 1.0, ((0, 1), (2, 3)), send, tuple(parts))
