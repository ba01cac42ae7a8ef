"""The share of each class among all people, from noisy reports: shrunk, and never 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from semildp._arrays import Floats
from semildp.curator.class_waves.reports import ClassGroup

LEAST_TILT = 0.05  # of the shares' distance from even that is kept: what is likelier by a little stays likelier


def class_shares(groups: Sequence[ClassGroup], n_classes: int) -> tuple[Floats, float]:
    """Return unbiased shares of classes, adding up to 1, and the variance of one of them, averaged over classes.

    Groups count by n / v, v being the noise variance of one report, summed over classes.
    """
    told, total = 0.0, np.zeros(n_classes)
    for group in groups:
        response, noise = group.response, group.response.total_noise
        level = np.bincount(group.marks.value % n_classes, minlength=n_classes)
        total += (response.per_score * (level - level.sum() / n_classes) + len(group) / n_classes) / noise
        told += len(group) / noise
    if told == 0:
        return np.full(n_classes, 1 / n_classes), 1 / n_classes**2
    return total / told, 1 / (told * n_classes)


def class_prior(shares: Floats, variance: float) -> Floats:
    """Return shares drawn to even ones, all above 0.

    With d the distance from even shares and V the variance of all of them together, d becomes max(1 - V / |d|^2, 0.05)
    d (James and Stein). A share m with standard error s then becomes the mean of a normal number, of mean m and
    deviation s, that is known to be above 0: m + s f(m / s) / F(m / s). They are scaled to add up to 1.
    """
    even = 1 / len(shares)
    away, whole = shares - even, variance * len(shares)
    square = float(away @ away)
    drawn = even + max(1 - whole / square if square > 0 else 0.0, LEAST_TILT) * away
    deviation = max(np.sqrt(variance), 1e-9)
    z = np.maximum(drawn / deviation, -8.0)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    above = np.maximum(drawn + deviation * density / ndtr(z), 1e-3 * deviation)
    return np.asarray(above / above.sum())
