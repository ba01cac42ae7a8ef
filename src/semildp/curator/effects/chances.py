"""Where people are expected: probabilities of cells for each person, and of places within cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.models.places import even_rows, membership, within_bins

SOME = 1 << 13  # people of whom probabilities are compared with shares
_ROUNDS = 10  # of scaling: after that the means of probabilities are shares, to about a hundredth of themselves


def each_adds_up(rows: Floats) -> Floats:
    """Scale rows so that each adds up to 1."""
    total = rows.sum(axis=1, keepdims=True)
    return np.asarray(rows / np.where(total > 0, total, 1.0))


def likelier_cells(n_cells: int, features: Iterable[tuple[Floats, Ints]]) -> Floats:
    """Return, for people (row), how much likelier than on average the bins of each cell (column) are.

    Of each feature that is given it is known for people (row) and bins (column), and in which bin each cell is.
    """
    found = np.ones((1, n_cells))
    for likelier, bin_of_cell in features:
        found = found * likelier[:, bin_of_cell]
    return found


def tilt_of(cells: Floats, likelier: Floats) -> Floats:
    """Return a factor of each cell, with which the means of people's probabilities of cells are the cells' shares.

    Features that go together would else be expected together where nobody is: how likely each is for a person is told
    apart from the others.

    Parameters
    ----------
    cells
        Share of people in each cell.
    likelier
        For some people (row), how much likelier than on average the bins of each cell (column) are.
    """
    found = cells
    for _ in range(_ROUNDS if len(likelier) > 1 else 0):
        found = found * cells / np.maximum(each_adds_up(found * likelier).mean(axis=0), 1e-12)
    return np.asarray(found)


def places_within(bins: Sequence[int], shares: Sequence[Floats], together: Floats | None) -> list[Floats]:
    """Return, for each feature that was asked about, the share of each place (column) among those in each cell (row).

    `together` has the shares over pairs of places, if there are two features.
    """
    if together is None:
        return [within_bins(b, each) for b, each in zip(bins, shares, strict=True)]
    one, two = (membership(b, n) for b, n in zip(bins, together.shape, strict=True))
    first = one[:, None, :] * (together @ two.T).T[None, :, :]
    second = two[None, :, :] * (one @ together)[:, None, :]
    return [even_rows(p.reshape(-1, p.shape[-1])) for p in (first, second)]
