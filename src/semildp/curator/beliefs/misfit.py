"""What the functions of effects cannot follow: an allowance for effects that are none of these."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from semildp.models.effects import Effect

# Guess: of an effect's part that is no line, so much again is wrong with it: a sine or a logistic curve is put together
# from steps and parabolas. Tried on drawn functions (`benchmarks.drawn_functions`) with 2,000 and 20,000 people at
# epsilon 4, where twice as much held f too often with many people, and none of it not often enough with few.
CURVED = 0.25


def misfit(effects: Iterable[Effect]) -> float:
    """Return the mean square of what effects of single features may miss.

    An effect that is seen to be a line is taken to be one. Of another, the part beyond its best line counts as far as
    it is larger than the effect's own variance, which allows for smaller ones.
    """
    return CURVED * sum(_curved(effect) for effect in effects if len(effect.features) == 1)


def _curved(effect: Effect) -> float:
    """Return the variance of an effect around its best line, over people, less its mean variance; 0 at least."""
    people, values = np.asarray(effect.shares[0]), np.asarray(effect.values)
    ends = np.array([0.0, *effect.cuts[0], 1.0])
    middles = (ends[1:] + ends[:-1]) / 2
    values, middles = values - people @ values, middles - people @ middles
    slope = float(people @ (values * middles)) / max(float(people @ middles**2), 1e-300)
    return max(float(people @ ((values - slope * middles) ** 2 - np.asarray(effect.deviations) ** 2)), 0.0)
