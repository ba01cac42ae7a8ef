"""Which private values a check goes through: all of few, some of many."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Ints
from semildp.audit.laws.listed import listed_outputs
from semildp.mechanisms import Mechanism

MANY_VALUES = 65  # Beyond so many values only some have their law gone through in full; all are drawn.
MANY_OUTPUTS = 2**25  # Entries of a table of outputs under values, at most.


def all_values(mechanism: Mechanism) -> Ints:
    """Return every private value."""
    return np.arange(mechanism.n_values)


def some_values(mechanism: Mechanism) -> Ints:
    """Return every private value of a small domain; of a large one both ends, their neighbours and the middle."""
    n = mechanism.n_values
    return all_values(mechanism) if n <= 9 else np.array([0, 1, n // 2, n - 2, n - 1])


def spread_values(mechanism: Mechanism) -> Ints:
    """Return values whose law is gone through in full: all of few, of many as many as can be, spread evenly."""
    outputs = listed_outputs(mechanism)
    most = 17 if outputs is None else max(3, min(17, MANY_OUTPUTS // len(outputs)))
    n = mechanism.n_values
    return all_values(mechanism) if n <= most else np.unique(np.linspace(0, n - 1, most).astype(np.int64))
