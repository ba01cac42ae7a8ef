"""The obfuscation approach (KRR), on the device: each private feature's bin is sent by randomised response."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.budgets import equal_part
from semildp.client.label_report import randomise_labels
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import GeneralisedResponse
from semildp.sources import Source

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def randomise_features(
    bounds: FeatureBounds, grid: LabelGrid, X: Floats, y: Floats, mask: Bools, bins: int, epsilon: float, source: Source
) -> tuple[Floats, Ints]:
    """Return each person's features, private ones replaced by the middle of a randomised bin, and noisy label.

    A person with m private features spends epsilon / (m + 1) on each of them and on the label. The reports are
    independent given the person's data, so together they cost epsilon whatever changes.
    """
    low, high = np.asarray(bounds.low), np.asarray(bounds.high)
    true_bin = np.minimum(bounds.scale(X) * bins, bins - 1).astype(np.int64)
    sent, labels = X.copy(), np.empty(len(X), dtype=np.int64)
    n_private = mask.sum(axis=1)
    for m in np.unique(n_private):
        people = np.flatnonzero(n_private == m)
        part = equal_part(epsilon, int(m) + 1)
        labels[people] = randomise_labels(grid, y[people], part, source)
        person, feature = np.nonzero(mask[people])
        person = people[person]
        reported = GeneralisedResponse(part, bins).randomise(true_bin[person, feature], source)
        sent[person, feature] = low[feature] + (reported + 0.5) / bins * (high - low)[feature]
    return sent, labels
