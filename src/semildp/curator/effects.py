"""From pair reports to one effect per bin of each private feature, shrunk by the known noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp._kernels.sums import counts_by_group
from semildp.mechanisms import GeneralisedResponse
from semildp.wire import PairQuestion, PairReports

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Effects:
    """What a private feature adds to the public prediction.

    Parameters
    ----------
    values
        One row per feature asked about, one column per bin, in label units.
    offset
        What the pair reports say of the mean, beyond the public prediction.
    """

    values: Floats
    offset: float


def count_pairs(question: PairQuestion, reports: PairReports) -> Ints:
    """Return how often each symbol was sent: feature x bin x level. Whole numbers, so counts merge with `+`."""
    n_levels = question.residuals.steps + 1
    shape = (len(question.features), question.bins, n_levels)
    group = reports.feature * (question.bins * n_levels) + reports.symbol
    return counts_by_group(group, math.prod(shape)).reshape(shape)


def estimate_effects(question: PairQuestion, counts: Ints, public_variance: float) -> Effects:
    """Turn counts of symbols into shrunk effects.

    A symbol is sent with probability p if true, else q, so a sum over symbols divided by p - q is unbiased once q's
    share is taken off; for residual sums it cancels, levels being symmetric. An effect is the bin's residual sum
    beyond its share of the mean, D, shrunk to n t D / (n^2 t + v): v the noise variance of D, n the bin's people, t the
    variance of effects by moments, cut at 0.

    Parameters
    ----------
    question
        What was asked.
    counts
        From `count_pairs`.
    public_variance
        Variance of the public prediction's own mean, against which the reports' mean is weighed.
    """
    levels = question.residuals.decode(np.arange(question.residuals.steps + 1))
    n_symbols = counts[0].size
    contrast = GeneralisedResponse.contrast(question.epsilon, n_symbols)
    q = (1 - contrast) / n_symbols
    values = np.zeros(counts.shape[:2])
    means, precisions = [], []
    for j, seen in enumerate(counts):
        n = int(seen.sum())
        if n == 0:
            continue
        residual = seen @ levels / contrast
        noise = seen @ levels**2 / contrast**2
        people = _to_simplex((seen.sum(axis=1) - n * q * len(levels)) / contrast, n)
        mean, mean_variance = residual.sum() / n, noise.sum() / n**2
        means.append(mean)
        precisions.append(1 / mean_variance if mean_variance > 0 else 0.0)
        values[j] = _shrink(residual - people * mean, people, noise)
    if not means or sum(precisions) == 0:
        return Effects(values, 0.0)
    mean, variance = float(np.average(means, weights=precisions)), 1 / sum(precisions)
    return Effects(values, mean * public_variance / (public_variance + variance))


def _shrink(excess: Floats, people: Floats, noise: Floats) -> Floats:
    heavy = people > 0
    if heavy.sum() < 2:
        return np.zeros(len(excess))
    effect_variance = np.sum(people[heavy] * (excess[heavy] ** 2 - noise[heavy]) / people[heavy] ** 2) / people.sum()
    if effect_variance <= 0:
        return np.zeros(len(excess))
    return np.asarray(people * effect_variance * excess / (people**2 * effect_variance + noise))


def _to_simplex(counts: Floats, total: int) -> Floats:
    """Return the nearest counts that are not negative and add up to `total` (Wang et al. 2020, NDSS)."""
    ordered = np.sort(counts)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(counts) + 1)
    last = np.flatnonzero(ordered - excess > 0)[-1]
    return np.asarray(np.maximum(counts - excess[last], 0.0))
