"""Outputs that can be listed, and what a mechanism states of each: log P(output | value) as a table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from semildp.errors import InputError
from semildp.mechanisms import Mechanism

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@lru_cache(maxsize=32)
def listed_outputs(mechanism: Mechanism) -> Ints | None:
    """Return every output, along the first axis, or None where there are too many to list."""
    try:
        return np.asarray(mechanism.output_domain)
    except InputError:
        return None


def log_table(mechanism: Mechanism, outputs: Ints, values: Ints) -> Floats:
    """Return log P(output | value), one row per value and one column per output."""
    return np.array([mechanism.log_probability(outputs, np.full(len(outputs), v)) for v in values])
