"""The questions that people may be asked with a residual: cells of private features, or signs that turn it round."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.doubts import COARSE, Doubt
from semildp.models.places import membership

BINS = {
    1: tuple((b,) for b in range(2, 9)),
    2: tuple(itertools.product((2, 3, 4, 6, 8), repeat=2)),
}


@dataclass(frozen=True)
class Asking:
    """What one person is asked with the residual.

    Parameters
    ----------
    features
        The private features; none: the residual alone is asked for.
    bins
        Bins of each.
    signs
        If the residual is turned round instead of being sent with the cell: 1 or -1 for each cell.
    """

    features: tuple[int, ...] = ()
    bins: tuple[int, ...] = ()
    signs: tuple[Literal[-1, 1], ...] | None = None

    @cached_property
    def n_cells(self) -> int:
        """How many cells a report distinguishes."""
        return 1 if self.signs is not None else math.prod(self.bins)


def cells_menu(features: tuple[int, ...], values: Mapping[int, int | None]) -> list[Asking]:
    """Return questions about the cells of one feature or two; a category has its values for bins."""
    menu = {tuple(values[j] or b for j, b in zip(features, bins, strict=True)) for bins in BINS[len(features)]}
    return [Asking(features, bins) for bins in sorted(menu)]


def signs_menu(features: tuple[int, ...], values: Mapping[int, int | None]) -> list[Asking]:
    """Return questions that turn the residual round: by signs over one feature, or products of those of two."""
    tables = [patterns(values[j], len(features)) for j in features]
    bins = tuple(len(table[0]) for table in tables)
    products = (np.multiply.outer(*pair) if len(pair) == 2 else pair[0] for pair in itertools.product(*tables))
    return [Asking(features, bins, tuple(np.ravel(each).astype(int).tolist())) for each in products]


@lru_cache(maxsize=64)
def patterns(n_values: int | None, n_private: int) -> tuple[Floats, ...]:
    """Return signs over the coarse places of an axis; of a category, one value or half of them.

    Of one number they are all steps and bumps. Of each of two, they are all steps, and what changes sign two or three
    times at its quarters: a step and a line that look the same in two bins do not in four.
    """
    if n_values is not None:
        single = [np.where(np.arange(n_values) == v, -1.0, 1.0) for v in range(n_values)]
        halves = [
            np.where(np.arange(n_values) >> bit & 1, -1.0, 1.0) for bit in range(max(n_values - 1, 1).bit_length())
        ]
        return tuple({tuple(each * each[0]): each * each[0] for each in (*single, *halves)}.values())
    coarse = COARSE[n_private]
    place = np.arange(coarse)
    quarters = range(coarse // 4, coarse, coarse // 4)
    steps = [(cut,) for cut in range(1, coarse)]
    bumps = itertools.combinations(range(1, coarse), 2)
    waves = (*itertools.combinations(quarters, 2), tuple(quarters))
    cuts = [*steps, *(bumps if n_private == 1 else waves)]
    return tuple(np.where(np.searchsorted(each, place, side="right") % 2, -1.0, 1.0) for each in cuts)


def shown(askings: Sequence[Asking], doubt: Doubt) -> Floats:
    """Return what sums tell of the coarse places of a family's private features: row x place.

    The rows are the sums of one question about cells, added up over features that the family does not have; or one for
    each of several questions with signs, people being even on those features. A sum has mean, per person, of its row
    times the effect.
    """
    first = askings[0]
    kept = [axis for axis, j in enumerate(first.features) if j in doubt.private]
    if first.signs is None:
        bins = [first.bins[axis] for axis in kept]
        found = np.eye(int(np.prod(bins))).reshape(-1, *bins)
    else:
        found = np.array([each.signs for each in askings], dtype=np.float64).reshape(-1, *first.bins)
        found = found.mean(axis=tuple(axis + 1 for axis in range(len(first.bins)) if axis not in kept))
    for axis, shares in enumerate(doubt.shares, start=1):
        part = membership(found.shape[axis], len(shares))
        found = np.moveaxis(np.tensordot(found, part, (axis, 0)), -1, axis)
    return np.asarray(found.reshape(len(found), -1) * doubt.people)
