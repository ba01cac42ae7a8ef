"""What a mechanism states about itself, as tables: P(output | value), and what its estimate is worth.

Mechanisms come in two kinds here. Most can list their outputs. A vector of many bits cannot; its law is read off bit by
bit from `log_probability`, after checking that the bits are stated to be independent.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from semildp.audit.finding import require
from semildp.errors import InputError
from semildp.mechanisms import Mechanism

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MANY_VALUES = 65  # Beyond so many values only some are tried.


def listed_outputs(mechanism: Mechanism) -> Ints | None:
    """Return every output, along the first axis, or None where there are too many to list."""
    return _remembered(mechanism) if isinstance(mechanism, Hashable) else _list(mechanism)


def _list(mechanism: Any) -> Ints | None:
    """Ask for the outputs."""
    try:
        return np.asarray(mechanism.output_domain)
    except InputError:
        return None


_remembered = lru_cache(maxsize=32)(_list)


def sends_bits(mechanism: Mechanism) -> bool:
    """Whether an output is a vector of bits, one per value."""
    outputs = listed_outputs(mechanism)
    return outputs is None or outputs.ndim == 2


def as_rows(mechanism: Mechanism, outputs: Ints) -> Ints:
    """Undo the end-to-end layout of bit vectors: one entry or row per person."""
    return outputs.reshape(-1, mechanism.n_values) if sends_bits(mechanism) else outputs


def all_values(mechanism: Mechanism) -> Ints:
    """Return every private value."""
    return np.arange(mechanism.n_values)


def some_values(mechanism: Mechanism) -> Ints:
    """Return every private value of a small domain; of a large one both ends, their neighbours and the middle."""
    n = mechanism.n_values
    return all_values(mechanism) if n <= 9 else np.array([0, 1, n // 2, n - 2, n - 1])


def log_table(mechanism: Mechanism, outputs: Ints, values: Ints) -> Floats:
    """Return log P(output | value), one row per value and one column per output."""
    return np.array([mechanism.log_probability(outputs, np.full(len(outputs), v)) for v in values])


def bit_log_odds(mechanism: Mechanism, values: Ints) -> Floats:
    """Return the stated log odds of bit = 1 given the value, one row per value and one column per bit.

    Read off while all other bits are held; `product_error` says whether that is the whole law.
    """
    k = mechanism.n_values
    base = np.random.default_rng(0).integers(0, 2, k)
    up, down = (np.where(np.eye(k, dtype=bool), bit, base) for bit in (1, 0))
    return log_table(mechanism, up, values) - log_table(mechanism, down, values)


def bit_chances(mechanism: Mechanism, values: Ints) -> Floats:
    """Return the stated P(bit = 1 | value), one row per value and one column per bit."""
    outputs = listed_outputs(mechanism)
    if outputs is not None:
        return np.asarray(np.exp(log_table(mechanism, outputs, values)) @ outputs)
    return np.asarray(expit(bit_log_odds(mechanism, values)))


def probe_bits(mechanism: Mechanism) -> Ints:
    """Return bit vectors that hold every pattern of every two bits: none, all, single ones and zeros, random ones."""
    k = mechanism.n_values
    single = np.eye(k, dtype=np.int64)
    random = np.random.default_rng(1).integers(0, 2, (200, k))
    return np.concatenate(
        [np.zeros((1, k), dtype=np.int64), np.ones((1, k), dtype=np.int64), single, 1 - single, random]
    )


def product_error(mechanism: Mechanism, values: Ints) -> float:
    """Return how far the log probability of a vector is, at worst, from the sum over its bits."""
    outputs, odds = probe_bits(mechanism), bit_log_odds(mechanism, values)
    by_bit = -np.logaddexp(0.0, -odds) @ outputs.T - np.logaddexp(0.0, odds) @ (1 - outputs).T
    return float(np.abs(log_table(mechanism, outputs, values) - by_bit).max())


def estimates(mechanism: Mechanism, outputs: Ints) -> Floats:
    """Return `estimate` as a matrix, one row per output and one column per thing estimated."""
    return np.asarray(mechanism.estimate(outputs)).reshape(len(outputs), -1)


def targets(mechanism: Mechanism, values: Ints, n_columns: int) -> Floats:
    """Return what is to be estimated: the value itself, or the indicator of each value."""
    if n_columns == 1 and mechanism.n_values > 1:
        return np.asarray(values, dtype=np.float64)[:, None]
    return np.asarray(values[:, None] == np.arange(n_columns), dtype=np.float64)


def estimate_law(mechanism: Mechanism, values: Ints) -> tuple[Floats, Floats]:
    """Return what each column of the estimate can be, and how likely that is: arrays (value, column, possibility)."""
    outputs = listed_outputs(mechanism)
    if outputs is not None:
        worth = estimates(mechanism, outputs).T
        chance = np.exp(log_table(mechanism, outputs, values))
        shape = (len(values), *worth.shape)
        return np.broadcast_to(worth, shape), np.broadcast_to(chance[:, None, :], shape)
    k = mechanism.n_values
    none, every = (estimates(mechanism, np.full((1, k), bit)) for bit in (0, 1))
    probes = probe_bits(mechanism)
    require(
        np.allclose(estimates(mechanism, probes), np.where(probes, every, none)), "An estimate reads another's bit."
    )
    worth = np.stack([none[0], every[0]], axis=1)
    one = bit_chances(mechanism, values)
    return np.broadcast_to(worth, (len(values), k, 2)), np.stack([1 - one, one], axis=2)
