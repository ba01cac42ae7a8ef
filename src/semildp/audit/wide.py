"""Rows of very many entries: the law in short, and what is drawn held against it for every value and every entry.

A row of more than NARROW entries is described by the law of the entry that is true and the law of any other one, read
off `log_probability` for every value. Random rows must have the probability that follows, or the law is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from semildp.audit.finding import ViolationError, require
from semildp.audit.listed import listed_outputs
from semildp.audit.rows import as_rows, independent, n_symbols, own_entries, sends_rows, width
from semildp.audit.statistics import assert_counts
from semildp.mechanisms import Mechanism
from semildp.sources import Source

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

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
        candidate = _candidates(mechanism, np.arange(mechanism.n_values))[0]
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
        k, m = width(mechanism), _size(mechanism)
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
    candidate, _ = _candidates(mechanism, values)
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
    rng, k, m = np.random.default_rng(int(values[0])), width(mechanism), _size(mechanism)
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


def _candidates(mechanism: Mechanism, values: Ints) -> tuple[Ints, Ints]:
    own = own_entries(mechanism, values)
    if own is None:
        raise ViolationError("Values are not candidates: rows so wide cannot be judged.")
    return own


@dataclass(frozen=True, eq=False)
class _Tally:
    """Marks that were drawn: on the true candidate and on others, by value; on others by entry, alone and in pairs."""

    told: Ints  # (value, mark)
    others: Ints  # (value, mark)
    by_entry: Ints  # (entry, mark)
    paired: Ints  # (entry, mark, mark of the next entry)


def _tally(mechanism: Mechanism, candidate: Ints, n: int, sources: Sequence[Source]) -> _Tally:
    k, marks = width(mechanism), np.arange(1, n_symbols(mechanism))
    values, m = np.arange(mechanism.n_values), len(marks)
    shapes = ((len(values), m), (len(values), m), (k, m), (k, m, m))
    out = _Tally(*(np.zeros(shape, dtype=np.int64) for shape in shapes))
    size = max(1, ENTRIES // (n * k))
    for start in range(0, len(values), size):
        block = values[start : start + size]
        people = np.tile(block, n // len(sources))
        drawn = [as_rows(mechanism, mechanism.randomise(people, source)) for source in sources]
        rows = np.concatenate(drawn).reshape(n, len(block), k)
        require(((rows >= 0) & (rows <= m)).all(), "A row holds something that is no entry.")
        if not independent(mechanism):
            require((rows.sum(axis=2) == _size(mechanism)).all(), "A set has not the stated size.")
        each, place = np.arange(len(block)), candidate[block]
        true = rows[:, each, place].copy()
        rows[:, each, place] = 0
        hits = [rows == mark for mark in marks]
        for j, hit in enumerate(hits):
            out.told[block, j] = (true == marks[j]).sum(axis=0)
            out.others[block, j] = hit.sum(axis=(0, 2))
            out.by_entry[:, j] += hit.sum(axis=(0, 1))
            for i, after in enumerate(hits):
                out.paired[:, j, i] += (hit & np.roll(after, -1, axis=2)).sum(axis=(0, 1))
    return out


def fit_wide(mechanism: Mechanism, n: int, sources: Sequence[Source]) -> float:
    """Draw n rows of every value, as many from each source.

    Held against the law are every value, every entry, every two neighbours, and all together.
    """
    own, other, both = wide_law(mechanism).marked(mechanism)
    candidate, k = _candidates(mechanism, np.arange(mechanism.n_values))[0], width(mechanism)
    n -= n % len(sources)
    drawn = _tally(mechanism, candidate, n, sources)
    away = (candidate[:, None] != np.arange(k)).T  # (entry, value): whose marks are counted at an entry
    apart = away & np.roll(away, -1, axis=0)  # and at an entry and the next
    ones, twos = away.sum(axis=1)[:, None], apart.sum(axis=1)[:, None, None]
    one, two = (away @ other) / ones, np.tensordot(apart.astype(np.float64), both, 1) / twos
    people = n * len(own)
    p_values = [
        assert_counts(drawn.told, n, own, "(value, mark) of the true candidate is not drawn as often as stated"),
        assert_counts(drawn.told.sum(axis=0), people, own.mean(axis=0), "true marks are not drawn as often as stated"),
        assert_counts(drawn.by_entry, n * ones, one, "(entry, mark) is not drawn as often as stated"),
        assert_counts(drawn.paired, n * twos, two, "neighbours are not drawn together as stated"),
    ]
    if independent(mechanism):
        what = "of other candidates is not drawn as often as stated"
        p_values += [
            assert_counts(drawn.others, n * (k - 1), other, f"(value, mark) {what}"),
            assert_counts(drawn.others.sum(axis=0), people * (k - 1), other.mean(axis=0), f"a mark {what}"),
        ]
    return min(p_values)


def _size(mechanism: Any) -> int:
    return int(mechanism.size)
