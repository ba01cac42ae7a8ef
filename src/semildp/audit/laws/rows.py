"""Outputs that are rows of small numbers (bits, marks with a sign, subsets): their laws entry by entry.

Where rows are too many to list, the law is read off `log_probability`: of independent entries one entry at a time, of
subsets from the two probabilities a subset can have, by counting. `law_error` says whether that is the whole law.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logsumexp

from semildp._arrays import Floats, Ints
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.mechanisms import Mechanism


def sends_rows(mechanism: Mechanism) -> bool:
    """Whether an output is a row of entries, one per candidate."""
    outputs = listed_outputs(mechanism)
    return outputs is None or outputs.ndim == 2  # numbers are always listed


def as_rows(mechanism: Mechanism, outputs: Ints) -> Ints:
    """Undo an end-to-end layout of rows: one entry or row per person."""
    return outputs.reshape(-1, width(mechanism)) if sends_rows(mechanism) else outputs


def width(mechanism: Mechanism) -> int:
    """How many entries a row has: as listed, or one for each of `n_candidates`."""
    outputs = listed_outputs(mechanism)
    return int(_asked(mechanism, "n_candidates")) if outputs is None else outputs.shape[1]


def n_symbols(mechanism: Mechanism) -> int:
    """How many different entries there are: as listed, or two, or three where two values share a candidate."""
    outputs = listed_outputs(mechanism)
    if outputs is None:
        return 3 if mechanism.n_values == 2 * width(mechanism) else 2
    return int(outputs.max()) + 1


def own_entries(mechanism: Mechanism, values: Ints) -> tuple[Ints, Ints] | None:
    """Return, for each value, its candidate and the entry that says so; None where values are no such things."""
    k, n = width(mechanism), n_symbols(mechanism)
    if (mechanism.n_values, n) == (2 * k, 3):
        return values // 2, 1 + values % 2
    return (values, np.ones_like(values)) if (mechanism.n_values, n) == (k, 2) else None


def independent(mechanism: Mechanism) -> bool:
    """Whether the entries of a row are independent given the value: not if it is a subset of a fixed `size`."""
    return not hasattr(mechanism, "size")


def _asked(mechanism: Any, name: str) -> Any:
    """Return what rows too many to list are described by, beyond the contract."""
    return getattr(mechanism, name)


def probes(mechanism: Mechanism) -> Ints:
    """Return rows that hold every pattern of every two entries: constant but for one entry at most, and random ones.

    Of subsets: random ones, and those of neighbours.
    """
    rng, k = np.random.default_rng(1), width(mechanism)
    if not independent(mechanism):
        neighbours = (np.arange(k) - np.arange(k)[:, None]) % k < _asked(mechanism, "size")
        return np.concatenate([neighbours, rng.permuted(np.tile(neighbours[0], (2000, 1)), axis=1)]).astype(np.int64)
    entries = range(n_symbols(mechanism))
    single = [np.where(np.eye(k, dtype=bool), a, b) for a in entries for b in entries if a != b]
    constant = [np.full((1, k), a) for a in entries]
    return np.concatenate([*constant, *single, rng.integers(0, len(entries), (400, k))])


def _entry_logs(mechanism: Mechanism, values: Ints) -> Floats:
    """Return log P(entry | value) of independent entries, read off while all other entries are held."""
    k = width(mechanism)
    base = np.random.default_rng(0).integers(0, n_symbols(mechanism), k)
    rows = [np.where(np.eye(k, dtype=bool), entry, base) for entry in range(n_symbols(mechanism))]
    logs = np.stack([log_table(mechanism, r, values) for r in rows], axis=2)
    return np.asarray(logs - logsumexp(logs, axis=2, keepdims=True))


def _subset_levels(mechanism: Mechanism, values: Ints) -> tuple[Floats, Floats, float]:
    """Return the probability of a subset with the value and of one without it, for each, and how far probes differ."""
    rows = probes(mechanism)
    table, true = log_table(mechanism, rows, values), rows.T[values] == 1
    inside, outside = (np.where(side, table, -np.inf).max(axis=1) for side in (true, ~true))
    return (
        np.exp(inside),
        np.exp(outside),
        float(np.abs(table - np.where(true, inside[:, None], outside[:, None])).max()),
    )


def _all_in(mechanism: Mechanism, values: Ints, candidates: Ints) -> Floats:
    """Return P(all `candidates` are in the subset), one row per value and one column per row of candidates."""
    k, m, n = width(mechanism), _asked(mechanism, "size"), candidates.shape[1]

    def ways(fixed_in: int, fixed_out: int) -> float:
        return float(math.comb(k - fixed_in - fixed_out, m - fixed_in)) if m >= fixed_in else 0.0

    inside, outside, _ = _subset_levels(mechanism, values)
    among = (candidates[None] == values[:, None, None]).any(axis=2)
    apart = inside * ways(n + 1, 0) + outside * ways(n, 1)
    return np.where(among, (inside * ways(n, 0))[:, None], apart[:, None])


def entry_chances(mechanism: Mechanism, values: Ints) -> Floats:
    """Return the stated P(entry | value): (value, candidate, entry)."""
    outputs = listed_outputs(mechanism)
    if outputs is not None:
        chance = np.exp(log_table(mechanism, outputs, values))
        return np.stack([chance @ (outputs == entry) for entry in range(n_symbols(mechanism))], axis=2)
    if independent(mechanism):
        return np.asarray(np.exp(_entry_logs(mechanism, values)))
    one = _all_in(mechanism, values, np.arange(width(mechanism))[:, None])
    return np.stack([1 - one, one], axis=2)


def neighbour_chances(mechanism: Mechanism, values: Ints) -> Floats:
    """Return the stated P(entry and the next candidate's | value), neither 0: (value, candidate, entry, next entry)."""
    outputs = listed_outputs(mechanism)
    marks = range(1, n_symbols(mechanism))
    if outputs is not None:
        chance, after = np.exp(log_table(mechanism, outputs, values)), np.roll(outputs, -1, axis=1)
        both = [[chance @ ((outputs == a) & (after == b)) for b in marks] for a in marks]
        return np.moveaxis(np.array(both), (0, 1), (2, 3))
    if independent(mechanism):
        chance = entry_chances(mechanism, values)[:, :, 1:]
        return np.asarray(chance[:, :, :, None] * np.roll(chance, -1, axis=1)[:, :, None, :])
    candidates = np.arange(width(mechanism))
    return _all_in(mechanism, values, np.stack([candidates, np.roll(candidates, -1)], axis=1))[:, :, None, None]


def row_meeting_chance(mechanism: Mechanism, values: Ints) -> Floats:
    """Return the stated probability that two people with the same value send the same row, where not listed."""
    if independent(mechanism):
        return np.asarray(np.prod((entry_chances(mechanism, values) ** 2).sum(axis=2), axis=1))
    inside, outside, _ = _subset_levels(mechanism, values)
    with_, without = _numbers(mechanism)
    return inside**2 * with_ + outside**2 * without


def law_error(mechanism: Mechanism, values: Ints) -> float:
    """Return how far the stated probabilities are, at worst, from those of rows as read off here, or from adding up."""
    if independent(mechanism):
        rows, logs = probes(mechanism), _entry_logs(mechanism, values)
        by_entry = sum(logs[:, :, entry] @ (rows == entry).T for entry in range(n_symbols(mechanism)))
        return float(np.abs(log_table(mechanism, rows, values) - by_entry).max())
    inside, outside, error = _subset_levels(mechanism, values)
    with_, without = _numbers(mechanism)
    other_sizes = np.tri(width(mechanism) + 1, width(mechanism), -1, dtype=np.int64)
    other_sizes = other_sizes[other_sizes.sum(axis=1) != _asked(mechanism, "size")]
    if np.isfinite(log_table(mechanism, other_sizes, values)).any():
        return math.inf
    return max(error, float(np.abs(inside * with_ + outside * without - 1).max()))


def _numbers(mechanism: Mechanism) -> tuple[float, float]:
    """Return how many subsets hold a given candidate, and how many do not."""
    k, m = width(mechanism), _asked(mechanism, "size")
    return float(math.comb(k - 1, m - 1)), float(math.comb(k - 1, m))
