"""Public features cut into steps, at whose edges trees may cut them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Ints
from semildp._kernels.choosing import pays
from semildp._kernels.columns import step_codes
from semildp._kernels.tables import COARSE, FINE, Codes
from semildp._kernels.threads import over_slices
from semildp.curator.learning.rows import BATCH, Rows
from semildp.models.tree import LARGEST

_SAMPLE = 20_000  # people whose quantiles are the edges


@dataclass(frozen=True, eq=False)
class Steps:
    """Every person's step in every column.

    Parameters
    ----------
    edges
        Per column, at most 255 increasing 32-bit numbers.
    fine
        (columns, people): how many edges of its column are below an entry, 0 for a missing one.
    compiled
        Whether there are so many people that sums over them are worth compiled loops.
    """

    edges: tuple[NDArray[np.float32], ...]
    fine: Codes
    compiled: bool = False

    @classmethod
    def of(cls, X: Rows, gaps: Bools) -> Steps:
        """Cut every column into steps of about as many people, or one per value if there are few.

        `gaps` tells which columns have missing entries.
        """
        compiled, some = pays(len(X) * len(gaps)), X[:: 1 + len(X) // _SAMPLE].astype(np.float32)
        edges = tuple(_edges(column, bool(gap)) for column, gap in zip(some.T, gaps, strict=True))
        fine = np.empty((len(gaps), len(X)), dtype=np.uint8)

        def code(rows: slice) -> None:
            fine[:, rows] = step_codes(X[rows], edges, compiled=compiled)

        over_slices(code, len(X), BATCH)
        return cls(edges, fine, compiled)

    @cached_property
    def coarse(self) -> Codes:
        """The same in at most 16 steps: made of some people when trees look at them."""
        found = np.empty_like(self.fine)
        for j, cuts in enumerate(self.edges):
            found[j] = self.fine[j].astype(np.uint16) * COARSE // (len(cuts) + 1)
        return found

    def some(self, rows: Ints | slice) -> Steps:
        """Return the steps of some people."""
        return Steps(self.edges, self.fine[:, rows], self.compiled)

    def last_fine(self, column: int, coarse: int) -> int:
        """Return the last fine step within a coarse one."""
        n_steps = len(self.edges[column]) + 1
        return -(-(coarse + 1) * n_steps // COARSE) - 1


def _edges(column: NDArray[np.float32], gaps: bool) -> NDArray[np.float32]:
    """Return where a column is cut, from some people's entries.

    With missing values the first cut is between them and all others.
    """
    seen = np.sort(column[~np.isnan(column)])
    values = np.unique(seen)
    room = FINE - int(gaps)
    if len(values) > room:  # quantiles: the first entries with a share of at least k / room up to them
        at = np.ceil(len(seen) * (np.arange(1, room + 1) / room) - 1).astype(np.int64)
        values = np.unique(seen[at])
    first = np.full(int(gaps), -2 * LARGEST / 3, dtype=np.float32)
    return np.unique(np.concatenate([first, values[:-1]])).astype(np.float32)
