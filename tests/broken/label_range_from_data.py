"""The label's range is read from the labels: noise is scaled to the largest one, which it thereby gives away."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace
from semildp.sources import Source


def send(label: float, n: int, source: Source) -> np.ndarray:
    labels = np.full(n, label)
    grid = LabelGrid(0.0, labels.max(), 1024)
    return grid.decode(DiscreteLaplace(1.0, grid.steps).randomise(grid.encode(labels), source))


def build() -> Visit:
    return Visit("label range from data", 1.0, (0.25, 1.0), send)
