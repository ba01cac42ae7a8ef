"""Small trees with the same cut everywhere at each of their levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp._kernels import tables
from semildp._kernels.tables import Codes
from semildp.backends import chunks
from semildp.curator.learning.pair_search import PairSearch
from semildp.curator.learning.steps import Steps
from semildp.models.learned import Block

Cut = tuple[int, int]  # column, last fine step below the cut
# What the best third cut has to gain, in units of the noise: four leaves more, and the best of some fifty nearly
# independent cuts of them gains about 12 where there is nothing. 8 was tried and let noise in at epsilon 1.
_THIRD = 16.0
_THIRD_COLUMNS = 6  # columns tried for it: time


@dataclass(frozen=True, eq=False)
class Sample:
    """People on whom cuts are looked for: their places among all; their steps; weight * what is left, and weights."""

    rows: slice
    steps: Steps
    numbers: Floats


@dataclass(frozen=True, eq=False)
class Tree:
    """Cuts, and a value per leaf."""

    cuts: tuple[Cut, ...]
    values: Floats

    def add_to(self, total: Floats, fine: Codes) -> None:
        """Add the value of everybody's leaf, a batch of people at a time."""
        for rows in chunks(len(total)):
            total[rows] += self.values[leaves(fine[:, rows], self.cuts)]

    def block(self, steps: Steps, factor: float) -> Block:
        """Return the tree, times a factor, as plain numbers."""
        cuts = tuple(float(steps.edges[column][step]) for column, step in self.cuts)
        return Block(tuple(column for column, _ in self.cuts), cuts, tuple((factor * self.values).tolist()))


def leaves(fine: Codes, cuts: tuple[Cut, ...]) -> Codes:
    """Return everybody's leaf; the first cut is its highest bit."""
    return tables.leaves(fine, [column for column, _ in cuts], [step for _, step in cuts])


def find_cuts(search: PairSearch, sample: Sample, noise: float, least: float, third: bool) -> tuple[Cut, ...]:
    """Return the best two cuts, moved to the best fine step one after the other.

    If a third is asked for it is added where it gains enough.
    """
    steps = sample.steps
    coarse = search.best(sample.rows, steps, sample.numbers[0], float(sample.numbers[1].sum()))
    places = [(column, steps.last_fine(column, step)) for column, step in coarse]
    cuts = [(column, step) for column, step in places if step < len(steps.edges[column])]  # above the last is no cut
    gain = np.inf
    for i, (column, _) in enumerate(cuts):
        others = (*cuts[:i], *cuts[i + 1 :])
        (found,) = _best_cuts(sample, [column], leaves(steps.fine, others), 2 ** len(others), least)
        if found is not None:
            gain, cuts[i] = found[0], (column, found[1])
    more = _third(search, sample, tuple(cuts), least) if third and len(cuts) == 2 else None
    if more is not None and more[0] - gain > _THIRD * noise:
        cuts.append(more[1])
    return tuple(cuts)


def _third(search: PairSearch, sample: Sample, cuts: tuple[Cut, ...], least: float) -> tuple[float, Cut] | None:
    used = {column for column, _ in cuts}
    others = [c for c in dict.fromkeys(c for pair in search.pairs for c in pair) if c not in used][:_THIRD_COLUMNS]
    groups = leaves(sample.steps.fine, cuts)
    found = _best_cuts(sample, others, groups, 2 ** len(cuts), least)
    each = zip(others, found, strict=True)
    return max(((cut[0], (column, cut[1])) for column, cut in each if cut is not None), default=None)


def _best_cuts(
    sample: Sample, columns: list[int], groups: Codes, n_groups: int, least: float
) -> list[tuple[float, int] | None]:
    """Return, for some columns, the gain of the best cut within all groups, and its step; None if none can be cut."""
    steps = sample.steps
    found = tables.cut_tables(steps.fine, columns, groups, n_groups, sample.numbers, compiled=steps.compiled)
    return tables.best_cuts(found, least, compiled=steps.compiled)
