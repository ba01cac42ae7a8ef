"""Small made-up populations that the tests share."""

from __future__ import annotations

import numpy as np

BOUNDS = {"label_bounds": (-2.0, 4.5), "feature_bounds": (0.0, 1.0)}


def true_function(X):
    """The paper's regression function (Section 4.1)."""
    return np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4])


def simulate(n, seed=0):
    """The paper's simulation: features, labels clipped to the public bounds, and the true function."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 5))
    f = true_function(X)
    return X, np.clip(f + rng.normal(size=n), *BOUNDS["label_bounds"]), f
