"""Products of reports with every function of two features that were asked about together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.own_sums import own_rows
from semildp.curator.effects.reading import Reading
from semildp.models.places import membership


@dataclass(frozen=True, eq=False)
class TwoAsked:
    """What reports are multiplied with, for products h of a function of each feature: function x function.

    Parameters
    ----------
    by_sum
        What each sum (first axis) is multiplied with: those by cell, and beside them those of `own_rows`.
    den
        The same of what h itself adds to the sums.
    centre
        What is taken off h, so that its mean over the people is 0.
    gram
        As `den`, of the products of some h with each other.
    """

    by_sum: Floats
    den: Floats
    centre: Floats
    gram: Floats | None = None


@dataclass(frozen=True, eq=False)
class Own:
    """Sums over people who have expectations of their own, d being their `Reading.pairs`.

    Parameters
    ----------
    there, both, square
        Of a = kept * weight * lift * chance of a cell, by cell; of a d', cell x cell; and of d d' times the sum of a
        over cells.
    mean
        Mean of d.
    turned
        Sum of d times the expected sign.
    """

    there: Floats
    both: Floats
    square: Floats
    mean: Floats
    turned: Floats

    @classmethod
    def of(cls, reading: Reading) -> Own:
        """Add up, a batch of people at a time."""
        cells = len(reading.cells)
        there, both, square = np.zeros(cells), np.zeros((cells, cells)), np.zeros((cells, cells))
        total, turned = np.zeros(cells), np.zeros(cells)
        for batch in reading.batches():
            n = len(batch.reports)
            d = np.broadcast_to(batch.pairs, (n, cells))
            total += d.sum(axis=0)
            if reading.reports.signs is not None:
                turned += np.broadcast_to(batch.turned, n) @ d
                continue
            a = reading.reports.kept * reading.weight * np.broadcast_to(batch.lifted(batch.chances), (n, cells))
            there += a.sum(axis=0)
            both += a.T @ d
            square += (d * a.sum(axis=1)[:, None]).T @ d
        return cls(there, both, square, total / max(len(reading.reports), 1), turned)


def regressor_of_two(first: Floats, second: Floats, reading: Reading, terms: tuple[slice, ...] = ()) -> TwoAsked:
    """Multiply each function of the first feature asked about (row) with each of the second; `terms` are for `gram`."""
    centre, reports = over_cells(first, second, reading, reading.cells), reading.reports
    if reading.personal:
        here, inside = in_cells(first, second, reading), _in_bins(first, second, reading)
        return _personal(here, centre, inside, reading, terms)
    if reports.signs is not None:
        signs = reports.signs * reading.cells
        told = over_cells(first, second, reading, signs) - signs.sum() * centre
        return _turned(len(reports) * told, centre, reading, terms)
    here = in_cells(first, second, reading) - centre
    along, people = reading.weight[:, None, None] * here, reports.kept * reading.people
    gram = None
    if terms:
        some = _chosen(here, terms)
        gram = (some * (people * reading.weight)[:, None]).T @ some
    return TwoAsked(along, np.tensordot(people, along * here, 1), centre, gram)


def _personal(here: Floats, centre: Floats, inside: Floats, reading: Reading, terms: tuple[slice, ...]) -> TwoAsked:
    """Take off, for each person, what h is expected to be beyond what it is on average: d times `inside`."""
    own, reports = Own.of(reading), reading.reports
    centre = centre - np.tensordot(own.mean, inside, 1)
    here = here - centre
    if reports.signs is not None:
        told = len(reports) * np.tensordot(reports.signs * reading.cells, here, 1)
        return _turned(told - np.tensordot(own.turned, inside, 1), centre, reading, terms)
    den = np.tensordot(own.there, here**2, 1)
    den -= 2 * (here * np.tensordot(own.both, inside, 1)).sum(axis=0)
    den += (inside * np.tensordot(own.square, inside, 1)).sum(axis=0)
    rows, gram = own_rows(reading), None
    if terms:
        there, expected = _chosen(here, terms), _chosen(inside, terms)
        crossed = there.T @ own.both @ expected
        gram = (there * own.there[:, None]).T @ there - crossed - crossed.T + expected.T @ own.square @ expected
    by_sum = np.zeros((max(each.stop for each in rows.values()), *centre.shape))
    by_sum[: len(here)] = reading.weight[:, None, None] * here
    by_sum[rows[reports.features]] = -inside
    return TwoAsked(by_sum, np.maximum(den, 0.0), centre, gram)


def _turned(told: Floats, centre: Floats, reading: Reading, terms: tuple[slice, ...]) -> TwoAsked:
    """All cells are in one sum, to which h adds kept * `told`."""
    told, noise = reading.reports.kept * told, float(reading.reports.cell_noise[0])
    some = told[terms].ravel()
    return TwoAsked(told[None] / noise, told**2 / noise, centre, np.outer(some, some) / noise if terms else None)


def _chosen(by_cell: Floats, terms: tuple[slice, ...]) -> Floats:
    """Return some products of functions: cell x product."""
    return by_cell[:, terms[0], terms[1]].reshape(len(by_cell), -1)


def in_cells(first: Floats, second: Floats, reading: Reading) -> Floats:
    """Return the average of each product in each cell: cell x function x function."""
    bins, together = reading.reports.bins, reading.together
    rows, columns = (membership(b, places) for b, places in zip(bins, together.shape, strict=True))
    left, right = [(first * row) @ together for row in rows], [(second * column).T for column in columns]
    found = np.array([a @ b for a in left for b in right])
    return np.asarray(found / np.maximum((rows @ together @ columns.T).ravel(), 1e-300)[:, None, None])


def over_cells(first: Floats, second: Floats, reading: Reading, weight: Floats) -> Floats:
    """Return the average of each product in each cell, times a weight of the cell, added up: function x function."""
    bins, together = reading.reports.bins, reading.together
    rows, columns = (membership(b, places) for b, places in zip(bins, together.shape, strict=True))
    each = weight.reshape(bins) / np.maximum(rows @ together @ columns.T, 1e-300)
    return np.asarray(first @ (together * (rows.T @ each @ columns)) @ second.T)


def _in_bins(first: Floats, second: Floats, reading: Reading) -> Floats:
    """Return the same if the features do not go together, in the bins that are expected of people."""
    one, two = reading.reports.features
    left, right = first @ reading.within_bins(one).T, second @ reading.within_bins(two).T
    return np.asarray(np.einsum("gb,hc->bcgh", left, right).reshape(-1, len(first), len(second)))
