"""Scoring grid points from reports alone, so that one can be chosen without looking at a private label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.mechanisms import IndicatorWeights
from semildp.partition import Partition
from semildp.wire.columns import Enrolled, Marks

Floats = NDArray[np.float64]


STANDARD_ERRORS = 3.0  # the smallest of a few dozen noisy scores flatters, the more so the noisier: ask for certainty


def score(per_person: Floats) -> float:
    """Return an upper confidence bound of the mean."""
    if len(per_person) < 2:
        return 0.0
    return float(per_person.mean() + STANDARD_ERRORS * per_person.std(ddof=1) / np.sqrt(len(per_person)))


def label_score(predictions: Floats, noisy_labels: Floats, centre: float) -> float:
    """Score predictions for held-out people whose features are known.

    (f - y)^2 - (c - y)^2 = g^2 - 2 g (y - c) with g = f - c is linear in y, so noisy labels give an unbiased value.
    """
    gain = predictions - centre
    return score(gain**2 - 2 * gain * (noisy_labels - centre))


def cell_score(
    values: Floats,
    partition: Partition,
    enrolled: Enrolled,
    noisy_labels: Floats,
    marks: Marks,
    weights: IndicatorWeights,
    centre: float,
) -> float:
    """Score predictions per cell for held-out people whose cell is known only from an unbiased indicator.

    The same value per cell, weighted by the indicator: label noise and cell noise are independent, so it is unbiased.
    One mark per person (generalised response).
    """
    gain, label = values - centre, noisy_labels - centre
    candidates = partition.candidates(enrolled.public, enrolled.mask)
    person, cell = candidates.cells()
    everywhere = np.bincount(person, weights=gain[cell] ** 2 - 2 * gain[cell] * label[person], minlength=len(label))
    marked = gain[marks.value] ** 2 - 2 * gain[marks.value] * label
    noisy = (weights.per_mark + candidates.size * weights.per_sized_mark) * marked + weights.per_candidate * everywhere
    return score(np.where(candidates.size > 1, noisy, marked))
