"""Whether a second round pays, with how many bins and levels: from public numbers only."""

from __future__ import annotations

import math
from dataclasses import dataclass

from semildp.mechanisms import GeneralisedResponse

BINS = (2, 3, 4, 5, 6, 8)
LEVELS = (2, 3, 4, 5, 7, 9)
SPREAD_SHARE = 0.25  # residuals are cut at two standard deviations: their variance in units of the squared half-range
EFFECT_SHARE = 0.05 * SPREAD_SHARE  # guess: one private feature explains 5 % of it


@dataclass(frozen=True)
class PairPlan:
    """Bins and levels, and how much squared error one feature's effects are expected to remove."""

    bins: int
    levels: int
    gain: float


def plan_pairs(n_people: int, n_features: int, epsilon: float, half_range: float) -> PairPlan:
    """Choose bins and levels that are expected to remove most error, for `n_people` spread over `n_features`."""
    per_feature = n_people / n_features
    plans = [
        PairPlan(bins, levels, half_range**2 * _gain(per_feature, bins, levels, epsilon))
        for bins in BINS
        for levels in LEVELS
    ]
    return max(plans, key=lambda plan: plan.gain)


def _gain(n: float, bins: int, levels: int, epsilon: float) -> float:
    """Expected fall of the squared error, residuals being in [-1, 1]: captured variance, shrunk by its noise."""
    captured = EFFECT_SHARE * (1 - float(bins) ** -2)
    noise = bins * (bins - 1) / bins * noise_per_person(bins, levels, epsilon) / max(n, 1.0)
    return float(captured**2 / (captured + noise))


def noise_per_person(bins: int, levels: int, epsilon: float) -> float:
    """Variance that one report adds to a bin's residual mean, times the bin's share: in-bin and out-of-bin reports."""
    symbols = bins * levels
    contrast = GeneralisedResponse.contrast(epsilon, symbols)
    q = (1 - contrast) / symbols
    grid = [2 * i / (levels - 1) - 1 for i in range(levels)]
    level_square = sum(x * x for x in grid)
    step = 2 / (levels - 1)
    own = SPREAD_SHARE + min(step * math.sqrt(SPREAD_SHARE), step**2 / 4)  # second moment after random rounding
    return (own * contrast + bins * q * level_square) / contrast**2
