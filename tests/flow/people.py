"""People who differ from each other in what is private only."""

from __future__ import annotations

from typing import Any

import numpy as np

from semildp import masks
from tests.flow.ways import LABELS

N, D = 150, 4
CHANGES = ("all others", "one person", "all the same", "at the ends", "outside", "missing")


def crowd(seed: int = 1) -> tuple[Any, Any]:
    """Rows in the box and labels in their bounds."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.02, 0.98, size=(N, D)), rng.uniform(*LABELS, size=N)


def choices() -> dict[str, Any]:
    """Who hides what. Personal choices: most hide the first feature, some each of the others."""
    personal = masks.heavy_tail(N, D, 2.0)
    personal[N // 2 :] = np.random.default_rng(5).uniform(size=(N - N // 2, D)) < 0.3
    return {
        "aligned": masks.first(N, D, 2),
        "personal": personal,
        "none": masks.first(N, D, 0),
        "all": masks.first(N, D, D),
    }


def others(change: str, X: Any, y: Any, mask: Any) -> tuple[Any, Any]:
    """Return rows and labels that differ from X and y in labels and in entries under the mask, and nowhere else."""
    rng = np.random.default_rng(7)
    new, labels = rng.uniform(size=X.shape), rng.uniform(*LABELS, size=len(y))
    if change == "one person":
        chosen = np.arange(len(y)) == 2 * len(y) // 3
        new, labels = np.where(chosen[:, None], 1 - X, X), np.where(chosen, LABELS[0] + LABELS[1] - y, y)
    elif change == "all the same":
        new, labels = np.full_like(X, 0.25), np.full_like(y, 1.0)
    elif change == "at the ends":
        new, labels = np.rint(new), np.where(labels > 1, LABELS[0], LABELS[1])
    elif change == "outside":
        new, labels = rng.normal(scale=1e6, size=X.shape), rng.normal(scale=1e6, size=len(y))
    elif change == "missing":
        new = np.where(rng.uniform(size=X.shape) < 0.5, np.nan, new)
    return np.where(mask, new, X), labels
