"""A label outside the public bounds is refused, where everyone can see it."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.client import check_labels, randomise_labels
from semildp.errors import InputError
from semildp.sources import Source
from tests.broken.clients import EPSILON, STUDY


def send(label: float, n: int, source: Source) -> np.ndarray:
    try:
        labels = check_labels(STUDY.label_grid, np.full(n, label))
    except InputError:
        return np.full(n, "refused", dtype=object)
    return randomise_labels(STUDY.label_grid, labels, EPSILON, source).astype(object)


def build() -> Visit:
    return Visit("clipping told", EPSILON, (2.0, 0.0, 1.0), send)
