"""The best two cuts of two columns at once: either alone may be worth nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.tables import COARSE, Codes, best_quadrants, cell_tables, pair_cells, pair_tables, quadrants
from semildp.curator.learning.pairs import Pair, best_pairs
from semildp.curator.learning.steps import Steps

_PEOPLE = 20_000  # who say how many are in a quadrant
PER_LEAF = 2.0  # what one more leaf has to gain, in units of the noise: as Akaike's criterion


@dataclass(frozen=True, eq=False)
class PairSearch:
    """All pairs of cuts of all pairs of columns, both on coarse steps.

    Parameters
    ----------
    pairs
        The pairs of columns.
    inverse
        (4, pairs, 16, 16): 1 / share of people in each quadrant of a pair cut after steps a and b; 0 if none are.
        A cut after the last step is no cut.
    handicap
        (pairs, 16, 16): what these cuts have to gain; infinite where a quadrant would have too few people.
    cells
        (pairs, people): everybody's coarse steps in both columns, as one byte; None of many people, or where loops are
        compiled: then they are made of some people when these are looked at.
    """

    pairs: list[Pair]
    inverse: Floats
    handicap: Floats
    cells: Codes | None = None

    @classmethod
    def of(cls, steps: Steps, moved: Floats, w: Floats, noise: float, least: float) -> PairSearch | None:
        """Choose pairs for what is left; None if nothing can be cut.

        `moved` is weight * what is left, `noise` its variance at weight 1, `least` the least share of a leaf.
        """
        few, coarse, w = len(w) <= _PEOPLE, steps.some(slice(0, _PEOPLE)).coarse, w[:_PEOPLE]
        pairs = best_pairs(coarse, moved[:_PEOPLE])
        cells = pair_cells(coarse, np.asarray(pairs)) if few and not steps.compiled else None
        tables = pair_tables(coarse, np.asarray(pairs), w, compiled=steps.compiled)
        shares = quadrants(tables) / float(w.sum())
        full = shares >= least
        n_leaves = full.sum(axis=0)
        allowed = (full | (np.abs(shares) < 1e-9)).all(axis=0) & (n_leaves > 1)
        if not allowed.any():
            return None
        inverse = np.where(full, 1 / np.maximum(shares, least), 0.0)
        return cls(pairs, inverse, np.where(allowed, PER_LEAF * noise * (n_leaves - 1), np.inf), cells)

    def best(self, rows: slice, people: Steps, moved: Floats, weight: float) -> tuple[tuple[int, int], ...]:
        """Return the best cuts, each as (column, last coarse step below), for the people at `rows`, of this weight.

        The gain is the sum over leaves of (sum of moved)^2 / weight, less the handicap.
        """
        if self.cells is not None:
            tables = cell_tables(self.cells[:, rows], moved)
        else:
            tables = pair_tables(people.coarse, np.asarray(self.pairs), moved, compiled=people.compiled)
        best = best_quadrants(tables, self.inverse, weight, self.handicap, compiled=people.compiled)
        which, *steps = (int(i) for i in np.unravel_index(best, self.handicap.shape))
        both = zip(self.pairs[which], steps, strict=True)
        return tuple((column, step) for column, step in both if step < COARSE - 1)
