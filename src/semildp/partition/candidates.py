"""Candidate cells: where a person could be, judged only from what is public for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semildp._arrays import Bools, Ints
from semildp._kernels.sums import checked_sum, sums_by_group


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate sets of many people. Each is a product: some leaves times some histogram bins.

    Sets are never written out unless asked: memory is one entry per person and leaf.

    Parameters
    ----------
    person, leaf
        Pairs of a person and a leaf they could be in, by person, then by leaf.
    bins
        One row per person, one column per histogram feature: the bin if the feature is public, 0 if private.
    unknown
        True where the bin is not known.
    n_bins, n_leaves
        Bins of each histogram feature, and leaves of the tree.
    """

    person: Ints
    leaf: Ints
    bins: Ints
    unknown: Bools
    n_bins: tuple[int, ...]
    n_leaves: int

    @property
    def n_people(self) -> int:
        """How many people."""
        return len(self.bins)

    @cached_property
    def leaves(self) -> Ints:
        """How many leaves each person could be in."""
        return np.bincount(self.person, minlength=self.n_people)

    @cached_property
    def box(self) -> Ints:
        """How many histogram cells each person could be in."""
        return box_sizes(self.unknown, self.n_bins)

    @cached_property
    def size(self) -> Ints:
        """How many cells each person could be in: k in the paper's formulas."""
        return self.leaves * self.box

    @cached_property
    def place(self) -> Ints:
        """Weight of each histogram feature in a histogram code, last feature fastest."""
        return np.array([math.prod(self.n_bins[j + 1 :]) for j in range(len(self.n_bins))], dtype=np.int64)

    @property
    def n_codes(self) -> int:
        """How many cells the whole histogram has."""
        return math.prod(self.n_bins)

    def pick(self, person: Ints, position: Ints) -> Ints:
        """Return the cell at `position` in the (sorted) candidate set of `person`."""
        first_leaf = np.cumsum(self.leaves) - self.leaves
        in_leaf, in_box = np.divmod(position, self.box[person])
        code = (self.bins @ self.place)[person]
        for j in range(self.bins.shape[1] - 1, -1, -1):  # digits of the position are the unknown bins
            hidden = self.unknown[:, j][person]
            digit = np.where(hidden, in_box % self.n_bins[j], 0)
            in_box = np.where(hidden, in_box // self.n_bins[j], in_box)
            code = code + digit * self.place[j]
        return np.asarray(self.leaf[first_leaf[person] + in_leaf] * self.n_codes + code)

    def position(self, cell: Ints) -> Ints:
        """Return the position of one cell per person in their set; it must be a candidate."""
        leaf, code = np.divmod(cell, self.n_codes)
        in_box = np.zeros_like(code)
        for j in range(self.bins.shape[1]):
            digit = code // self.place[j] % self.n_bins[j]
            in_box = np.where(self.unknown[:, j], in_box * self.n_bins[j] + digit, in_box)
        # Counted with weights, not by picking out: a person's own leaf must not decide how much work is done.
        before = np.bincount(self.person, weights=self.leaf < leaf[self.person], minlength=self.n_people)
        return np.asarray(before.astype(np.int64) * self.box + in_box)

    def tally(self, weight: Ints) -> Ints:
        """Return, for every cell, the sum of `weight` over people for whom it is a candidate."""
        code = self.bins @ self.place
        pattern = self.unknown @ (1 << np.arange(self.bins.shape[1]))
        cells = np.zeros((self.n_leaves, self.n_codes), dtype=np.int64)
        for hidden in np.unique(pattern):
            chosen = pattern[self.person] == hidden
            person, leaf = self.person[chosen], self.leaf[chosen]
            sums = sums_by_group(leaf * self.n_codes + code[person], weight[person], cells.size)
            sums = sums.reshape((self.n_leaves, *self.n_bins))
            for j in range(self.bins.shape[1]):
                if hidden >> j & 1:  # all the mass is in bin 0 of an unknown feature: give it to every bin
                    sums = np.broadcast_to(np.take(sums, [0], axis=1 + j), sums.shape)
            cells = checked_sum(cells, sums.reshape(cells.shape))
        return cells.reshape(-1)

    def cells(self) -> tuple[Ints, Ints]:
        """Write the sets out as (person, cell) pairs, by person, then by cell."""
        person = np.repeat(np.arange(self.n_people), self.size)
        first = np.cumsum(self.size) - self.size
        return person, self.pick(person, np.arange(len(person)) - first[person])


def box_sizes(unknown: Bools, n_bins: tuple[int, ...]) -> Ints:
    """Return, per row, the product of the bins of the histogram features that are not known."""
    size = np.ones(len(unknown), dtype=np.int64)
    for column, bins in zip(unknown.T, n_bins, strict=True):
        size *= np.where(column, bins, 1)
    return size
