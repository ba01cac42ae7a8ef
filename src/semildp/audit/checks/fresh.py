"""Checks that every person, every call and every place in a batch gets randomness of its own.

Each check raises on a correct mechanism with probability at most 2e-7 (see `statistics`), for any seed.
"""

from __future__ import annotations

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.audit.finding import require
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import as_rows, entry_chances, n_symbols, row_meeting_chance, sends_rows, width
from semildp.audit.laws.wide import is_wide
from semildp.audit.statistics import assert_counts
from semildp.mechanisms import Mechanism
from semildp.sources import SeededSource, Source, SystemSource

PEOPLE = 1 << 15
LAGS = (1, 2, 8, 1 << 14)  # People this far apart: neighbours, and neighbours across blocks of words.
CALLS, WIDE_CALLS = 1000, 100
_ENTRIES = 1 << 22  # of rows in one batch, at most


class Events:
    """A few events whose probabilities are stated for one value, and how likely two people are to send the same.

    The events are: a candidate has an entry, for each entry but 0; or each output is drawn; or, of many outputs, the
    output is above a quartile.

    Parameters
    ----------
    mechanism, value
        What is asked, and the value.
    """

    def __init__(self, mechanism: Mechanism, value: int) -> None:
        self._mechanism, values = mechanism, np.array([value])
        self._outputs, self._cut = listed_outputs(mechanism), None
        if self._outputs is None:
            self.meeting = float(row_meeting_chance(mechanism, values)[0])
            self.chance = entry_chances(mechanism, values)[0, :, 1:].ravel()
            return
        chance = np.exp(log_table(mechanism, self._outputs, values))[0]
        self.meeting = float((chance**2).sum())
        self.chance = chance
        if self._outputs.ndim == 2:
            self.chance = entry_chances(mechanism, values)[0, :, 1:].ravel()
        elif len(self._outputs) > 64:
            cut = np.searchsorted(np.cumsum(chance), (0.25, 0.5, 0.75))
            self.chance = np.array([chance[c + 1 :].sum() for c in cut])
            self._cut = self._outputs[cut]

    def happened(self, outputs: Ints) -> Bools:
        """Return which events happened: one row per person, one column per event."""
        if sends_rows(self._mechanism):
            marks = np.arange(1, n_symbols(self._mechanism))
            return np.asarray(outputs[:, :, None] == marks).reshape(len(outputs), -1)
        return outputs[:, None] > self._cut if self._cut is not None else np.asarray(outputs[:, None] == self._outputs)


def _people(mechanism: Mechanism) -> int:
    """How many people a batch has: a power of 2, fewer where rows are wide."""
    most = _ENTRIES // width(mechanism) if sends_rows(mechanism) else PEOPLE
    return min(PEOPLE, 1 << (most.bit_length() - 1))


def check_fresh_randomness(mechanism: Mechanism, seed: int = 0) -> None:
    """Two calls differ, and so do two people with the same value, just as often as independent draws would."""
    value, n = mechanism.n_values - 1, _people(mechanism)
    events = Events(mechanism, value)

    def send(source: Source) -> Ints:
        return as_rows(mechanism, mechanism.randomise(np.full(n, value), source))

    same, again, other = (send(SeededSource(s)) for s in (seed, seed, seed + 1))
    require(
        np.array_equal(same, again),
        "The same seed gave different outputs: something other than the source is drawn from.",
    )
    _check_pairs(events, (same, other), "the same person under two seeds (is the source drawn from?)")
    for source in (SeededSource(seed), SystemSource()):
        first, second = send(source), send(source)
        _check_pairs(events, (first, second), "the same person in two calls")
        for lag in (lag for lag in LAGS if 2 * lag <= n):
            left = np.flatnonzero(np.arange(n) // lag % 2 == 0)  # disjoint pairs, so that counts are binomial
            _check_pairs(events, (first[left], first[left + lag]), f"people {lag} apart")


def _check_pairs(events: Events, pair: tuple[Ints, Ints], who: str) -> None:
    n = len(pair[0])
    equal = (pair[0] == pair[1]).reshape(n, -1).all(axis=1)
    what = f"Outputs of {who} are equal more or less often than independent ones"
    assert_counts([equal.sum()], n, [events.meeting], what)
    a, b = (events.happened(outputs) for outputs in pair)
    assert_counts((a & b).sum(axis=0), n, events.chance**2, f"Outputs of {who} are not independent")


def check_batch_position(mechanism: Mechanism, seed: int = 0) -> None:
    """First, in the middle, last, in any eighth of a large batch: a person's output has the same law."""
    source, last = SeededSource(seed), mechanism.n_values - 1
    events = {value: Events(mechanism, value) for value in {0, last}}
    batch = np.array([last, 0, last])
    calls = [
        as_rows(mechanism, mechanism.randomise(batch, source))
        for _ in range(WIDE_CALLS if is_wide(mechanism) else CALLS)
    ]
    outputs = np.array(calls)  # one row per call, one column per place in the batch
    for place, value in enumerate(batch):
        _check_place(events[int(value)], outputs[:, place], f"place {place} of a batch of {len(batch)}")
    n = _people(mechanism)
    large = as_rows(mechanism, mechanism.randomise(np.full(n, last), source))
    for part, outputs in enumerate(np.split(large, 8)):
        _check_place(events[last], outputs, f"eighth {part} of a batch of {n}")
    nobody = mechanism.randomise(np.array([], dtype=np.int64), source)
    require(nobody.size == 0, "A batch of nobody gave an output.")


def _check_place(events: Events, outputs: Ints, where: str) -> None:
    count = events.happened(outputs).sum(axis=0)
    assert_counts(count, len(outputs), events.chance, f"Outputs at {where} are not drawn as often as stated")
