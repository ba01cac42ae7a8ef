"""The partition: a histogram on the most protected features times a tree on the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._checks import instance_of, whole_number
from semildp._kernels.choosing import compiled
from semildp.domains import FeatureBounds, bin_of
from semildp.errors import InputError, refusal
from semildp.masks import distinct_rows
from semildp.partition.candidates import Candidates, box_sizes
from semildp.partition.loops import DEEPEST, PartitionLoops, partition_loops
from semildp.partition.tree import LEAF, Tree

MAX_CELLS = 2**20
_MOST_CUT = 1000


@dataclass(frozen=True)
class Shape:
    """How large a partition is meant to be; refused beyond MAX_CELLS cells.

    Parameters
    ----------
    n_histogram_features
        How many of the most protected features get the histogram (s).
    depth
        Depth of the tree on the others (p).
    bins
        Equal bins per histogram feature (t).
    """

    n_histogram_features: int
    depth: int
    bins: int

    def __post_init__(self) -> None:
        largest = {"n_histogram_features": 2**31, "bins": MAX_CELLS, "depth": MAX_CELLS.bit_length() - 1}
        for name, most in largest.items():
            object.__setattr__(self, name, whole_number(name, getattr(self, name), int(name == "bins"), most))
        if self.bins > 1 and self.n_histogram_features > _MOST_CUT:  # a number too long to be written out
            raise refusal(
                "n_histogram_features", f"at most {_MOST_CUT} with two bins or more", self.n_histogram_features
            )
        if self.n_cells > MAX_CELLS:
            histogram = self.bins**self.n_histogram_features
            larger = "depth" if 2**self.depth >= histogram else "bins` or `n_histogram_features"
            raise InputError(
                f"The partition must have at most {MAX_CELLS} cells. Got bins**n_histogram_features * 2**depth = "
                f"{self.bins}**{self.n_histogram_features} * 2**{self.depth} = {self.n_cells}. Lower `{larger}` first."
            )

    @property
    def n_cells(self) -> int:
        """Cells of a partition of this shape; a tree that stops early has fewer."""
        return int(self.bins**self.n_histogram_features * 2**self.depth)


@dataclass(frozen=True)
class Partition:
    """A histogram x tree partition: public, immutable, the same for every person.

    A cell is one whole number, `leaf * n_codes + code`, where code reads the bins of the histogram features as digits,
    the first feature most significant.

    Parameters
    ----------
    bounds
        Public bounds of all features.
    histogram_features
        Indices of the features that are cut in equal bins.
    bins
        Bins of each histogram feature; one number is the same for all.
    tree
        Tree on the other features, scaled to [0, 1].
    """

    bounds: FeatureBounds
    histogram_features: tuple[int, ...]
    bins: tuple[int, ...]
    tree: Tree

    def __post_init__(self) -> None:
        instance_of("bounds", self.bounds, FeatureBounds)
        instance_of("tree", self.tree, Tree)
        instance_of("histogram_features", self.histogram_features, tuple)
        d = self.bounds.n_features
        for feature in self.histogram_features:
            whole_number("histogram_features", feature, 0, d - 1)
        if len(set(self.histogram_features)) != len(self.histogram_features):
            raise InputError(f"Histogram features must be distinct. Got {self.histogram_features}.")
        if set(self.tree.feature) & set(self.histogram_features):
            raise InputError("A feature may be in the histogram or in the tree, not in both.")
        if max(self.tree.feature) >= d:
            raise InputError(f"The tree splits feature {max(self.tree.feature)} of {d} features.")
        object.__setattr__(self, "bins", _bins_of_each(self.bins, len(self.histogram_features)))
        if self.n_cells > MAX_CELLS:
            raise InputError(f"The partition must have at most {MAX_CELLS} cells. Got {self.n_cells}.")

    @property
    def n_codes(self) -> int:
        """Cells of the histogram alone."""
        return math.prod(self.bins)

    @property
    def n_cells(self) -> int:
        """Cells in all."""
        return self.n_codes * self.tree.n_leaves

    def loops(self, n: int) -> PartitionLoops | None:
        """Return the compiled loops for `n` rows; None where NumPy is to be used."""
        return None if compiled(n) is None or self.tree.depth > DEEPEST else self._loops

    @cached_property
    def _loops(self) -> PartitionLoops:
        return partition_loops(self.bounds, self.histogram_features, self.bins, self.tree)

    def cell(self, X: Floats) -> Ints:
        """Return the cell of each row; every feature is needed."""
        if (loops := self.loops(len(X))) is not None:
            return loops.cells(np.asarray(X, dtype=np.float64))
        unit = self.bounds.scale(X)
        code = np.zeros(len(unit), dtype=np.int64)
        for column, bins in zip(self._bins(unit).T, self.bins, strict=True):
            code = code * bins + column
        return self.tree.apply(unit) * self.n_codes + code

    def candidates(self, X_public: Floats, mask: Bools) -> Candidates:
        """Return the cells each person could be in; private entries of `X_public` are never read."""
        unit = self.bounds.scale(X_public)
        hidden = mask[:, list(self.histogram_features)] & (np.array(self.bins) > 1)  # one bin hides nothing
        person, leaf = self.tree.possible_leaves(unit, mask)
        return Candidates(person, leaf, self._bins(unit, hidden), hidden, self.bins, self.tree.n_leaves)

    def count(self, X_public: Floats, mask: Bools) -> Ints:
        """Return how many cells each person could be in."""
        if (known := self.count_by_mask(mask)) is not None:
            return known
        if (loops := self.loops(len(X_public))) is not None:
            return loops.sizes(np.asarray(X_public, dtype=np.float64), mask)
        return self.candidates(X_public, mask).size

    def count_by_mask(self, mask: Bools) -> Ints | None:
        """Return the same where masks alone tell it, as nobody hides a feature of the tree; None where they do not."""
        rows = distinct_rows(mask)
        used = sorted({f for f in self.tree.feature if f != LEAF})
        if rows[:, used].any():
            return None
        return np.broadcast_to(box_sizes(rows[:, list(self.histogram_features)], self.bins), len(mask))

    def _bins(self, unit: Floats, hidden: Bools | None = None) -> Ints:
        """Return the bin of each histogram feature, 0 where hidden and where there is one bin."""
        values = unit[:, list(self.histogram_features)]
        unread = np.array(self.bins) == 1
        return bin_of(np.where(unread if hidden is None else hidden | unread, 0.0, values), np.array(self.bins))


def _bins_of_each(bins: object, n_features: int) -> tuple[int, ...]:
    """Return the bins of each feature from one number or from one per feature, or refuse them."""
    if not isinstance(bins, tuple):
        return (Shape(n_features, 0, bins).bins,) * n_features  # type: ignore[arg-type]
    if len(bins) != n_features:
        raise refusal("bins", f"one number per histogram feature, {n_features}", f"{len(bins)}")
    return tuple(whole_number("bins", each, 1, MAX_CELLS) for each in bins)
