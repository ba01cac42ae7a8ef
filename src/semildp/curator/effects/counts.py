"""People counted by places of what is known of them, and sums of their reports there: batch after batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from semildp._arrays import Floats, Ints
from semildp.curator.effects.reports import EffectReports

BATCH = 1 << 16  # people whose places are numbered at a time
DENSE = 1 << 16  # pairs of places that are counted in an array


@dataclass(frozen=True, eq=False)
class Counts:
    """Reports to one question by the places of people; what was counted is kept.

    Parameters
    ----------
    reports
        The reports, with people's places.
    shares
        Share of people at each place of every feature's axis: as many as there are places.
    """

    reports: EffectReports
    shares: Mapping[int, Floats]

    def place(self, feature: int) -> Ints:
        """Return the place of each person on the axis of a feature that is known."""
        return np.asarray(self.reports.known[:, feature])

    def key(self, features: tuple[int, ...]) -> tuple[Ints, int]:
        """Return one number for each person's places on the axes of known features, and how many there are."""
        place, places = np.zeros(len(self.reports), dtype=np.int64), 1
        for j in features:
            size = len(self.shares[j])
            place, places = place * size + self.place(j), places * size
        return place, places

    @cached_property
    def _people_at(self) -> dict[tuple[int, ...], Ints]:
        return {}

    def people_at(self, features: tuple[int, ...]) -> Ints:
        """Return how many people are at each place of known features, in the order of `key`."""
        if features not in self._people_at:
            counted: Ints | int = 0
            for _, reports in self.reports.batches(BATCH):
                place, places = Counts(reports, self.shares).key(features)
                counted = counted + np.bincount(place, minlength=places)
            self._people_at[features] = np.asarray(counted)
        return self._people_at[features]

    @cached_property
    def _people_at_both(self) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Any]:
        return {}

    def people_at_both(self, features: tuple[int, ...], others: tuple[int, ...]) -> Any:
        """Return how many people are at each place of some known features (row) and of others (column).

        It is an array; of many places, of which few hold anyone, a sparse one.
        """
        if (features, others) not in self._people_at_both:
            counted: Any = 0
            for _, reports in self.reports.batches(BATCH):
                some = Counts(reports, self.shares)
                (row, rows), (column, columns) = some.key(features), some.key(others)
                if rows * columns <= DENSE:
                    counted = counted + np.bincount(row * columns + column, minlength=rows * columns).astype(np.float64)
                else:
                    counted = csr_array((np.ones(len(row)), (row, column)), shape=(rows, columns)) + counted
            self._people_at_both[features, others] = (
                counted.reshape(rows, columns) if rows * columns <= DENSE else counted
            )
        return self._people_at_both[features, others]

    def sums(self, features: tuple[int, ...]) -> Floats:
        """Return the unbiased sums of residuals by cell (row) and by the places of known features (column)."""
        total: Floats | float = 0.0
        for _, reports in self.reports.batches(BATCH):
            total = total + reports.sums(*Counts(reports, self.shares).key(features))
        return np.asarray(total)

    def by_places(self, choices: Sequence[tuple[int, ...]], rows: Floats) -> dict[tuple[int, ...], Floats]:
        """Add up rows (of people, or one for all) by places, for several choices of known features: column x place.

        With 1 where a person is at a place, this is the product of that matrix and the rows.
        """
        if len(rows) == 1:
            return {features: np.outer(rows[0], self.people_at(features)) for features in choices}
        keys = [self.key(features) for features in choices]
        ends = np.cumsum([0, *(places for _, places in keys)])
        at = np.stack([place + start for (place, _), start in zip(keys, ends[:-1], strict=True)], axis=1).ravel()
        upto = np.arange(0, len(at) + 1, len(keys))
        there = csr_array((np.ones(len(at)), at, upto), shape=(len(rows), int(ends[-1])))
        total = np.asarray((there.T @ rows).T)
        return {f: total[:, a:b] for f, a, b in zip(choices, ends[:-1], ends[1:], strict=True)}
