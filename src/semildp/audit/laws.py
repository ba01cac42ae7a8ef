"""What a mechanism states about its estimate: what it can be worth, how likely that is, and what it should be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.audit.finding import require
from semildp.audit.listed import listed_outputs, log_table
from semildp.audit.rows import entry_chances, n_symbols, probes, width
from semildp.mechanisms import Mechanism

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

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


def estimates(mechanism: Mechanism, outputs: Ints) -> Floats:
    """Return `estimate` as a matrix, one row per output and one column per thing estimated."""
    return np.asarray(mechanism.estimate(outputs)).reshape(len(outputs), -1)


def targets(mechanism: Mechanism, values: Ints, n_columns: int) -> Floats:
    """Return what is to be estimated: the value itself, or the indicator of each value."""
    if n_columns == 1 and mechanism.n_values > 1:
        return np.asarray(values, dtype=np.float64)[:, None]
    return np.asarray(values[:, None] == np.arange(n_columns), dtype=np.float64)


def estimate_law(mechanism: Mechanism, values: Ints) -> tuple[Floats, Floats]:
    """Return what each column of the estimate can be, and how likely that is: arrays (value, column, possibility).

    Of rows too many to list, each column must be a function of one entry, its candidate's.
    """
    outputs = listed_outputs(mechanism)
    if outputs is not None:
        worth = estimates(mechanism, outputs).T
        chance = np.exp(log_table(mechanism, outputs, values))
        shape = (len(values), *worth.shape)
        return np.broadcast_to(worth, shape), np.broadcast_to(chance[:, None, :], shape)
    k, n = width(mechanism), n_symbols(mechanism)
    worth = np.stack([estimates(mechanism, np.full((1, k), entry))[0] for entry in range(n)], axis=1)
    columns = np.arange(len(worth))
    candidate = columns * k // len(worth)
    rows = probes(mechanism)
    read = worth[columns, rows[:, candidate]]
    require(np.allclose(estimates(mechanism, rows), read), "An estimate reads another's entry.")
    return np.broadcast_to(worth, (len(values), *worth.shape)), entry_chances(mechanism, values)[:, candidate]
