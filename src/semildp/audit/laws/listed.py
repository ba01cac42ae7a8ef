"""Outputs that can be listed, and what a mechanism states of each: log P(output | value) as a table."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.errors import InputError, refusal
from semildp.mechanisms import Mechanism

_REACH = 2**22  # Of numbers without bound that are too many to list: so far beyond the values.
_LEAST_MASS = 1 - 1e-8


def listed_outputs(mechanism: Mechanism) -> Ints | None:
    """Return every output, along the first axis, or None where outputs are rows and too many to list.

    Numbers too many to list are cut where as good as nothing is left.
    """
    return _remembered(mechanism) if isinstance(mechanism, Hashable) else _list(mechanism)


def _list(mechanism: Any) -> Ints | None:
    try:
        return np.asarray(mechanism.output_domain)
    except InputError:
        return None if hasattr(mechanism, "n_candidates") else _near(mechanism)


def _near(mechanism: Any) -> Ints:
    """Return the whole numbers near the values; refused where noise reaches further."""
    outputs = np.arange(-_REACH, mechanism.n_values + _REACH)
    mass = float(np.exp(mechanism.log_probability(outputs, np.zeros(len(outputs), dtype=np.int64))).sum())
    if mass < _LEAST_MASS:
        raise refusal("epsilon", f"large enough for noise to stay within {_REACH} steps", repr(mechanism.epsilon))
    return outputs


_remembered = lru_cache(maxsize=32)(_list)


def log_table(mechanism: Mechanism, outputs: Ints, values: Ints) -> Floats:
    """Return log P(output | value), one row per value and one column per output."""
    return np.array([mechanism.log_probability(outputs, np.full(len(outputs), v)) for v in values])
