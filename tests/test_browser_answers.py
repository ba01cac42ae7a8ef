"""The browser's device draws, adds up and takes exponentials as Python's does, at the edges of everything."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from semildp.wire.codec import decode
from semildp.wire.costs import own_cost
from semildp.wire.messages import Enrolment, Question
from semildp.wire.people import read_enrolment
from tests.browser.running import run
from tests.test_browser_agrees import device
from tests.vectors import parts
from tests.vectors.answers import QUESTIONS, report

BITS = 400
EDGES = [0, 2**64 - 1, *(2**61 * k + shift for k in range(8) for shift in (-1, 0, 1) if 2**61 * k + shift > 0)]


class Edgy:
    """Words at random, words at eighths of their range, and words beside thresholds; all are written down."""

    def __init__(self, rng: random.Random, thresholds: list[int]) -> None:
        near = [t + shift for t in thresholds for shift in (-1, 0) if 0 <= t + shift < 2**64]
        self._rng, self._choices, self.used = rng, EDGES + near * 3, list[int]()

    def words(self, *shape: int) -> np.ndarray:
        n = int(np.prod(shape, dtype=np.int64))
        rng = self._rng
        drawn = [rng.choice(self._choices) if rng.random() < 0.6 else rng.getrandbits(64) for _ in range(n)]
        self.used += drawn
        return np.array(drawn, dtype=np.uint64).reshape(shape)


def somebody(rng: random.Random) -> dict[str, Any]:
    """Features and a label on, between and beside the points where something changes; a few are missing."""
    a = rng.choice((0.0, 0.25, 0.5, 0.75, 1.0, 1.0 - 2**-53, rng.random(), -1.0))
    b = rng.choice((-1.0, 1.0, 1.0 - 2**-52, 3.0, rng.uniform(-1, 3)))
    d = rng.choice((0.0, 2.5, 5.0, 10.0, 10 / 3, 20 / 3, rng.uniform(0, 10), None))
    label = rng.choice((-1 + 5 * rng.randrange(129) / 128, rng.uniform(-2, 5), 0.1 * rng.randrange(40), 4.0, None))
    hidden = [name for name in ("a", "b", "colour") if rng.random() < 0.3]
    a = None if "a" in hidden and rng.random() < 0.2 else a
    return {"values": [a, b, rng.choice(("red", "green", "blue")), d], "label": label, "hidden": hidden}


def thresholds(part: Any) -> list[int]:
    if isinstance(part, dict):
        return [int(t) for t in part.get("thresholds", [])] + [t for each in part.values() for t in thresholds(each)]
    return [t for each in part for t in thresholds(each)] if isinstance(part, list) else []


def test_the_same_words_give_the_same_bytes():
    rng = random.Random(13)
    requests, wanted = [], []
    for _ in range(60):
        for asked in QUESTIONS.values():
            hidden = asked.study == parts.HIDDEN.digest
            study, person = (parts.HIDDEN, parts.HIDER) if hidden else (parts.PLAIN, somebody(rng))
            if asked.study == parts.CLASSES.digest:
                study, person = parts.CLASSES, {**person, "label": rng.choice((*parts.CLASSES.classes, "never", None))}
            if hidden:
                person = {**person, "values": [rng.choice((0.0, 0.5, 1.0, None)), rng.random()], "label": rng.random()}
            raw, source = parts.text(asked), Edgy(rng, thresholds(parts.plain(asked)))
            try:
                wanted.append(report(study, raw.encode(), asked, person, source).decode())
            except ValueError as problem:  # no mechanism for so many candidates, or too many features are hidden
                wanted.append(getattr(problem, "problem", "") or str(problem))
            request = {"do": "answer", "study": study.to_json().decode(), "person": person, "question": raw}
            requests.append({**request, "words": [str(word) for word in source.used]})
    got = run("judge.mjs", requests)
    assert [(r["person"], g, w) for r, g, w in zip(requests, got, wanted, strict=True) if g != w] == []
    assert sum(answer.startswith("{") for answer in wanted) > 1000


def test_costs_are_the_same_fractions():
    requests, wanted = [], []
    asked = (
        parts.question(parts.label(epsilon=0.1), parts.cell(epsilon=1 / 3)),
        parts.question(parts.label(epsilon=0.1), parts.cell(partition=parts.PUBLIC)),
        parts.question(parts.bins(0.3)),
    )
    for each in asked:
        for person in (parts.PERSON, parts.OPEN, parts.MISSING):
            raw, me = parts.text(each).encode(), device(parts.PLAIN, person)
            row = read_enrolment(parts.PLAIN, decode(me.enrol(), Enrolment))
            requests.append({"do": "cost", "study": parts.PLAIN.to_json().decode(), "person": person, "hex": raw.hex()})
            wanted.append(str(own_cost(decode(raw, Question), parts.PLAIN, row)))
    assert run("judge.mjs", requests) == wanted
    assert Fraction(wanted[0]) == Fraction(0.1) + Fraction(1 / 3)
    assert Fraction(wanted[3]) == Fraction(0.1), "a cell that is public knowledge costs nothing"


def test_exponentials_lie_between_their_bounds_which_are_narrow():
    rng = random.Random(17)
    tried = [(1, 1), (1, 10**12), (10**4, 1), (10**9, 1), (0, 1), (1, 2**1074)]
    tried += [(rng.getrandbits(60), 2**54 + rng.getrandbits(62)) for _ in range(100)]
    bounds = run("judge.mjs", [{"do": "exp", "top": str(top), "bottom": str(bottom)} for top, bottom in tried])
    for (top, bottom), ends in zip(tried, bounds, strict=True):
        low, high = (int(end, 16) for end in ends)
        with localcontext(prec=300 + high.bit_length() // 3):
            exact = min(Decimal(top) / Decimal(bottom), Decimal(10_000)).exp() * 2**BITS
            assert low <= exact <= high
        assert high - low <= max(4, high >> 380), "narrower than 114 decimals"
