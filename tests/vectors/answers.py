"""Answers: question, raw row and random words in, the exact bytes of the report out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from semildp.client import answer, ready
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.codec import digest, encode
from semildp.wire.messages import Question
from semildp.wire.people import raw_row, write_report
from tests.vectors import parts
from tests.vectors.parts import plain, question, text

QUESTIONS: dict[str, Question] = {
    "label, Laplace, nearest": question(parts.label()),
    "label, Laplace, at random": question(parts.label(rounding="random")),
    "label, Laplace, much noise": question(parts.label(epsilon=0.0625)),
    "label, window, at random": question(parts.label("window", "random")),
    "label, window, nearest": question(parts.label("window")),
    "cell, generalised": question(parts.cell()),
    "cell, generalised, known": question(parts.cell(partition=parts.PUBLIC)),
    "cell, binary": question(parts.cell("binary")),
    "cell, binary, known": question(parts.cell("binary", parts.PUBLIC)),
    "pair, generalised": question(parts.pair("generalised")),
    "pair, subset": question(parts.pair("subset")),
    "pair, paired": question(parts.pair("paired", levels=2)),
    "pair, generalised, known": question(parts.pair("generalised", parts.PUBLIC)),
    "pair, subset, known": question(parts.pair("subset", parts.PUBLIC, levels=5)),
    "pair, paired, known": question(parts.pair("paired", parts.PUBLIC, levels=2)),
    "pair, a centre of one's own": question(parts.pair("subset", parts.BINS), wave=2, centre=0.75),
    "bins": question(parts.bins()),
    "label and bins": question(parts.label(epsilon=0.5), parts.bins()),
    "label and cell": question(parts.label("window", "random"), parts.cell("binary")),
    "histogram": question(parts.histogram(), study=parts.HIDDEN),
    "signed, two features": question(parts.signed()),
    "signed, two levels": question(parts.signed(parts.BINS, levels=2)),
    "signed, a centre of one's own": question(parts.signed(parts.BINS, levels=5), wave=2, centre=0.75),
    "label and signed": question(parts.label("window", "random"), parts.signed()),
    "class, subset": question(parts.class_(), study=parts.CLASSES),
    "class, generalised": question(parts.class_("generalised"), study=parts.CLASSES),
    "class, known cell": question(parts.class_("generalised", parts.PUBLIC), study=parts.CLASSES),
    "class alone": question(parts.class_("generalised", parts.WHOLE), study=parts.CLASSES),
    "class alone, subset": question(parts.class_("subset", parts.WHOLE, 0.25), study=parts.CLASSES),
    "class alone and cell": question(
        parts.class_("generalised", parts.WHOLE), parts.cell("binary"), study=parts.CLASSES, wave=2
    ),
}
PEOPLE = {
    "plain": (parts.PERSON, parts.OPEN, parts.MISSING),
    "hidden": (parts.HIDER,),
    "classes": (parts.VOTER, parts.OPEN_VOTER, parts.SILENT),
}


class Edges:
    """Words at random, and now and then one that just is, or just is not, below one of the question's thresholds."""

    def __init__(self, seed: int, thresholds: list[int]) -> None:
        self._rng, self._even = np.random.default_rng(seed), SeededSource(seed)
        near = [word for t in thresholds for word in (t - 1, t)]
        self._near = np.array([word for word in near if 0 <= word < 2**64], dtype=np.uint64)
        self.used: list[int] = []

    def words(self, *shape: int) -> np.ndarray:
        words = self._even.words(*shape)
        if len(self._near):
            words = np.where(self._rng.uniform(size=shape) < 0.4, self._rng.choice(self._near, shape), words)
        self.used += words.ravel().tolist()
        return words


class Listed:
    """Hands out the words of a list, in order."""

    def __init__(self, words: list[str]) -> None:
        self.left = [int(word) for word in words]

    def words(self, *shape: int) -> np.ndarray:
        n = int(np.prod(shape, dtype=np.int64))
        assert n <= len(self.left), f"{n} words were asked for and {len(self.left)} are left"
        taken, self.left = self.left[:n], self.left[n:]
        return np.array(taken, dtype=np.uint64).reshape(shape)


def report(study: Study, raw: bytes, asked: Question, person: dict[str, Any], source: Any) -> bytes:
    """What the person's device sends."""
    label, mask = parts.arrays(study, person)
    people = ready(study, raw_row(study, person["values"])[None], label, mask, source)
    return encode(write_report(digest(raw), answer(study, asked, people, source), 0))


def entries() -> Iterator[dict[str, Any]]:
    """Every question, asked of everyone it can be asked of, with words of several seeds."""
    seeds = itertools.count(1)
    for name, asked in QUESTIONS.items():
        study = next(name for name, each in parts.STUDIES.items() if each.digest == asked.study)
        thresholds = [int(t) for ask in plain(asked)["asks"] for t in _thresholds(ask)]
        for person in PEOPLE[study]:
            if person is parts.MISSING and "bins" in name:
                continue  # hides three features: costs more than the study allows
            for _ in range(2):
                raw, source = text(asked).encode(), Edges(next(seeds), thresholds)
                sent = report(parts.STUDIES[study], raw, asked, person, source)
                yield {
                    "name": name,
                    "study": study,
                    "question": raw.decode(),
                    "person": person,
                    "words": [str(word) for word in source.used],
                    "report": sent.decode(),
                }


def _thresholds(ask: Any) -> Iterator[str]:
    """All thresholds that stand in an ask."""
    if isinstance(ask, dict):
        yield from ask.get("thresholds", [])
        for part in ask.values():
            yield from _thresholds(part)
    elif isinstance(ask, list):
        for part in ask:
            yield from _thresholds(part)
