"""The pairs of columns that trees look at: those that go together with what is left of the labels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats
from semildp._kernels.tables import COARSE, Codes

Pair = tuple[int, int]
_MOST = 20  # pairs looked at by every tree: a guess, all pairs of six columns and a few more
_PEOPLE = 20_000  # who decide which
_WAVES = (1, 2, 3)


def best_pairs(coarse: Codes, moved: Floats) -> list[Pair]:
    """Return at most 20 pairs of columns, by what functions of both explain of `moved` = weight * what is left.

    Each column has the orthogonal functions 1, cos(pi u), cos(2 pi u), cos(3 pi u) of its rank u. The score of a pair
    is the sum, over products of a function of each, of (sum over people of product * moved)^2: one matrix product gives
    all of them. A single column is paired with itself.
    """
    n_columns = len(coarse)
    pairs = list(combinations(range(n_columns), 2)) or [(0, 0)]
    if len(pairs) <= _MOST:
        return pairs
    waves = np.concatenate([_waves(column) for column in coarse[:, :_PEOPLE]])
    together = (waves * moved[:_PEOPLE].astype(np.float32)) @ waves.T
    n_waves = len(_WAVES) + 1
    score = (together**2).reshape(n_columns, n_waves, n_columns, n_waves).sum(axis=(1, 3))
    order = np.argsort([-score[pair] for pair in pairs], kind="stable")
    return [pairs[i] for i in order[:_MOST]]


def _waves(column: Codes) -> NDArray[np.float32]:
    """Return 1 and three cosines of a column's rank, each centred and with mean square 1."""
    counts = np.bincount(column, minlength=COARSE)
    n_people = int(counts.sum())
    rank = (np.cumsum(counts) - counts / 2) / n_people
    values = np.cos(np.pi * np.outer(_WAVES, rank))
    values -= (values @ counts / n_people)[:, None]
    spread = np.sqrt(values**2 @ counts / n_people)
    values /= np.where(spread > 1e-9, spread, np.inf)[:, None]
    return np.asarray(np.concatenate([np.ones((1, COARSE)), values]).astype(np.float32)[:, column])
