"""Checks of a visit: what it sends fits what it states, and everyone's randomness is their own.

Each check raises on a correct visit with probability at most 2e-7 (see `statistics`), for any seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from semildp._arrays import Ints
from semildp.audit.checks.alone import told
from semildp.audit.checks.sampled import fit_listed, fit_outputs
from semildp.audit.finding import require
from semildp.audit.laws.listed import listed_outputs
from semildp.audit.search.columns import as_columns
from semildp.audit.statistics import STATEMENT, assert_counts, clopper_pearson
from semildp.audit.visits.visit import Outputs, Part, Visit
from semildp.sources import SeededSource, Source, SystemSource

Input = TypeVar("Input")

PEOPLE = 400_000  # of all inputs together: one in a hundred who goes out bare shows
FEW_PEOPLE = 1 << 13
EVERYONE = 1 << 15  # people of all inputs together, from each source
CALLS = 512  # for one person each


def three_samples(visit: Visit[Input], seed: int) -> list[list[Outputs]]:
    """Return what people send under each input: twice with the words of a seed, once with the operating system's."""
    n, seeded = visit.at_most(PEOPLE // 3) // len(visit.inputs), SeededSource(seed)
    return [[visit.send(person, n, source) for person in visit.inputs] for source in (seeded, seeded, SystemSource())]


def check_visit_frequencies(visit: Visit[Input], samples: Sequence[Sequence[Outputs]]) -> float:
    """Each part of what is sent is drawn as often as its mechanism states, for every input it has a law for.

    Where a label is rounded at random, the law is that of all values it may be rounded to; it can be held against what
    is sent where outputs can be listed.
    """
    p_values, sent = [1.0], [np.concatenate(parts) for parts in zip(*samples, strict=True)]
    for part in visit.parts:
        given = [(part.value(x), part.outputs(s)) for x, s in zip(visit.inputs, sent, strict=True)]
        known = [(value, outputs) for value, outputs in given if isinstance(value, int)]
        if known:
            drawn = np.stack([outputs for _, outputs in known], axis=1)
            p_values.append(fit_outputs(part.mechanism, drawn, np.array([value for value, _ in known])))
        rounded, listed = [pair for pair in given if isinstance(pair[0], dict)], listed_outputs(part.mechanism)
        if rounded and listed is not None:
            drawn = np.stack([outputs for _, outputs in rounded], axis=1)
            logs = np.array([part.log_probability(listed, value) for value, _ in rounded])
            p_values.append(fit_listed(drawn, listed, logs))
    return min(p_values)


def check_everyone(visit: Visit[Input], seed: int) -> float:
    """Every private value, in one call with others: the truth is sent as often as is stated for it."""
    people = visit.everyone
    if visit.mixed is None or not people:
        return 1.0
    n = max(1, visit.at_most(EVERYONE) // len(people))
    sent = np.concatenate([visit.mixed(people, n, source) for source in (SeededSource(seed), SystemSource())])
    return min([1.0, *(_fit_people(part, people, sent, "in one call with others") for part in visit.parts)])


def check_visit_alone(visit: Visit[Input], seed: int) -> float:
    """Private values in calls for one person each: the truth is sent as often as is stated for it.

    All values where they are few; of more than CALLS every second or third, by the seed where it starts.
    """
    people = visit.everyone or visit.inputs
    step = -(-len(people) // CALLS)
    people = people[seed % step :: step]
    sources: Sequence[Source] = (SeededSource(seed), SystemSource())
    n = max(1, CALLS // len(people))
    sent = [visit.alone(person, sources[(i + turn) % 2]) for turn in range(n) for i, person in enumerate(people)]
    require(all(len(one) == 1 for one in sent), "A call for one person gave several reports.")
    together = np.concatenate(sent)
    return min([1.0, *(_fit_people(part, people, together, "alone in a call") for part in visit.parts)])


def _fit_people(part: Part[Input], people: Sequence[Input], sent: Outputs, where: str) -> float:
    """Hold what was sent, all people in turn and again, against the stated probability of sending the truth."""
    given = [part.known(person) for person in people]
    known = np.array([value is not None for value in given])
    values = np.array([value for value in given if value is not None])
    if not len(values):
        return 1.0
    outputs = part.outputs(sent)
    outputs = outputs.reshape(-1, len(people), *outputs.shape[1:])[:, known]
    happened, chance = told(part.mechanism, outputs, values)
    what = f"{where}, (person) sends what is likeliest for them more or less often than stated"
    return min(
        assert_counts(happened.sum(axis=0), len(happened), chance, what),
        assert_counts([happened.sum()], happened.size, [chance.mean()], f"{what}, all people together"),
    )


def check_visit_randomness(visit: Visit[Input], seed: int) -> None:
    """All randomness comes from the source, and no two people or calls share any of it.

    Nothing need be stated: people at the same place in two calls, and neighbours in one call, must send the same as
    often as people at different places of two calls do.
    """
    person = visit.inputs[-1]

    def send(source: Source) -> Ints:
        return as_columns(visit.send(person, FEW_PEOPLE, source))

    same, again, other = (send(SeededSource(s)) for s in (seed, seed, seed + 1))
    require(
        np.array_equal(same, again),
        "The same seed gave different outputs: something other than the source is drawn from.",
    )
    _check_same("Under two seeds one person sends the same", (same, other), (same, _next(other)))
    for source in (SeededSource(seed), SystemSource()):
        first, second = send(source), send(source)
        apart = (first, _next(second))
        _check_same("In two calls one person sends the same", (first, second), apart)
        _check_same("Neighbours in one call send the same", (first, _next(first)), apart)


def _next(sent: Ints) -> Ints:
    """Exchange neighbours."""
    return sent.reshape(-1, 2, sent.shape[1])[:, ::-1].reshape(sent.shape)


def _check_same(what: str, pair: tuple[Ints, Ints], apart: tuple[Ints, Ints]) -> None:
    """Count over every second person, so that pairs are disjoint; bounds on both probabilities must overlap."""
    n = len(pair[0]) // 2
    here, there = (int((a[::2] == b[::2]).all(axis=1).sum()) for a, b in (pair, apart))
    low, high = clopper_pearson([here, there], n, STATEMENT / 4)
    require(
        low.max() <= high.min(),
        f"{what} {here} times of {n}, strangers {there} times: their randomness is not their own.",
    )
