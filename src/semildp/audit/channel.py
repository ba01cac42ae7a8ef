"""The channel of a finite mechanism: how likely every output is under every value, and where that tells most."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.audit.contract import check_mechanism
from semildp.audit.laws import all_values
from semildp.audit.listed import listed_outputs, log_table
from semildp.audit.rows import probes
from semildp.audit.wide import is_wide, wide_law
from semildp.errors import InputError
from semildp.mechanisms import Mechanism

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROUNDING = 1e-13  # Allowed per unit of the log probabilities compared: some hundred roundings of float64.
LARGEST_MATRIX = 2**26
_BLOCK = 2**14  # Outputs at a time, so that they stay in cache.
_LARGEST_SEARCH = 2**28  # Entries gone through one by one, at most; beyond, outputs far from the values are thinned.


@dataclass(frozen=True, eq=False)
class Channel:
    """The full matrix of a finite mechanism.

    Parameters
    ----------
    values, outputs
        Every private value, and every output (along the first axis).
    log_probability
        ln P(output | value), one row per value and one column per output.
    """

    values: Ints
    outputs: Ints
    log_probability: Floats


@dataclass(frozen=True)
class WorstRatio:
    """The largest log ratio of a channel, and where it is reached.

    Parameters
    ----------
    log_ratio
        ln P(output | value) - ln P(output | other), the largest over all of them; infinite where an output is possible
        under one value and impossible under another.
    value, other, output
        Where it is reached.
    rounding
        What float64 may have added to it.
    """

    log_ratio: float
    value: int
    other: int
    output: Any
    rounding: float


def channel_matrix(mechanism: Mechanism) -> Channel:
    """Return the full matrix; refused where it would not fit in memory (`worst_ratio` needs no such room)."""
    check_mechanism(mechanism)
    outputs = listed_outputs(mechanism)
    size = mechanism.n_values * (2**mechanism.n_values if outputs is None else len(outputs))
    if outputs is None or size > LARGEST_MATRIX:
        raise InputError(f"A channel matrix must have at most {LARGEST_MATRIX} entries. Got {size}. Lower the size.")
    values = all_values(mechanism)
    return Channel(values, outputs, log_table(mechanism, outputs, values))


def worst_ratio(mechanism: Mechanism, outputs: Ints | None = None) -> WorstRatio:
    """Return the largest log ratio over all values and outputs, block by block: the matrix is never held.

    Rows too many to be listed are judged by probes that hold every pattern of every two entries, wide ones by their law
    in short (`wide`). Of very many numbers all near the values are gone through, and further out ever fewer.
    """
    check_mechanism(mechanism)
    if outputs is None:
        return _remembered(mechanism) if isinstance(mechanism, Hashable) else _by_law(mechanism)
    return _worst(mechanism, outputs)


def _by_law(mechanism: Mechanism) -> WorstRatio:
    if not is_wide(mechanism):
        return _worst(mechanism, _judged(mechanism))
    law = wide_law(mechanism)
    return WorstRatio(law.worst(mechanism), 0, 1, "a wide row", max(1e-9, law.error))


def _judged(mechanism: Mechanism) -> Ints:
    outputs = listed_outputs(mechanism)
    if outputs is None:
        return probes(mechanism)
    n, size = mechanism.n_values, len(outputs)
    if n * size <= _LARGEST_SEARCH or outputs.ndim == 2:
        return outputs
    near = np.abs(outputs - n // 2) <= 2 * n
    far = np.unique(np.geomspace(1, size, 4096).astype(np.int64)) - 1
    return np.asarray(outputs[np.unique(np.r_[np.flatnonzero(near), far, size - 1 - far])])


@lru_cache(maxsize=32)
def _remembered(mechanism: Any) -> WorstRatio:
    return _by_law(mechanism)


def _worst(mechanism: Mechanism, outputs: Ints) -> WorstRatio:
    top, bottom = np.full(len(outputs), -np.inf), np.full(len(outputs), np.inf)
    for start in range(0, len(outputs), _BLOCK):
        block = slice(start, start + _BLOCK)
        for value in all_values(mechanism):
            row = np.asarray(mechanism.log_probability(outputs[block], np.full(len(top[block]), value)))
            np.maximum(top[block], row, out=top[block])
            np.minimum(bottom[block], row, out=bottom[block])
    with np.errstate(invalid="ignore"):
        spread = np.where(top > -np.inf, top - bottom, 0.0)  # what no value sends tells nothing
    where = int(spread.argmax())
    column = log_table(mechanism, outputs[where : where + 1], all_values(mechanism))[:, 0]
    return WorstRatio(
        float(spread[where]),
        int(column.argmax()),
        int(column.argmin()),
        outputs[where].tolist(),
        ROUNDING * (1 + float(np.abs(bottom[np.isfinite(bottom)]).max(initial=0.0))),
    )
