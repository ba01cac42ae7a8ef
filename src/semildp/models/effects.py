"""What private features add to a prediction: a table over the places of one feature, or of two."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.models.expectation import Expectation
from semildp.models.places import place_of, within_bins

Numbers = tuple[float, ...]


class Effect(Struct, frozen=True, forbid_unknown_fields=True):
    """What one private feature adds, or two features together, beyond what public features tell of it.

    Parameters
    ----------
    features
        Index of the private feature, and of a second, public or private, if the effect is that of both.
    cuts
        For each of them, where its axis, scaled to [0, 1], is cut into places.
    shares
        For each of them, the estimated share of people at each place; a missing value is averaged over them.
    values, deviations
        What is added at each place (the first feature's places are rows), and its standard deviation.
    """

    features: tuple[int, ...]
    cuts: tuple[Numbers, ...]
    shares: tuple[Numbers, ...]
    values: Numbers
    deviations: Numbers

    @property
    def table(self) -> Floats:
        """What is added, as an array with one axis per feature."""
        return np.asarray(self.values).reshape([len(shares) for shares in self.shares])

    @property
    def deviation(self) -> Floats:
        """Its standard deviation, in the same shape."""
        return np.asarray(self.deviations).reshape([len(shares) for shares in self.shares])

    def at(self, unit: Floats, expectations: Mapping[int, Expectation], seen: Floats) -> Floats:
        """Return what is added to rows scaled to [0, 1]; NaN is missing.

        Parameters
        ----------
        unit
            All features.
        expectations, seen
            Where private features are expected, given public columns; what the effect is expected to add is in the
            public prediction already and is taken off. Of two private ones it is what is expected for this person
            beyond what is expected on average, as if they went together no more than public columns tell.
        """
        first = _chosen(self.table, unit[:, self.features[0]], self.cuts[0], self.shares[0])
        known = self._second(first, unit)
        asked = [expectations[j] for j in self.features if j in expectations]
        if not asked:
            return known
        if len(asked) == 2:
            missing = np.isnan(unit[:, list(self.features)]).all(axis=1)
            return np.where(missing, 0.0, known - self._both(asked[0], asked[1], seen))
        chances = asked[0].at(seen)
        bins = chances @ (within_bins(chances.shape[1], np.asarray(self.shares[0])) @ self.table)
        expected = self._second(np.broadcast_to(bins, (len(unit), *bins.shape[1:])), unit)
        return np.where(np.isnan(unit[:, self.features[0]]), 0.0, known - expected)

    def _both(self, first: Expectation, second: Expectation, seen: Floats) -> Floats:
        """Return what two private features are expected to add for each row, less what they are on average."""
        if not first.slopes and not second.slopes:
            return np.zeros(1)
        one, two = (
            within_bins(len(e.shares), np.asarray(s)) for e, s in zip((first, second), self.shares, strict=True)
        )
        bins = one @ self.table @ two.T
        usual = float(np.asarray(first.shares) @ bins @ np.asarray(second.shares))
        return np.asarray(((first.at(seen) @ bins) * second.at(seen)).sum(axis=1) - usual)

    def variance_at(self, unit: Floats) -> Floats:
        """Return the variance of what is added to rows scaled to [0, 1]; none where the first feature is missing."""
        value = unit[:, self.features[0]]
        rows = (self.deviation**2)[place_of(value, self.cuts[0])]
        return np.where(np.isnan(value), 0.0, self._second(rows, unit))

    def _second(self, rows: Floats, unit: Floats) -> Floats:
        """Choose, in each row, the place of the second feature, if there is one."""
        if len(self.features) == 1:
            return rows
        value, shares = unit[:, self.features[1]], np.asarray(self.shares[1])
        chosen = rows[np.arange(len(rows)), place_of(value, self.cuts[1])]
        return np.where(np.isnan(value), rows @ shares, chosen)


def _chosen(table: Floats, value: Floats, cuts: Numbers, shares: Numbers) -> Floats:
    """Return the rows of a table at which values lie; for a missing one, the average over people."""
    rows = table[place_of(value, cuts)]
    rows[np.isnan(value)] = np.asarray(shares) @ table
    return rows
