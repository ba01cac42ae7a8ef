"""Rows of very many entries: the law in short.

A row of more than NARROW entries is described by the law of the entry that is true and the law of any other one, read
off `log_probability` for every value. Random rows must have the probability that follows, or the law is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from semildp._arrays import Floats, Ints
from semildp.audit.finding import ViolationError
from semildp.audit.laws.listed import listed_outputs
from semildp.audit.laws.rows import independent, n_symbols, own_entries, sends_rows, width
from semildp.mechanisms import Mechanism

NARROW = 64
ENTRIES = 1 << 22  # Entries held at a time.
_ROUNDING = 1e-11  # of log probabilities of wide rows, in float64
_ROWS = 3  # random rows per value against which the law is held


def is_wide(mechanism: Mechanism) -> bool:
    """Whether rows are too wide for a table of every entry under every value."""
    return listed_outputs(mechanism) is None and sends_rows(mechanism) and width(mechanism) > NARROW


@dataclass(frozen=True, eq=False)
class WideLaw:
    """The law of wide rows.

    Parameters
    ----------
    own, other
        ln P(entry) of the candidate that is true, and of any other: one row per value, one column per entry. Of
        subsets: ln P(set) for a set with the true candidate and for one without, in columns 1 and 0 of `own`.
    error
        How far the probabilities of random rows are from it, or the total from 1, at worst.
    """

    own: Floats
    other: Floats
    error: float

    def worst(self, mechanism: Mechanism) -> float:
        """Return the largest log ratio over all rows and pairs of values."""
        if not independent(mechanism):
            return float(self.own[:, 1].max() - self.own[:, 0].min())
        candidate = row_candidates(mechanism, np.arange(mechanism.n_values))[0]
        rest, worst = width(mechanism) - 2, 0.0
        for value, place in enumerate(candidate):
            own, other = self.own[value], self.other[value]
            apart = (own - self.other).max(axis=1) + (other - self.own).max(axis=1)
            gap = (other - self.other).max(axis=1)
            apart += rest * np.where(gap > _ROUNDING, gap, 0.0)
            worst = max(worst, float(np.where(candidate == place, (own - self.own).max(axis=1), apart).max()))
        return worst

    def marked(self, mechanism: Mechanism) -> tuple[Floats, Floats, Floats]:
        """Return P(mark) of the true candidate and of another, and P(mark, mark) of two others: (value, mark, ...)."""
        if independent(mechanism):
            own, other = np.exp(self.own[:, 1:]), np.exp(self.other[:, 1:])
            return own, other, other[:, :, None] * other[:, None, :]
        k, m = width(mechanism), set_size(mechanism)
        inside = np.exp(self.own[:, 1] + _log_comb(k - 1, m - 1))[:, None]
        outside = 1 - inside
        other = (inside * (m - 1) + outside * m) / (k - 1)
        both = (inside * (m - 1) * (m - 2) + outside * m * (m - 1)) / ((k - 1) * (k - 2))
        return inside, other, both[:, :, None]


def wide_law(mechanism: Mechanism) -> WideLaw:
    """Read the law off, block by block of values."""
    values = np.arange(mechanism.n_values)
    size = max(1, ENTRIES // (12 * width(mechanism)))
    blocks = [values[start : start + size] for start in range(0, len(values), size)]
    laws = [(_entries if independent(mechanism) else _subsets)(mechanism, block) for block in blocks]
    return WideLaw(
        np.concatenate([law.own for law in laws]),
        np.concatenate([law.other for law in laws]),
        max(law.error for law in laws),
    )


def _stated(mechanism: Mechanism, rows: Ints, values: Ints) -> Floats:
    """Return log probabilities of (value, row): rows of shape (value, row, entry)."""
    flat = mechanism.log_probability(rows.reshape(-1, rows.shape[2]), np.repeat(values, rows.shape[1]))
    return np.asarray(flat).reshape(rows.shape[:2])


def _entries(mechanism: Mechanism, values: Ints) -> WideLaw:
    rng, k, n = np.random.default_rng(int(values[0])), width(mechanism), n_symbols(mechanism)
    candidate, _ = row_candidates(mechanism, values)
    each, elsewhere = np.arange(len(values)), (candidate + rng.integers(1, k, len(values))) % k
    base = rng.integers(0, n, (len(values), k))
    logs = []
    for place in (candidate, elsewhere):
        rows = np.repeat(base[:, None], n, axis=1)
        rows[each, :, place] = np.arange(n)
        stated = _stated(mechanism, rows, values)
        logs.append(stated - logsumexp(stated, axis=1, keepdims=True))
    rows = rng.integers(0, n, (len(values), _ROWS, k))
    counts = np.stack([(rows == symbol).sum(axis=2) for symbol in range(n)], axis=2)
    told = rows[each[:, None], np.arange(_ROWS), candidate[:, None]]
    implied = (counts * logs[1][:, None]).sum(axis=2)
    implied += np.take_along_axis(logs[0] - logs[1], told, axis=1)
    error = float(np.abs(_stated(mechanism, rows, values) - implied).max()) / k
    return WideLaw(logs[0], logs[1], error)


def _subsets(mechanism: Mechanism, values: Ints) -> WideLaw:
    rng, k, m = np.random.default_rng(int(values[0])), width(mechanism), set_size(mechanism)
    first = np.arange(k) < m
    rows = rng.permuted(np.tile(first, (len(values) * 2 * _ROWS, 1)), axis=1).astype(np.int64)
    rows = rows.reshape(len(values), 2, _ROWS, k)
    for i, value in enumerate(values):
        for inside in (0, 1):  # exchange an entry that is wrong with one that is not
            for row in rows[i, inside]:
                if row[value] != inside:
                    row[int((row == inside).argmax())] = 1 - inside
                    row[value] = inside
    stated = _stated(mechanism, rows.reshape(len(values), -1, k), values).reshape(len(values), 2, _ROWS)
    log = stated.max(axis=2)
    total = np.exp(log[:, 1] + _log_comb(k - 1, m - 1)) + np.exp(log[:, 0] + _log_comb(k - 1, m))
    impossible = rows[:, 0].copy()
    impossible[:, :, 0] ^= 1
    possible = np.isfinite(_stated(mechanism, impossible, values)).any()
    error = math.inf if possible else max(float(np.ptp(stated, axis=2).max()), float(np.abs(total - 1).max()))
    return WideLaw(log, log, error)


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) if 0 <= k <= n else -math.inf


def row_candidates(mechanism: Mechanism, values: Ints) -> tuple[Ints, Ints]:
    """Return the candidate of each value and the entry that says so."""
    own = own_entries(mechanism, values)
    if own is None:
        raise ViolationError("Values are not candidates: rows so wide cannot be judged.")
    return own


def set_size(mechanism: Any) -> int:
    """Return how many entries of a row are 1, where rows are subsets."""
    return int(mechanism.size)
