"""Checks that every person, every call and every place in a batch gets randomness of its own.

Each check raises on a correct mechanism with probability at most a few times 1e-6 (see `statistics`), for any seed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.audit.finding import require
from semildp.audit.listed import listed_outputs, log_table
from semildp.audit.rows import as_rows, entry_chances, n_symbols, row_meeting_chance, sends_rows
from semildp.audit.statistics import assert_counts
from semildp.mechanisms import Mechanism
from semildp.sources import SeededSource, Source, SystemSource

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

PEOPLE = 1 << 15
LAGS = (1, 2, 8, 1 << 14)  # People this far apart: neighbours, and neighbours across blocks of words.
CALLS = 1000


def events(mechanism: Mechanism, value: int) -> tuple[Floats, Floats | None]:
    """Return stated probabilities of a few events, and the thresholds they are defined by where outputs are many.

    The events are: a candidate has an entry, for each entry but 0; or each output is drawn; or, of many outputs, the
    output is above a quartile.
    """
    values = np.array([value])
    outputs = listed_outputs(mechanism)
    if outputs is None or sends_rows(mechanism):
        return entry_chances(mechanism, values)[0, :, 1:].ravel(), None
    chance = np.exp(log_table(mechanism, outputs, values))[0]
    if len(outputs) <= 64:
        return chance, None
    cut = np.searchsorted(np.cumsum(chance), (0.25, 0.5, 0.75))
    return np.array([chance[c + 1 :].sum() for c in cut]), outputs[cut].astype(np.float64)


def happened(mechanism: Mechanism, outputs: Ints, thresholds: Floats | None) -> Bools:
    """Return which events happened: one row per person, one column per event."""
    if sends_rows(mechanism):
        return np.asarray(outputs[:, :, None] == np.arange(1, n_symbols(mechanism))).reshape(len(outputs), -1)
    if thresholds is not None:
        return outputs[:, None] > thresholds
    return np.asarray(outputs[:, None] == listed_outputs(mechanism))


def meeting_chance(mechanism: Mechanism, value: int) -> float:
    """Return the stated probability that two people with this value send the same output."""
    outputs, values = listed_outputs(mechanism), np.array([value])
    if outputs is None:
        return float(row_meeting_chance(mechanism, values)[0])
    return float(np.exp(2 * log_table(mechanism, outputs, values)).sum())


def check_fresh_randomness(mechanism: Mechanism, seed: int = 0) -> None:
    """Two calls differ, and so do two people with the same value, just as often as independent draws would."""
    value = mechanism.n_values - 1
    if meeting_chance(mechanism, value) > 1 - 1e-12:
        return  # There is nothing to draw: the only candidate is public knowledge.
    values = np.full(PEOPLE, value)
    same = [mechanism.randomise(values, SeededSource(seed)) for _ in range(2)]
    require(
        np.array_equal(same[0], same[1]),
        "The same seed gave different outputs: something other than the source is drawn from.",
    )
    other = mechanism.randomise(values, SeededSource(seed + 1))
    require(not np.array_equal(same[0], other), "Two seeds gave the same outputs: the source is not drawn from.")
    for source in (SeededSource(seed), SystemSource()):
        _check_two_calls(mechanism, value, source)


def _check_two_calls(mechanism: Mechanism, value: int, source: Source) -> None:
    values = np.full(PEOPLE, value)
    first, second = (as_rows(mechanism, mechanism.randomise(values, source)) for _ in range(2))
    require(not np.array_equal(first, second), "Two calls with one source gave the same outputs.")
    _check_pairs(mechanism, value, (first, second), "the same person in two calls")
    for lag in LAGS:
        left = np.flatnonzero(np.arange(PEOPLE) // lag % 2 == 0)  # disjoint pairs, so that counts are binomial
        _check_pairs(mechanism, value, (first[left], first[left + lag]), f"people {lag} apart")


def _check_pairs(mechanism: Mechanism, value: int, pair: tuple[Ints, Ints], who: str) -> None:
    n = len(pair[0])
    equal = (pair[0] == pair[1]).reshape(n, -1).all(axis=1)
    chance = meeting_chance(mechanism, value)
    assert_counts([equal.sum()], n, [chance], f"Outputs of {who} are equal more or less often than independent ones")
    p, thresholds = events(mechanism, value)
    a, b = (happened(mechanism, outputs, thresholds) for outputs in pair)
    assert_counts((a & b).sum(axis=0), n, p**2, f"Outputs of {who} are not independent")


def check_batch_position(mechanism: Mechanism, seed: int = 0) -> None:
    """Alone, first, in the middle, last, in any eighth of a large batch: a person's output has the same law."""
    source, last = SeededSource(seed), mechanism.n_values - 1
    batches = (np.array([last]), np.array([last, 0, last]))
    for batch in batches:
        calls = [as_rows(mechanism, mechanism.randomise(batch, source)) for _ in range(CALLS)]
        outputs = np.array(calls)  # one row per call, one column per place in the batch
        for place, value in enumerate(batch):
            _check_place(mechanism, int(value), outputs[:, place], f"place {place} of a batch of {len(batch)}")
    large = as_rows(mechanism, mechanism.randomise(np.full(PEOPLE, last), source))
    for part, outputs in enumerate(np.split(large, 8)):
        _check_place(mechanism, last, outputs, f"eighth {part} of a batch of {PEOPLE}")
    nobody = mechanism.randomise(np.array([], dtype=np.int64), source)
    require(nobody.size == 0, "A batch of nobody gave an output.")


def _check_place(mechanism: Mechanism, value: int, outputs: Ints, where: str) -> None:
    p, thresholds = events(mechanism, value)
    count = happened(mechanism, outputs, thresholds).sum(axis=0)
    assert_counts(count, len(outputs), p, f"Outputs at {where} are not drawn as often as stated")
