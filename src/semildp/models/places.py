"""Axes cut into places: where a number lies, and which part of each place lies in which of equal bins."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from semildp._arrays import Floats, Ints


def even_cuts(places: int) -> tuple[float, ...]:
    """Return the inner ends of so many equal places of [0, 1]."""
    return tuple((np.arange(1, places) / places).tolist())


def place_of(unit: Floats, cuts: tuple[float, ...]) -> Ints:
    """Return the place of each number of [0, 1]: how many cuts are at most as large. NaN goes to the last."""
    return np.searchsorted(np.asarray(cuts), unit, side="right")


@lru_cache(maxsize=256)
def membership(bins: int, places: int) -> Floats:
    """Return which part of each of equal places (column) lies in each of equal bins (row)."""
    edges, marks = np.arange(bins + 1) / bins, np.arange(places + 1) / places
    low = np.maximum(edges[:-1, None], marks[None, :-1])
    high = np.minimum(edges[1:, None], marks[None, 1:])
    return np.asarray(np.maximum(high - low, 0.0) * places)


def within_bins(bins: int, shares: Floats) -> Floats:
    """Return the share of each place (column) among the people in each bin (row), from shares of places."""
    return even_rows(membership(bins, len(shares)) * shares)


def even_rows(weights: Floats) -> Floats:
    """Make rows add up to 1; a row of nothing is even."""
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1 / weights.shape[1])
