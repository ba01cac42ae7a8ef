"""Public features cut into steps, at whose edges trees may cut them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats, Ints
from semildp.models.tree import LARGEST

Codes = NDArray[np.uint8]
FINE, COARSE = 256, 16  # most steps of a column; of a column in a table of two
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
    coarse
        The same in at most 16 steps.
    """

    edges: tuple[NDArray[np.float32], ...]
    fine: Codes
    coarse: Codes

    @classmethod
    def of(cls, X: Floats) -> Steps:
        """Cut every column into steps of about as many people, or one per value if there are few."""
        fine, coarse, edges = np.zeros(X.T.shape, np.uint8), np.zeros(X.T.shape, np.uint8), []
        for j, column in enumerate(X.T):
            narrow = column.astype(np.float32)
            gone = np.isnan(narrow)
            cuts = _edges(narrow, bool(gone.any()))
            code = np.searchsorted(cuts, narrow)
            code[gone] = 0
            fine[j], coarse[j] = code, code * COARSE // (len(cuts) + 1)
            edges.append(cuts)
        return cls(tuple(edges), fine, coarse)

    def some(self, rows: Ints | slice) -> Steps:
        """Return the steps of some people."""
        return Steps(self.edges, self.fine[:, rows], self.coarse[:, rows])

    def last_fine(self, column: int, coarse: int) -> int:
        """Return the last fine step within a coarse one."""
        n_steps = len(self.edges[column]) + 1
        return -(-(coarse + 1) * n_steps // COARSE) - 1


def _edges(column: NDArray[np.float32], gaps: bool) -> NDArray[np.float32]:
    """Return where a column is cut; with missing values, first of all between them and all others."""
    some = column[:: 1 + len(column) // _SAMPLE]
    seen = some[~np.isnan(some)]
    values = np.unique(seen)
    room = FINE - int(gaps)
    if len(values) > room:
        values = np.unique(np.quantile(seen, np.arange(1, room + 1) / room, method="inverted_cdf"))
    first = np.full(int(gaps), -2 * LARGEST / 3, dtype=np.float32)
    return np.unique(np.concatenate([first, values[:-1]])).astype(np.float32)
