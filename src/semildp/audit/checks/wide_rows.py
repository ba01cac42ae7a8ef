"""The check of rows of very many entries: every value is drawn, and marks are held against the law in short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Ints
from semildp.audit.finding import require
from semildp.audit.laws.rows import as_rows, independent, n_symbols, width
from semildp.audit.laws.wide import ENTRIES, row_candidates, set_size, wide_law
from semildp.audit.statistics import assert_counts
from semildp.mechanisms import Mechanism
from semildp.sources import Source


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
            require((rows.sum(axis=2) == set_size(mechanism)).all(), "A set has not the stated size.")
        each, place = np.arange(len(block)), candidate[block]
        true = rows[:, each, place].copy()
        rows[:, each, place] = 0
        hits = [rows == mark for mark in marks]
        for j, hit in enumerate(hits):
            out.told[block, j] = (true == marks[j]).sum(axis=0)
            out.others[block, j] = hit.sum(axis=(0, 2))
            out.by_entry[:, j] += hit.sum(axis=(0, 1))
            for i, after in enumerate(hits):
                out.paired[:-1, j, i] += (hit[:, :, :-1] & after[:, :, 1:]).sum(axis=(0, 1))
                out.paired[-1, j, i] += (hit[:, :, -1] & after[:, :, 0]).sum()
    return out


def fit_wide(mechanism: Mechanism, n: int, sources: Sequence[Source]) -> float:
    """Draw n rows of every value, as many from each source.

    Held against the law are every value, every entry, every two neighbours, and all together.
    """
    own, other, both = wide_law(mechanism).marked(mechanism)
    candidate, k = row_candidates(mechanism, np.arange(mechanism.n_values))[0], width(mechanism)
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
