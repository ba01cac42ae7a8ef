"""Outputs that can be listed, and what a mechanism states of each: log P(output | value) as a table."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.errors import InputError
from semildp.mechanisms import Mechanism

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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


def log_table(mechanism: Mechanism, outputs: Ints, values: Ints) -> Floats:
    """Return log P(output | value), one row per value and one column per output."""
    return np.array([mechanism.log_probability(outputs, np.full(len(outputs), v)) for v in values])
