"""Where a private feature is expected to lie, given public ones: a linear model of the probabilities of its bins."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats

Numbers = tuple[float, ...]


class Expectation(Struct, frozen=True, forbid_unknown_fields=True):
    """Probabilities of a feature's equal bins: shares + slopes * public columns, cut at 0 and made to add up to 1.

    Parameters
    ----------
    feature
        The feature.
    shares
        Share of people in each bin.
    mean, scale
        By which public columns are standardised; empty if they tell nothing.
    slopes
        One row per public column, one entry per bin.
    """

    feature: int
    shares: Numbers
    mean: Numbers = ()
    scale: Numbers = ()
    slopes: tuple[Numbers, ...] = ()

    @classmethod
    def constant(cls, feature: int, shares: Floats) -> Expectation:
        """Return the same for everybody."""
        return cls(feature, tuple(shares.tolist()))

    @classmethod
    def linear(cls, feature: int, shares: Floats, slopes: Floats, mean: Floats, scale: Floats) -> Expectation:
        """Return probabilities that depend on public columns, if any slope is not 0."""
        if not slopes.any():
            return cls.constant(feature, shares)
        rows = tuple(tuple(row) for row in slopes.tolist())
        return cls(feature, tuple(shares.tolist()), tuple(mean.tolist()), tuple(scale.tolist()), rows)

    def at(self, seen: Floats) -> Floats:
        """Return the probabilities of each bin for rows of public columns: one row for all if they are the same."""
        shares = np.asarray(self.shares)
        if not self.slopes:
            return shares[None, :]
        standard = np.nan_to_num((seen - np.asarray(self.mean)) / np.asarray(self.scale))
        found = np.maximum(shares + standard @ np.asarray(self.slopes), 0.0)
        total = found.sum(axis=1, keepdims=True)
        return np.where(total > 0, found / np.where(total > 0, total, 1.0), shares)
