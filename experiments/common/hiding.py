"""Masks that hide what matters most: the features that go best with the label, by absolute correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp import masks

Floats = NDArray[np.float64]

HIDING = ("two strongest", "strongest half", "everything")


def strongest(X: Floats, y: Floats) -> list[int]:
    """Return the features, that with the largest absolute correlation with the label first; ties by index.

    A feature that is the same for all comes last.
    """
    centred, label = X - X.mean(axis=0), y - y.mean()
    scale = np.sqrt((centred**2).sum(axis=0) * float(label @ label))
    found = np.abs(centred.T @ label) / np.where(scale > 0, scale, np.inf)
    return [int(j) for j in np.argsort(-found, kind="stable")]


def hiding_mask(kind: str, X: Floats, y: Floats, n_people: int) -> masks.Mask:
    """Hide the two strongest features, the stronger half of them, or all, from everybody."""
    d = X.shape[1]
    count = {"two strongest": min(2, d), "strongest half": (d + 1) // 2, "everything": d}[kind]
    return masks.aligned(n_people, d, strongest(X, y)[:count])
