"""Interactions of two features, by boosting trees of four leaves that sum to one table per pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats, Ints
from semildp.models.learned import Numbers, PairTable, PairTables, pair_codes

Codes = NDArray[np.uint8]
STEPS = 16
_TREES = 60
_RATE = 0.15
_PAIRS = 20
_LOOK = 10_000  # people on whom the cuts of one tree are looked for
_SCREEN = 50_000
_LEAST = 0.02  # least share of people in a leaf


def step_edges(X: Floats) -> tuple[Numbers, ...]:
    """Return edges that cut every column into at most 16 steps of about as many people."""
    some = X[:: 1 + len(X) // 20_000]
    found = []
    for column in some.T:
        seen = np.unique(column[~np.isnan(column)].astype(np.float32))
        if len(seen) > STEPS:
            cuts = np.unique(np.quantile(column[~np.isnan(column)], np.arange(1, STEPS) / STEPS).astype(np.float32))
        else:
            cuts = seen[:-1]
        if np.isnan(column).any():
            cuts = np.unique(np.concatenate([[np.float32(-3e38)], cuts]))[: STEPS - 1]
        found.append(tuple(float(c) for c in cuts))
    return tuple(found)


def boost(codes: Codes, left: Floats, w: Floats, rng: np.random.Generator) -> dict[tuple[int, int], Floats]:
    """Return tables of 256 numbers that predict what is left of the labels."""
    n = codes.shape[1]
    left = left.copy()
    pairs = best_pairs(codes, left * w)
    shares = _quadrants(np.array([_table(pair_codes(codes[:, :_SCREEN], *p), w[:_SCREEN]) for p in pairs]))
    shares = shares / float(w[:_SCREEN].sum())
    allowed = (shares >= _LEAST).all(axis=0)
    if not allowed.any():
        return {}
    inverse = np.where(allowed, 1 / np.maximum(shares, _LEAST), 0.0)
    tables = {pair: np.zeros(STEPS * STEPS) for pair in pairs}
    look = min(n // 2, _LOOK)
    noise = float(w @ left**2) / n
    for _ in range(_TREES):
        start = int(rng.integers(n - look + 1))
        rows = slice(start, start + look)
        moved = left[rows] * w[rows]
        seen = np.array([_table(pair_codes(codes[:, rows], *p), moved) for p in pairs])
        quadrants = _quadrants(seen)
        gain = (quadrants**2 * inverse).sum(axis=0)
        which, a, b = (int(i) for i in np.unravel_index(int(np.argmax(gain)), gain.shape))
        cells = pair_codes(codes, *pairs[which])
        total = _table(cells, left * w)
        honest = _at(total - seen[which], a, b)
        share = shares[:, which, a, b]
        weight = share * (float(w.sum()) - float(w[rows].sum()))
        evidence = float((honest**2 / weight).sum())
        factor = max(0.0, 1 - 3 * noise / evidence) if evidence > 0 else 0.0
        if factor == 0:
            continue
        value = _RATE * factor * honest / weight
        step = np.repeat(np.repeat(value.reshape(2, 2), [a + 1, STEPS - 1 - a], axis=0), [b + 1, STEPS - 1 - b], axis=1).ravel()
        tables[pairs[which]] += step
        left -= step[cells]
    return tables


def best_pairs(codes: Codes, moved: Floats) -> list[tuple[int, int]]:
    """Return at most 20 pairs of columns, those whose contrasts go together with what is left first."""
    d = len(codes)
    pairs = list(combinations(range(d), 2))
    if len(pairs) <= _PAIRS:
        return pairs
    some = codes[:, :_SCREEN]
    z = np.concatenate([_contrasts(column) for column in some])
    together = (z * moved[:_SCREEN].astype(np.float32)) @ z.T
    score = (together**2).reshape(d, 3, d, 3).sum(axis=(1, 3))
    order = np.argsort([-score[p] for p in pairs], kind="stable")[:_PAIRS]
    return [pairs[i] for i in order]


def _contrasts(column: Codes) -> NDArray[np.float32]:
    """Halves, and quarters within each half: orthogonal contrasts over the steps, by how many people are in each."""
    counts = np.bincount(column, minlength=STEPS)
    below = (np.cumsum(counts) - counts / 2) / counts.sum()
    step = np.arange(STEPS)
    basis = np.array([np.cos(np.pi * k * below) for k in (1, 2, 3)])
    basis -= (basis * counts).sum(axis=1, keepdims=True) / counts.sum()
    scale = np.sqrt((basis**2 * counts).sum(axis=1, keepdims=True))
    basis = basis / np.where(scale > 0, scale, np.inf)
    return basis.astype(np.float32)[:, column]


def _table(cells: Codes, numbers: Floats) -> Floats:
    return np.bincount(cells, numbers, STEPS * STEPS)


def _quadrants(tables: Floats) -> Floats:
    """Return the four sums of every table cut after row a and column b: (4, tables, 15, 15)."""
    below = tables.reshape(-1, STEPS, STEPS).cumsum(axis=1).cumsum(axis=2)
    low = below[:, :-1, :-1]
    up = below[:, :-1, -1:] - low
    down = below[:, -1:, :-1] - low
    return np.array([low, up, down, below[:, -1:, -1:] - low - up - down])


def _at(table: Floats, a: int, b: int) -> Floats:
    square = table.reshape(STEPS, STEPS)
    return np.array([square[: a + 1, : b + 1].sum(), square[: a + 1, b + 1 :].sum(), square[a + 1 :, : b + 1].sum(), square[a + 1 :, b + 1 :].sum()])
