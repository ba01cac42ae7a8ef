"""The largest log ratio of what a mechanism states: over all outputs, and over all pairs of values."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from semildp._arrays import Ints
from semildp.audit.contract import check_mechanism
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import probes
from semildp.audit.laws.values import all_values
from semildp.audit.laws.wide import is_wide, wide_law
from semildp.mechanisms import Mechanism

ROUNDING = 1e-13  # Allowed per unit of the log probabilities compared: some hundred roundings of float64.
_BLOCK = 2**14  # Outputs at a time, so that they stay in cache.
_LARGEST_SEARCH = 2**28  # Entries gone through one by one, at most; beyond, outputs far from the values are thinned.


@dataclass(frozen=True)
class WorstRatio:
    """The largest log ratio of the stated probabilities, and where it is reached.

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
