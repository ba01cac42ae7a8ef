"""Every visit that people make in a study, but those whose law is that of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools
from semildp.audit.visits.asked import AskedOf, asked_of
from semildp.audit.visits.person import Person
from semildp.audit.visits.sending import build_visit, looks_at, spent
from semildp.audit.visits.visit import Visit
from semildp.errors import InputError
from semildp.study import Study
from semildp.wire.messages import AskPair


@dataclass(frozen=True)
class Skipped:
    """A visit that is not audited: its name, what it costs, and why."""

    name: str
    epsilon: float
    reason: str


def study_visits(*studies: Study) -> Iterator[Visit[Person] | Skipped]:
    """Yield every visit that people make who hide every second feature, everything, or just what they must.

    Of visits in which the same mechanisms answer the same kinds of asks, the first is enough.
    """
    seen: set[tuple[str, ...]] = set()
    for study in studies:
        for kind, hidden in _masks(study):
            for asked in asked_of(study, hidden):
                name = _name(study, asked, kind)
                try:
                    law = _law(study, asked, hidden)
                    found = None if law in seen else build_visit(study, asked, hidden, name)
                except InputError as problem:
                    yield Skipped(name, spent(study, asked, hidden), str(problem))
                    continue
                seen.add(law)
                if found is not None:
                    yield found


def _masks(study: Study) -> list[tuple[str, Bools]]:
    """Return what people hide whose visits are audited, and how to call it."""
    forced = np.array([feature.private for feature in study.features])
    half = forced | (np.arange(len(forced)) % 2 == 0)
    if study.protocol == "label-tree":
        return [("", np.zeros_like(forced))]
    if study.hide_mask:
        return [("hidden masks", half)]
    return [("", half), ("all hidden", np.ones_like(forced)), ("few hidden", forced)]


def _law(study: Study, asked: AskedOf, hidden: Bools) -> tuple[str, ...]:
    """Return what decides the law of a visit: which asks, answered by which mechanisms, under open or hidden masks."""
    asks = [type(ask).__name__ for question in asked.questions for ask in question.asks]
    mechanisms = [repr(part.mechanism) for look in looks_at(study, asked, hidden) for part in look.parts]
    return (str(study.hide_mask), str(asked.only_wave), *asks, *mechanisms)


def _name(study: Study, asked: AskedOf, kind: str) -> str:
    waves = "+".join(str(question.wave) for question in asked.questions)
    words = [f"{study.protocol}, {study.participation}, wave {waves}"]
    if asked.only_wave:
        words[0] += " (no second one pays)"
    ask = asked.questions[-1].asks[-1]
    if isinstance(ask, AskPair) and len(ask.partition.features) == 1 and len(ask.partition.tree.feature) == 1:
        words.append(study.names[ask.partition.features[0]])
    words += [value for value in study.settings.values() if isinstance(value, str)]
    return ", ".join(word for word in (*words, kind) if word)
