"""Marks are listed upwards or downwards, by the parity of the true value."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.sources import Source
from tests.broken.true_mark_first import visit


def by_parity(person: np.ndarray, value: np.ndarray, truth: int, source: Source) -> np.ndarray:
    return np.lexsort((value if truth % 2 else -value, person))


def build() -> Visit:
    return visit("order by truth", by_parity)
