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
from semildp.wire.messages import Ask, AskClass, AskLabel, AskPair, AskSigned

Law = tuple[str, ...]


@dataclass(frozen=True)
class Skipped:
    """A visit that is not audited: its name, what it costs, and why."""

    name: str
    epsilon: float
    reason: str


def study_visits(*studies: Study) -> Iterator[Visit[Person] | Skipped]:
    """Yield every visit that people make who hide every second feature, everything, or just what they must.

    Of visits in which the same mechanisms answer the same kinds of asks, the first is enough; so it is, within a study,
    if every question of a visit was answered alike in another.
    """
    seen: set[tuple[Law, ...]] = set()
    for study in studies:
        known: set[Law] = set()
        for kind, hidden in _masks(study):
            for asked in asked_of(study, hidden):
                name = _name(study, asked, kind)
                try:
                    laws = _laws(study, asked, hidden)
                    found = None if laws in seen or known.issuperset(laws) else build_visit(study, asked, hidden, name)
                except InputError as problem:
                    yield Skipped(name, spent(study, asked, hidden), str(problem))
                    continue
                seen.add(laws)
                known.update(laws)
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


def _laws(study: Study, asked: AskedOf, hidden: Bools) -> tuple[Law, ...]:
    """Return what decides the law of each answer of a visit.

    It is the kind of ask, the mechanisms, whether masks are hidden, whether labels are cut at a narrower window, and of
    how many features the sign of a residual is. Which signs they are makes no difference.
    """
    asks = [ask for question in asked.questions for ask in question.asks]
    return tuple(
        (
            type(ask).__name__,
            str(study.hide_mask),
            str(_cut(study, ask)),
            *([str(len(ask.partition.features))] if isinstance(ask, AskSigned) else []),
            *(repr(part.mechanism) for part in look.parts),
        )
        for ask, look in zip(asks, looks_at(study, asked, hidden), strict=True)
    )


def _cut(study: Study, ask: Ask) -> bool:
    return isinstance(ask, AskLabel) and (ask.low, ask.high) != study.label_bounds


def _name(study: Study, asked: AskedOf, kind: str) -> str:
    waves = "+".join(str(question.wave) for question in asked.questions)
    words = [f"{study.protocol}, {study.participation}, wave {waves}"]
    ask = asked.questions[-1].asks[-1]
    if (
        isinstance(ask, AskPair | AskSigned | AskClass)
        and len(ask.partition.features) <= 2
        and ask.partition.tree.feature == (-1,)
    ):
        bins = zip(ask.partition.features, ask.partition.bins, strict=True)
        where = " and ".join(f"{study.names[j]} in {b} bins" for j, b in bins)
        turned = "residual turned by " if isinstance(ask, AskSigned) else ""
        alone = "class alone" if isinstance(ask, AskClass) else "residual alone"
        words.append(turned + where if where else alone)
    words += ["window"] * any(_cut(study, ask) for question in asked.questions for ask in question.asks)
    words += [value for value in study.settings.values() if isinstance(value, str)]
    return ", ".join(word for word in (*words, kind) if word)
