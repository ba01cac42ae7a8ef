"""Laplace noise as a float is added to the label: which floats can come out depends on the label."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.sources import Source


def send(label: float, n: int, source: Source) -> np.ndarray:
    return label + np.random.default_rng(source.words(4)).laplace(size=n)


def build() -> Visit:
    return Visit("float Laplace", 1.0, (0.0, 1.0), send)
