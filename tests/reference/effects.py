"""What pair reports say of effects, literally: loops over people, cells, bins and places, from the definitions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

Table = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Weights:
    """What a mark is worth: people per mark and per report, and the factor of a mark's number."""

    per_mark: float
    per_person: float
    per_score: float


@dataclass(frozen=True)
class Sent:
    """What each person marked, as (cell, number), of so many cells; where residuals were cut; moves of predictions."""

    marks: Sequence[Sequence[tuple[int, float]]]
    n_cells: int
    reach: float
    shift: Sequence[float]
    weights: Weights

    def indicator(self, person: int, cell: int) -> float:
        """Return the unbiased indicator that a person is in a cell."""
        marked = sum(1 for c, _ in self.marks[person] if c == cell)
        return self.weights.per_mark * marked + self.weights.per_person

    def residual_in(self, person: int, cell: int) -> float:
        """Return a person's unbiased residual, from today's prediction, times the indicator that they are in a cell."""
        score = sum(number for c, number in self.marks[person] if c == cell)
        return self.reach * self.weights.per_score * score - self.shift[person] * self.indicator(person, cell)

    def residual(self, person: int) -> float:
        """Return a person's unbiased residual from the prediction at the time."""
        return self.reach * self.weights.per_score * sum(number for _, number in self.marks[person])

    def sums(self, place: Sequence[int], places: int) -> list[list[float]]:
        """Return sums of residuals by cell and place."""
        total = [[0.0] * places for _ in range(self.n_cells)]
        for person, cell in itertools.product(range(len(self.marks)), range(self.n_cells)):
            total[cell][place[person]] += self.residual_in(person, cell)
        return total

    def product(self, factor: Table) -> float:
        """Return the sum of residuals times a factor per person and cell."""
        pairs = itertools.product(range(len(self.marks)), range(self.n_cells))
        return sum(factor[person][cell] * self.residual_in(person, cell) for person, cell in pairs)

    def people(self) -> list[float]:
        """Return the nearest counts of people per cell that are not negative and add up, by bisection."""
        n = len(self.marks)
        raw = [sum(self.indicator(person, cell) for person in range(n)) for cell in range(self.n_cells)]
        low, high = min(raw) - n, max(raw)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(max(x - middle, 0.0) for x in raw) > n else (low, middle)
        return [max(x - high, 0.0) for x in raw]

    def products(self, columns: Table, bin_of_cell: Sequence[int], bins: int) -> list[list[float]]:
        """Return sums of public columns times the unbiased indicators of bins."""
        total = [[0.0] * bins for _ in columns[0]]
        for person, row in enumerate(columns):
            for column, cell in itertools.product(range(len(row)), range(self.n_cells)):
                total[column][bin_of_cell[cell]] += row[column] * self.indicator(person, cell)
        return total


def overlap(bin_: int, bins: int, place: int, places: int) -> float:
    """Return which part of an equal place lies in an equal bin."""
    low, high = max(bin_ / bins, place / places), min((bin_ + 1) / bins, (place + 1) / places)
    return max(high - low, 0.0) * places


def average_in_bin(effect: Sequence[float], shares: Sequence[float], bin_: int, bins: int) -> float:
    """Return the average of an effect over the people in a bin, who lie at places by their shares."""
    weights = [overlap(bin_, bins, p, len(shares)) * shares[p] for p in range(len(shares))]
    if sum(weights) <= 0:
        return sum(effect) / len(effect)
    return sum(w * e for w, e in zip(weights, effect, strict=True)) / sum(weights)


def average_in_cell(effect: Table, together: Table, bins: tuple[int, int], cell: int) -> float:
    """Return the average of a table over the people in a cell of two features, by shares over pairs of places."""
    first, second = divmod(cell, bins[1])
    total = mass = 0.0
    for p, q in itertools.product(range(len(together)), range(len(together[0]))):
        weight = together[p][q] * overlap(first, bins[0], p, len(together))
        weight *= overlap(second, bins[1], q, len(together[0]))
        total, mass = total + weight * effect[p][q], mass + weight
    return total / mass if mass > 0 else 0.0


def chances(shares: Sequence[float], own: Sequence[tuple[Table, Sequence[int]]], n: int) -> list[list[float]]:
    """Return the probability of each cell for each person.

    `own` holds, per feature, the probabilities of bins for each person, and the bin of each cell. If there is any, a
    factor of each cell is found in ten rounds: the share of the cell over the mean probability so far.
    """
    factors, found = list(shares), list[list[float]]()
    for round_ in range(11 if own else 1):
        if round_ > 0:
            means = [sum(row[cell] for row in found) / n for cell in range(len(shares))]
            factors = [f * s / max(m, 1e-12) for f, s, m in zip(factors, shares, means, strict=True)]
        found = [_own_chances(factors, own, person, n) for person in range(n)]
    return found


def _own_chances(
    factors: Sequence[float], own: Sequence[tuple[Table, Sequence[int]]], person: int, n: int
) -> list[float]:
    row = list(factors)
    for expected, bin_of_cell in own:
        for cell in range(len(row)):
            mine = [each[bin_of_cell[cell]] for each in expected]
            row[cell] *= mine[person] / max(sum(mine) / n, 1e-9)
    total = sum(row)
    return [x / total if total > 0 else 0.0 for x in row]


def by_place(place: Sequence[int], places: int, rows: Table) -> list[list[float]]:
    """Return sums of rows by place: column x place."""
    total = [[0.0] * places for _ in rows[0]]
    for person, row in enumerate(rows):
        for column, number in enumerate(row):
            total[column][place[person]] += number
    return total
