"""Checks of calls for one person, as a device makes them: for every value, from both kinds of source.

The event looked at is that the likeliest output is sent, or of rows that the true entry is: what is sent without noise
is always that.
"""

from __future__ import annotations

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.checks.sampled import output_index
from semildp.audit.finding import require
from semildp.audit.laws.likelihoods import likelihoods
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import as_rows, entry_chances, own_entries, sends_rows
from semildp.audit.laws.values import MANY_VALUES, all_values
from semildp.audit.laws.wide import is_wide, wide_law
from semildp.audit.statistics import assert_counts
from semildp.mechanisms import Mechanism
from semildp.sources import SeededSource, Source, SystemSource

CALLS = 2000  # divided among the values; every value is called for at least once


def check_one_person_calls(mechanism: Mechanism, seed: int = 0) -> float:
    """A person who is alone in a call is randomised as stated, whatever their value; sources take turns."""
    values = all_values(mechanism)
    n = max(1, CALLS // len(values))
    sources: tuple[Source, ...] = (SeededSource(seed), SystemSource())
    which = np.add.outer(np.arange(n), np.arange(len(values))) % 2
    sent = [
        _alone(mechanism, int(value), sources[turn])
        for value, turn in zip(np.tile(values, n), which.ravel(), strict=True)
    ]
    outputs = np.array(sent).reshape(n, len(values), *np.shape(sent[0]))
    happened, chance = told(mechanism, outputs, values)
    what = "alone in a call, (value) sends the likeliest output more or less often than stated"
    p_values = [assert_counts(happened.sum(axis=0), n, chance, what)]
    for turn, name in enumerate(("a seeded source", "the system's randomness")):
        here, expected = happened[which == turn], np.broadcast_to(chance, which.shape)[which == turn]
        if here.size:
            p_values.append(assert_counts([here.sum()], here.size, [expected.mean()], f"{what}, with {name}"))
    return min(p_values)


def _alone(mechanism: Mechanism, value: int, source: Source) -> Ints:
    output = as_rows(mechanism, np.asarray(mechanism.randomise(np.array([value]), source)))
    require(len(output) == 1, f"A call for one person gave {len(output)} outputs.")
    return np.asarray(output[0])


def told(mechanism: Mechanism, outputs: Ints, values: Ints) -> tuple[Bools, Floats]:
    """Return whether the event happened (call, value), and its stated probability for each value."""
    each = np.arange(len(values))
    own = own_entries(mechanism, values) if sends_rows(mechanism) else None
    if own is not None and is_wide(mechanism):
        return outputs[:, each, own[0]] == own[1], wide_law(mechanism).marked(mechanism)[0][each, own[1] - 1]
    if own is not None:
        return outputs[:, each, own[0]] == own[1], entry_chances(mechanism, values)[each, own[0], own[1]]
    if len(values) > MANY_VALUES:
        law = likelihoods(mechanism)
        tiled = np.broadcast_to(values, outputs.shape)
        return law.likeliest(outputs.ravel(), tiled.ravel()).reshape(outputs.shape), np.full(len(values), law.top)
    listed = listed_outputs(mechanism)
    require(listed is not None, "Outputs can neither be listed nor read as rows of candidates.")
    table = log_table(mechanism, np.asarray(listed), values)
    top = table >= table.max(axis=1, keepdims=True) - 1e-9
    place = output_index(np.asarray(listed), outputs)
    return top[each, place], np.where(top, np.exp(table), 0.0).sum(axis=1)
