"""How many people are expected at each cell and place, times what a function is there beyond its expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.backends import chunks
from semildp.curator.effects.reading import Reading

NUMBERS = 1 << 18  # held at a time: 2 megabytes


@dataclass(frozen=True, eq=False)
class Even:
    """D[h, c, p] = away[h, c, p] * count[c, p], if all people have the same expectations.

    Parameters
    ----------
    away
        The functions h at each cell c, or at each place p, less their mean: one of these axes has length 1. Places of
        two features are numbered by the first feature, then by the second; then the axis is that of the first.
    count
        Expected number of people in each cell at each place, times what is kept of residuals.
    """

    away: Floats
    count: Floats

    def times(self, numbers: Floats) -> Floats:
        """Return the sum over cells of D * numbers (cell x place): function x place."""
        return _over_cells(self.away, self.count * numbers)

    def squares(self, noise: Floats) -> Floats:
        """Return the sum over cells of D^2 / noise: function x place."""
        return _over_cells(self.away**2, self.count**2 / noise)


@dataclass(frozen=True, eq=False)
class Personal:
    """D[h, c, p] = here[h, c, p] * count[c, p] - sum over bins b of inside[h, b] * both[c, b, p].

    Parameters
    ----------
    here, inside
        The functions at each cell, or place (of the first feature, as in `Even`), and their means in each bin in which
        a person is expected.
    count, both
        Expected number of people in each cell at each place; and that times the probability of each bin.
    """

    here: Floats
    inside: Floats
    count: Floats
    both: Floats

    def times(self, numbers: Floats) -> Floats:
        """Return the sum over cells of D * numbers (cell x place): function x place."""
        there = _over_cells(self.here, self.count * numbers)
        return np.asarray(there - self.inside @ np.einsum("cbp,cp->bp", self.both, numbers))

    def squares(self, noise: Floats) -> Floats:
        """Return the sum over cells of D^2 / noise: function x place."""
        size = max(1, NUMBERS // self.both[:, 0].size)  # functions at a time
        found = []
        for some in chunks(len(self.here), size):
            mean = np.tensordot(self.inside[some], self.both, (1, 1))  # function x cell x place
            here = self.here[some]
            if here.shape[2] > 1:  # at the first feature's places: the same at all places of the second
                here = np.repeat(here, self.count.shape[1] // here.shape[2], axis=2)
            found.append(((here * self.count - mean) ** 2 / noise).sum(axis=1))
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class OneSum:
    """D[h, p] of all cells in one sum, each with its sign."""

    by_place: Floats

    def times(self, numbers: Floats) -> Floats:
        """Return D * numbers (1 x place): function x place."""
        return np.asarray(self.by_place * numbers)

    def squares(self, noise: Floats) -> Floats:
        """Return D^2 / noise (1 x place): function x place."""
        return np.asarray(self.by_place**2 / noise)


Regressor = Even | Personal | OneSum


def _over_cells(functions: Floats, numbers: Floats) -> Floats:
    """Return the sum over cells of functions (of cells, or of first places) times numbers (cell x place)."""
    if functions.shape[2] == 1:
        return np.asarray(functions[:, :, 0] @ numbers)
    at_first = functions[:, 0, :].T[:, None, :]  # the same at all places of a second feature
    found: Floats = np.multiply(numbers.sum(axis=0).reshape(len(at_first), -1, 1), at_first, order="C")
    return found.reshape(-1, len(functions)).T  # by place, then by function, in memory: sums over places are quick


def regressor_of(values: Floats, reading: Reading, first: int, outer: tuple[int, ...]) -> Regressor:
    """Return D for each function of a family's first feature (row of `values`), by cell and place."""
    inside = values @ reading.within_bins(first).T  # function x expected bin
    here = values[:, None, :]  # function x place on the first axis
    if reading.in_cells(first):
        here = (values @ reading.within[first].T)[:, :, None]  # function x cell
    signs, kept = reading.reports.signs, reading.reports.kept
    if not reading.personal:
        away = here - (inside @ reading.expected[first][:1][0])[:, None, None]
        count = kept * reading.by_place(outer, reading.chances)
        return Even(away, count) if signs is None else OneSum(_over_cells(away, signs[:, None] * count))
    count, both = expected_counts(reading, first, outer)
    if signs is None:
        return Personal(here, inside, kept * count, kept * both)
    there = _over_cells(here, signs[:, None] * count)
    return OneSum(kept * (there - inside @ np.einsum("c,cbp->bp", signs, both)))


def expected_counts(reading: Reading, first: int, outer: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return how many people are expected in each cell at each place; and the same times the chance of each bin.

    The first is cell x place, the second cell x bin x place. All public features are counted at once.
    """
    found = reading.counted
    if (first, outer) not in found:
        public = [(j,) for j in sorted(reading.shares) if j not in reading.private and reading.reports.knows(j)]
        _count_own(reading, first, [*public, *({outer} - {*public})])
    return found[first, outer]


def _count_own(reading: Reading, first: int, outers: list[tuple[int, ...]]) -> None:
    """Count people who have expectations of their own, for several choices of known features."""
    cells, bins = len(reading.cells), reading.expected[first].shape[1]

    def rows(batch: Reading) -> Floats:
        chances, own = batch.chances, batch.expected[first][:]
        pairs = (chances[:, :, None] * own[:, None, :]).reshape(-1, cells * bins)
        return np.concatenate([np.broadcast_to(chances, (len(pairs), cells)), pairs], axis=1)

    for outer, total in reading.totals(outers, rows).items():
        reading.counted[first, outer] = total[:cells], total[cells:].reshape(cells, bins, -1)
