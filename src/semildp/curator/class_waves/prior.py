"""The share of each class among all people, from noisy reports: shrunk, and never 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from semildp._arrays import Floats
from semildp.curator.class_waves.reports import ClassGroup

CAUTION = 2.0  # variances by which a distance from even shares must be larger to count: a guess; 1 let noise in
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

    With d the distance from even shares, V the variance of all shares together and W = (1 - 1 / C) / (C + 1) what it is
    if all shares are as likely, d becomes W / (W + V) * max(1 - 2 V / |d|^2, 0.05) d, as James and Stein shrink. A
    share m with standard error s then becomes the mean of a normal number, of mean m and deviation s, that is known to
    be above 0: m + s f(m / s) / F(m / s), f and F being density and distribution function. All are scaled to add up to
    1.
    """
    even = 1 / len(shares)
    away, whole = shares - even, variance * len(shares)
    square, usual = float(away @ away), (1 - even) / (len(shares) + 1)
    kept = max(1 - CAUTION * whole / square if square > 0 else 0.0, LEAST_TILT)
    drawn = even + usual / (usual + whole) * kept * away
    deviation = max(np.sqrt(variance), 1e-9)
    z = np.maximum(drawn / deviation, -8.0)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    above = np.maximum(drawn + deviation * density / ndtr(z), 1e-3 * deviation)
    return np.asarray(above / above.sum())
