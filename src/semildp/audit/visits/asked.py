"""What a study asks of a person: found by running its protocol over made-up people, some of whom hide the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from sklearn.dummy import DummyRegressor

from semildp._arrays import Bools, Floats
from semildp.protocols import SemiPrivate, protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Study
from semildp.wire.messages import Question

PEOPLE = 20_000


@dataclass(frozen=True, eq=False)
class AskedOf:
    """The questions that one person answers in a study, in order, and what is public of the person.

    Parameters
    ----------
    questions, centres
        The questions, and the number that is each one's centre for this person.
    row
        The person's features; the public ones are what the questions were made for.
    only_wave
        Whether the protocol could have planned another wave and did not: judged from public numbers, it would not pay.
    """

    questions: tuple[Question, ...]
    centres: tuple[float, ...]
    row: Floats
    only_wave: bool = False


def asked_of(study: Study, hidden: Bools, seed: int = 0) -> Iterator[AskedOf]:
    """Yield what people who hide these features are asked: one question each where everyone visits once, else all."""
    rng = np.random.default_rng(seed)
    X, y, mask = _made_up(study, hidden, rng)
    protocol = protocol_of(study)
    if isinstance(protocol, SemiPrivate):
        protocol = replace(protocol, learner=DummyRegressor())  # what it predicts is public: anything will do
    children = np.random.SeedSequence(seed).spawn(len(protocol.streams))
    sources = {name: SeededSource(child) for name, child in zip(protocol.streams, children, strict=True)}
    state = simulate(study, X, y, mask, protocol=protocol, sources=sources).state
    same = (mask == hidden).all(axis=1)
    waves, only = [], "second" in state.done[0].wave.facts and state.done[0].wave.facts["second"] is None
    for done in state.done:
        found = []
        for asked in done.wave.asked:
            places = np.flatnonzero(same[asked.people])
            if len(places):
                centre = asked.question.centre if asked.centres is None else float(asked.centres[places[0]])
                found.append((asked.question, centre, int(asked.people[places[0]])))
        waves.append(found)
    if study.participation == "both":
        for each in itertools.product(*(wave for wave in waves if wave)):
            yield AskedOf(tuple(q for q, _, _ in each), tuple(c for _, c, _ in each), X[each[-1][2]], only)
    else:
        for question, centre, person in itertools.chain.from_iterable(waves):
            yield AskedOf((question,), (centre,), X[person], only)


def _made_up(study: Study, hidden: Bools, rng: np.random.Generator) -> tuple[Floats, Floats, Bools]:
    """Return features, labels and masks: most hide what is given, the others nothing or everything."""
    low, high = np.asarray(study.bounds.low), np.asarray(study.bounds.high)
    X = rng.uniform(low, high, size=(PEOPLE, len(low)))
    categories = np.array([isinstance(f.domain, Category) for f in study.features])
    X = np.where(categories, np.clip(np.rint(X), 0, np.maximum(high - 0.5, 0)), X)
    y = rng.uniform(*study.label_bounds, size=PEOPLE)
    kinds = np.array([hidden, hidden, hidden, np.zeros_like(hidden), np.ones_like(hidden)])
    if study.protocol == "label-tree":
        kinds = kinds[3:4]
    return X, y, kinds[rng.integers(len(kinds), size=PEOPLE)]
