"""The partition: a histogram on the most protected features times a tree on the others."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp._checks import instance_of, parse_json, whole_number
from semildp.domains import FeatureBounds
from semildp.errors import InputError, refusal
from semildp.partition.candidates import Candidates
from semildp.partition.tree import Tree, check_list

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

VERSION = 1
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

    A cell is one whole number, `leaf * bins**s + code`, where code reads the bins of the histogram features as digits,
    the first feature most significant.

    Parameters
    ----------
    bounds
        Public bounds of all features.
    histogram_features
        Indices of the features that are cut in equal bins.
    bins
        Bins per histogram feature.
    tree
        Tree on the other features, scaled to [0, 1].
    """

    bounds: FeatureBounds
    histogram_features: tuple[int, ...]
    bins: int
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
        object.__setattr__(self, "bins", Shape(len(self.histogram_features), 0, self.bins).bins)
        if self.n_cells > MAX_CELLS:
            raise InputError(f"The partition must have at most {MAX_CELLS} cells. Got {self.n_cells}.")

    @property
    def n_codes(self) -> int:
        """Cells of the histogram alone."""
        return int(self.bins ** len(self.histogram_features))

    @property
    def n_cells(self) -> int:
        """Cells in all."""
        return self.n_codes * self.tree.n_leaves

    def cell(self, X: Floats) -> Ints:
        """Return the cell of each row; every feature is needed."""
        unit = self.bounds.scale(X)
        code = np.zeros(len(unit), dtype=np.int64)
        for column in self._bins(unit).T:
            code = code * self.bins + column
        return self.tree.apply(unit) * self.n_codes + code

    def candidates(self, X_public: Floats, mask: Bools) -> Candidates:
        """Return the cells each person could be in; private entries of `X_public` are never read."""
        unit = self.bounds.scale(X_public)
        hidden = mask[:, list(self.histogram_features)]
        if self.bins == 1:  # one bin hides nothing
            hidden = np.zeros_like(hidden)
        person, leaf = self.tree.reach(unit, mask)
        return Candidates(person, leaf, self._bins(unit, hidden), hidden, self.bins, self.tree.n_leaves)

    def count(self, X_public: Floats, mask: Bools) -> Ints:
        """Return how many cells each person could be in."""
        return self.candidates(X_public, mask).size

    def _bins(self, unit: Floats, hidden: Bools | None = None) -> Ints:
        """Return min(floor(x * bins), bins - 1) per histogram feature, 0 where hidden."""
        values = unit[:, list(self.histogram_features)]
        if hidden is not None:
            values = np.where(hidden, 0.0, values)
        if self.bins == 1:
            return np.zeros(values.shape, dtype=np.int64)
        return np.minimum(values * self.bins, self.bins - 1).astype(np.int64)

    def to_json(self) -> str:
        """Return the partition as JSON; numbers survive the round trip bit for bit."""
        data = {
            "version": VERSION,
            "low": list(self.bounds.low),
            "high": list(self.bounds.high),
            "histogram_features": list(self.histogram_features),
            "bins": self.bins,
            "tree": self.tree.to_dict(),
        }
        return json.dumps(data, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Partition:
        """Rebuild a partition; another version, a missing or an unknown field is refused."""
        data = parse_json("A partition", text)
        if type(data.get("version")) is not int or data["version"] != VERSION:
            raise InputError(f"A partition must be of version {VERSION}.")
        if set(data) != {"version", "low", "high", "histogram_features", "bins", "tree"}:
            raise InputError(f"A partition has fields that are missing or unknown. Got {sorted(data)}.")
        bounds = FeatureBounds(tuple(check_list("low", data["low"])), tuple(check_list("high", data["high"])))
        histogram = tuple(check_list("histogram_features", data["histogram_features"]))
        return cls(bounds, histogram, data["bins"], Tree.from_dict(data["tree"], bounds.n_features))
