"""What a mechanism states about its estimate: what it can be worth, how likely that is, and what it should be."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.audit.finding import require
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import entry_chances, n_symbols, probes, width
from semildp.mechanisms import Mechanism


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
