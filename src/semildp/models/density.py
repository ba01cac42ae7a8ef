"""A density that is constant on every cell of a partition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from semildp._arrays import Bools, Floats, Ints
from semildp.models.density_box import Side, code_parts, leaf_parts
from semildp.partition import Partition as Cells
from semildp.partition.tree import LEAF
from semildp.partition.volumes import bin_shares, leaf_boxes, leaf_shares, over_codes
from semildp.study import Category, Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import Partition

_PAIRS = 1 << 20  # pairs of a row with missing entries and a cell it could be in, looked at together


class DensityBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="density"):
    """The mass of every cell, spread evenly over the cell.

    Parameters
    ----------
    partition
        The cells.
    masses, variances
        Mass of each cell, above 0 unless no value is in it, in all 1; and its variance, from the known noise and from
        who happened to take part. That a density is not constant on a cell is not in it.
    shares, share_variances
        Of each node of the tree that is split, the share of its mass in the left child, and its variance; else 0.
    bin_variances
        Of each node that is split, the variance of the difference between its children's shares of a bin; else 0.
    root_variance
        Variance of the share of a bin over all mass.
    """

    partition: Partition
    masses: tuple[float, ...]
    variances: tuple[float, ...]
    shares: tuple[float, ...]
    share_variances: tuple[float, ...]
    bin_variances: tuple[float, ...]
    root_variance: float

    def log_density(self, study: Study, X: Floats) -> Floats:
        """Return the log density of each row; -inf outside the bounds. A missing entry is integrated out."""
        cells, missing = read_partition(self.partition, study.bounds), np.isnan(X)
        some = missing.any(axis=1)
        found, units = np.empty(len(X)), _log_units(study)
        if not some.all():
            found[~some] = self._logs(study, cells)[cells.cell(X[~some])] - math.fsum(units.tolist())
        rows, size = np.flatnonzero(some), max(1, _PAIRS // cells.n_cells)
        for start in range(0, len(rows), size):
            here = rows[start : start + size]
            found[here] = self._marginal(study, cells, X[here], missing[here]) - ~missing[here] @ units
        return np.where(_outside(study, X), -np.inf, found)

    def probability(self, study: Study, box: Sequence[Side]) -> tuple[float, float]:
        """Return the mass of a box and its standard deviation: masses of cells times how much of each is in the box."""
        cells = read_partition(self.partition, study.bounds)
        leaves, codes = leaf_parts(cells, study, box), code_parts(cells, study, box)
        masses = np.asarray(self.masses).reshape(len(leaves), -1)
        mass = math.fsum((masses * np.multiply.outer(leaves, codes)).ravel().tolist())
        return min(mass, 1.0), math.sqrt(self._box_variance(cells, leaves, codes, masses))

    def sample(self, study: Study, n: int, rng: np.random.Generator) -> Floats:
        """Draw rows: a cell by its mass, then a value in it, all alike; a category by its code."""
        cells = read_partition(self.partition, study.bounds)
        masses = np.asarray(self.masses)
        leaf, code = np.divmod(rng.choice(len(masses), size=n, p=masses / masses.sum()), cells.n_codes)
        low, high = (ends[leaf] for ends in leaf_boxes(cells.tree, len(study.features)))
        for j, bins in zip(reversed(cells.histogram_features), reversed(cells.bins), strict=True):
            code, digit = np.divmod(code, bins)  # the last feature is the fastest digit
            low[:, j], high[:, j] = digit / bins, (digit + 1) / bins
        drawn = rng.random((n, len(study.features)))
        for j, feature in enumerate(study.features):
            if isinstance(feature.domain, Category):
                drawn[:, j] = _draw_codes(len(feature.domain.values), low[:, j], high[:, j], drawn[:, j])
            else:
                start, width = feature.domain.low, feature.domain.high - feature.domain.low
                unit = low[:, j] + drawn[:, j] * (high[:, j] - low[:, j])
                drawn[:, j] = np.minimum(start + unit * width, feature.domain.high)
        return drawn

    def _logs(self, study: Study, cells: Cells) -> Floats:
        """Return the log of mass over volume of every cell, the domain having volume 1."""
        leaves = leaf_shares(cells.tree, study.n_values).prod(axis=1)
        volumes = np.multiply.outer(leaves, over_codes(bin_shares(cells, study.n_values))).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(volumes > 0, np.log(np.asarray(self.masses) / volumes), -np.inf))

    def _marginal(self, study: Study, cells: Cells, X: Floats, missing: Bools) -> Floats:
        """Return the log density of the entries that are there: over all cells where a row could be."""
        person, cell = cells.candidates(X, missing).cells()
        volume = np.ones(len(cell))
        shares, (leaf, code) = leaf_shares(cells.tree, study.n_values), np.divmod(cell, cells.n_codes)
        for j in sorted({split for split in cells.tree.feature if split != LEAF}):
            volume *= np.where(missing[person, j], 1.0, shares[leaf, j])
        bins = bin_shares(cells, study.n_values)
        for j, each in zip(reversed(cells.histogram_features), reversed(bins), strict=True):
            code, digit = np.divmod(code, len(each))
            volume *= np.where(missing[person, j], 1.0, each[digit])
        per_cell = np.divide(np.asarray(self.masses)[cell], volume, out=np.zeros(len(cell)), where=volume > 0)
        return np.asarray(np.log(np.bincount(person, weights=per_cell, minlength=len(X))))

    def _box_variance(self, cells: Cells, leaves: Floats, codes: Floats, masses: Floats) -> float:
        """Return the variance of a box's mass: each split's share and each split's bins are off on their own."""
        tree = cells.tree
        nodes = np.flatnonzero(tree.leaf >= 0)
        mass, wide, inside = np.zeros(len(tree.feature)), np.zeros(len(tree.feature)), np.zeros(len(tree.feature))
        mass[nodes] = masses.sum(axis=1)[tree.leaf[nodes]]
        wide[nodes] = mass[nodes] * leaves[tree.leaf[nodes]]  # in the box, were all bins in it
        inside[nodes] = (masses @ codes * leaves)[tree.leaf[nodes]]
        uneven = float(((codes - codes.mean()) ** 2).sum())
        total = 0.0
        for node in range(len(tree.feature) - 1, -1, -1):
            if tree.feature[node] == LEAF:
                continue
            left = tree.child[node]
            for part in (mass, wide, inside):
                part[node] = part[left] + part[left + 1]
            if mass[left] > 0 and mass[left + 1] > 0:
                step = (inside[left] / mass[left] - inside[left + 1] / mass[left + 1]) * mass[node]
                turn = (wide[left] / mass[left] - wide[left + 1] / mass[left + 1]) * mass[node]
                share = self.shares[node]
                total += step**2 * self.share_variances[node]
                total += (turn * share * (1 - share)) ** 2 * self.bin_variances[node] * uneven
        return total + float(wide[0]) ** 2 * self.root_variance * uneven


def _log_units(study: Study) -> Floats:
    """Return the log of each domain's size: the length of a number's, how many values a category has."""
    domains = (feature.domain for feature in study.features)
    return np.array([math.log(len(d.values) if isinstance(d, Category) else d.high - d.low) for d in domains])


def _outside(study: Study, X: Floats) -> Bools:
    """Return which rows have an entry outside its domain."""
    out = ((np.asarray(study.bounds.low) > X) | (np.asarray(study.bounds.high) < X)).any(axis=1)
    for j, many in enumerate(study.n_values):
        if many is not None:
            with np.errstate(invalid="ignore"):
                out |= ~np.isnan(X[:, j]) & ~((X[:, j] == np.rint(X[:, j])) & (X[:, j] >= 0) & (X[:, j] < many))
    return np.asarray(out)


def _draw_codes(n_values: int, low: Floats, high: Floats, drawn: Floats) -> Ints:
    """Return codes between the ends of cells, all alike."""
    at = (np.arange(n_values) + 0.5) / n_values
    first, last = np.searchsorted(at, low, side="left"), np.searchsorted(at, high, side="left")
    return np.asarray(first + np.minimum(np.floor(drawn * (last - first)), np.maximum(last - first - 1, 0)))
