"""Made-up people for timings: uniform features, a smooth function of three of them, normal noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semildp._arrays import Bools, Floats

LABEL_BOUNDS = (-2.0, 4.5)
FEATURE_BOUNDS = (0.0, 1.0)
PRIVATE = (0, 1)  # hidden by everybody in the aligned case
PERSONAL = 4  # in the personal case everybody hides each of so many features with probability 1/2: two on average


class People(NamedTuple):
    """Features, labels, and who hides what; no mask in the aligned case."""

    X: Floats
    y: Floats
    mask: Bools | None

    @property
    def n_bytes(self) -> int:
        """Size of what is passed to `fit`."""
        return self.X.nbytes + self.y.nbytes + (0 if self.mask is None else self.mask.nbytes)


def draw(n: int, d: int, *, personal: bool = False) -> People:
    """Return `n` people with `d` features in [0, 1] and y = sin x0 + sin x1 + sin x4 + noise, within its bounds."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, d))
    y = np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]) + rng.normal(size=n)
    mask = None
    if personal:
        mask = np.zeros((n, d), dtype=bool)
        mask[:, :PERSONAL] = rng.random((n, PERSONAL)) < 0.5
    return People(X, np.clip(y, *LABEL_BOUNDS), mask)
