"""What private features add to a prediction: a line on a number's values, and a step for each bin or category."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.domains import bin_of


class Effect(Struct, frozen=True, forbid_unknown_fields=True):
    """What one feature adds: slope * (x - centre) + steps[bin of x], x scaled to [0, 1].

    Parameters
    ----------
    feature
        Index of the feature.
    slope, centre
        The line; slope 0 for a category.
    steps
        What each bin, or each value of a category, adds beyond the line.
    shares
        Estimated share of people in each bin; a missing value is averaged over them.
    """

    feature: int
    slope: float
    centre: float
    steps: tuple[float, ...]
    shares: tuple[float, ...]

    def at(self, unit: Floats) -> Floats:
        """Return what is added at values scaled to [0, 1]; NaN is missing."""
        steps, shares, bins = np.asarray(self.steps), np.asarray(self.shares), len(self.steps)
        middles = (np.arange(bins) + 0.5) / bins
        missing = np.isnan(unit)
        known = np.where(missing, 0.0, unit)
        added = (known - self.centre) * self.slope + steps[bin_of(known, bins)]
        average = float(shares @ ((middles - self.centre) * self.slope + steps))
        return np.where(missing, average, added)
