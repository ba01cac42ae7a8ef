"""Products of reports with every function of a feature, person by person: what it is there beyond its expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.backends import chunks
from semildp.curator.effects.own_sums import own_rows
from semildp.curator.effects.reading import Reading

NUMBERS = 1 << 18  # held at a time: 2 megabytes


@dataclass(frozen=True, eq=False)
class Even:
    """All people have the same expectations.

    Parameters
    ----------
    away
        The functions h at each cell c, or at each place p, less their mean: one of these axes has length 1. Places of
        two features are numbered by the first feature, then by the second; then the axis is that of the first.
    weight
        What the sum of each cell counts.
    count
        Expected number of people in each cell at each place, times what is kept of residuals.
    """

    away: Floats
    weight: Floats
    count: Floats

    def num(self, sums: Floats) -> Floats:
        """Return the sum over cells of weight * away * sums (cell x place): function x place."""
        return _over_cells(self.away, self.weight[:, None] * sums)

    def den(self) -> Floats:
        """Return the same of what h itself adds to the sums: function x place."""
        return _over_cells(self.away**2, self.weight[:, None] * self.count)

    def gram(self, rows: slice) -> Floats:
        """Return the same of products of some functions: function x function x place."""
        return _crossed(self.away[rows], self.weight[:, None] * self.count)


@dataclass(frozen=True, eq=False)
class Personal:
    """People have expectations of their own: h is beyond them by here[h, c, p] - sum over bins b of inside[h, b] P_b.

    Parameters
    ----------
    here, inside
        The functions at each cell, or place (of the first feature, as in `Even`), and their means in each bin in which
        a person is expected.
    weight
        What the sum of each cell counts.
    rows
        Where sums that are weighed by P_b are: see `beside_expected`.
    count, both, square
        Sums over people at each place, times what is kept of residuals: of the chance of each cell, times P_b; and of
        P_b P_b' times the weights of cells, averaged by their chances.
    """

    here: Floats
    inside: Floats
    weight: Floats
    rows: slice
    count: Floats
    both: Floats
    square: Floats

    def num(self, sums: Floats) -> Floats:
        """Return the sum over people and cells of weight * (h beyond its expectation) * residual: function x place."""
        there = _over_cells(self.here, self.weight[:, None] * sums[: len(self.weight)])
        return np.asarray(there - self.inside @ sums[self.rows])

    def den(self) -> Floats:
        """Return the same of what h itself adds to the sums: function x place."""
        size = max(1, NUMBERS // self.both[:, 0].size)  # functions at a time
        weighed = self.weight[:, None, None] * self.both
        found = []
        for some in chunks(len(self.here), size):
            here, inside = self.here[some], self.inside[some]
            mean = np.tensordot(inside, weighed, (1, 1))  # function x cell x place
            if here.shape[2] > 1:  # at the first feature's places: the same at all places of the second
                here = np.repeat(here, self.count.shape[1] // here.shape[2], axis=2)
            crossed = (here * (here * (self.weight[:, None] * self.count) - 2 * mean)).sum(axis=1)
            found.append(crossed + (np.tensordot(inside, self.square, (1, 0)) * inside[:, :, None]).sum(axis=1))
        return np.asarray(np.maximum(np.concatenate(found), 0.0))

    def gram(self, rows: slice) -> Floats:
        """Return the same of products of some functions: function x function x place."""
        here, inside = self.here[rows], self.inside[rows]
        found = _crossed(here, self.weight[:, None] * self.count)
        mean = np.tensordot(inside, self.weight[:, None, None] * self.both, (1, 1))  # function x cell x place
        if here.shape[2] > 1:
            here = np.repeat(here, self.count.shape[1] // here.shape[2], axis=2)
        crossed = np.einsum("acp,bcp->abp", np.broadcast_to(here, mean.shape), mean)
        squares = np.einsum("ak,bl,klp->abp", inside, inside, self.square, optimize=True)
        return np.asarray(found - crossed - crossed.swapaxes(0, 1) + squares)


@dataclass(frozen=True, eq=False)
class OneSum:
    """All cells are in one sum, each with its sign; h adds D[h, p] to it, averaged over people at a place.

    Parameters
    ----------
    by_place
        D.
    noise
        Noise variance of the sum at each place.
    """

    by_place: Floats
    noise: Floats

    def num(self, sums: Floats) -> Floats:
        """Return D * sums / noise (1 x place): function x place."""
        return np.asarray(self.by_place * (sums / self.noise))

    def den(self) -> Floats:
        """Return D^2 / noise: function x place."""
        return np.asarray(self.by_place**2 / self.noise)

    def gram(self, rows: slice) -> Floats:
        """Return D D' / noise of some functions: function x function x place."""
        there = self.by_place[rows]
        return np.asarray(there[:, None] * (there / self.noise)[None])


Regressor = Even | Personal | OneSum


def _over_cells(functions: Floats, numbers: Floats) -> Floats:
    """Return the sum over cells of functions (of cells, or of first places) times numbers (cell x place)."""
    if functions.shape[2] == 1:
        return np.asarray(functions[:, :, 0] @ numbers)
    at_first = functions[:, 0, :].T[:, None, :]  # the same at all places of a second feature
    found: Floats = np.multiply(numbers.sum(axis=0).reshape(len(at_first), -1, 1), at_first, order="C")
    return found.reshape(-1, len(functions)).T  # by place, then by function, in memory: sums over places are quick


def _crossed(functions: Floats, numbers: Floats) -> Floats:
    """Return the sum over cells of products of two functions, as of `_over_cells`: function x function x place."""
    size = len(functions)
    pairs = functions[:, None] * functions[None]
    return _over_cells(pairs.reshape(size * size, *functions.shape[1:]), numbers).reshape(size, size, -1)


def regressor_of(values: Floats, reading: Reading, first: int, outer: tuple[int, ...]) -> Regressor:
    """Return the products of each function of a family's first feature (row of `values`), by place."""
    inside = values @ reading.within_bins(first).T  # function x expected bin
    here = values[:, None, :]  # function x place on the first axis
    if reading.in_cells(first):
        here = (values @ reading.within[first].T)[:, :, None]  # function x cell
    reports = reading.reports
    signs, kept = reports.signs, reports.kept
    noise = reports.cell_noise[:, None] * np.maximum(reading.counts.people_at(outer), 1e-9) / max(len(reports), 1)
    if not reading.personal:
        away = here - (inside @ reading.expected[first][:1][0])[:, None, None]
        count = kept * reading.counts.by_places([outer], reading.chances)[outer]
        if signs is None:
            return Even(away, reading.weight, count)
        return OneSum(_over_cells(away, signs[:, None] * count), noise)
    count, both, square = expected_counts(reading, first, outer)
    if signs is None:
        rows = own_rows(reading)[first,]
        return Personal(here, inside, reading.weight, rows, kept * count, kept * both, kept * square)
    there = _over_cells(here, signs[:, None] * count)
    return OneSum(kept * (there - inside @ np.einsum("c,cbp->bp", signs, both)), noise)


def expected_counts(reading: Reading, first: int, outer: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """Return sums over the people at each place, for what `Personal` says of `count`, `both` and `square`.

    They are cell x place, cell x bin x place and bin x bin x place. All public features are counted at once.
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
        chances, own = batch.lifted(batch.chances), batch.expected[first][:]
        pairs = (chances[:, :, None] * own[:, None, :]).reshape(-1, cells * bins)
        weight = np.ones(cells) if batch.reports.signs is not None else batch.weight
        own = np.broadcast_to(own, (len(pairs), bins))
        squares = ((chances @ weight)[:, None, None] * own[:, :, None] * own[:, None, :]).reshape(-1, bins * bins)
        return np.concatenate([np.broadcast_to(chances, (len(pairs), cells)), pairs, squares], axis=1)

    for outer, total in reading.totals(outers, rows).items():
        ends = np.cumsum([cells, cells * bins])
        count, both, square = np.split(total, ends)
        reading.counted[first, outer] = count, both.reshape(cells, bins, -1), square.reshape(bins, bins, -1)
