"""What a study asks of a person: found by running its protocol over made-up people, some of whom hide the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.dummy import DummyRegressor

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.visits.person import label_ends
from semildp.curator.waves import Asked, Collected
from semildp.protocols import SemiPrivate, protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Classes, Study
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
    """

    questions: tuple[Question, ...]
    centres: tuple[float, ...]
    row: Floats


def asked_of(study: Study, hidden: Bools, seed: int = 0) -> Iterator[AskedOf]:
    """Yield what people who hide these features are asked over all waves: once for each list of questions they get."""
    rng = np.random.default_rng(seed)
    X, y, mask = _made_up(study, hidden, rng)
    protocol = protocol_of(study)
    if isinstance(protocol, SemiPrivate):
        protocol = replace(protocol, learner=DummyRegressor())  # what it predicts is public: anything will do
    children = np.random.SeedSequence(seed).spawn(len(protocol.streams))
    sources = {name: SeededSource(child) for name, child in zip(protocol.streams, children, strict=True)}
    done = simulate(study, X, y, mask, protocol=protocol, sources=sources).state.done
    same = np.flatnonzero((mask == hidden).all(axis=1))
    which = _which(done)[same]
    _, first = np.unique(which, axis=0, return_index=True)
    for place in np.sort(first):
        person = int(same[place])
        asked = [each.wave.asked[k] for each, k in zip(done, which[place], strict=True) if k >= 0]
        if asked:
            centres = tuple(_centre(each, person) for each in asked)
            yield AskedOf(tuple(each.question for each in asked), centres, X[person])


def _which(done: Sequence[Collected]) -> Ints:
    """Return, for every person (row) and wave (column), which of its questions the person got; -1 if none."""
    which = np.full((PEOPLE, len(done)), -1)
    for wave, each in enumerate(done):
        for k, asked in enumerate(each.wave.asked):
            which[asked.people, wave] = k
    return which


def _centre(asked: Asked, person: int) -> float:
    if asked.centres is None:
        return asked.question.centre
    return float(asked.centres[np.flatnonzero(asked.people == person)[0]])


def _made_up(study: Study, hidden: Bools, rng: np.random.Generator) -> tuple[Floats, Floats, Bools]:
    """Return features, labels and masks: most hide what is given, the others nothing or everything.

    Where a protocol looks for a window, labels lie in the middle fifth of their bounds, and depend on every feature.
    """
    low, high = np.asarray(study.bounds.low), np.asarray(study.bounds.high)
    X = rng.uniform(low, high, size=(PEOPLE, len(low)))
    categories = np.array([isinstance(f.domain, Category) for f in study.features])
    X = np.where(categories, np.clip(np.rint(X), 0, np.maximum(high - 0.5, 0)), X)
    least, most = label_ends(study)
    y = rng.uniform(least, most, size=PEOPLE)
    if isinstance(study.label, Classes):
        y = np.rint(least + study.bounds.scale(X).mean(axis=1) * (most - least))
    elif study.protocol == "semi-private":
        y = least + (0.4 + 0.2 * study.bounds.scale(X).mean(axis=1)) * (most - least)
    kinds = np.array([hidden, hidden, hidden, np.zeros_like(hidden), np.ones_like(hidden)])
    if study.protocol == "label-tree":
        kinds = kinds[3:4]
    return X, y, kinds[rng.integers(len(kinds), size=PEOPLE)]
