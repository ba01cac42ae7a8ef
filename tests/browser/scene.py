"""Studies for the page, with the words in which they are asked, and questions that a curator could ask in them."""

from __future__ import annotations

import json
from typing import Any

from semildp.mechanisms import ClassResponse, DiscreteLaplace, GeneralisedResponse, PairResponse, WindowResponse
from semildp.partition import Partition, Tree
from semildp.study import Category, Classes, Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import Ask, AskBins, AskClass, AskLabel, AskPair, Question
from tests.vectors import parts

SLEEP = Study(
    name="sleep-2026",
    epsilon=1.5,
    label=Number(0, 14),
    features=(
        Feature("age", Number(18, 100)),
        Feature("children", Category(("none", "one", "two or more"))),
        Feature("region", Category(("north", "south", "east", "west", "centre", "islands"))),
        Feature("coffee", Number(0, 10)),
        Feature("stress", Number(0, 10), private=True),
    ),
)
QUESTIONS_IN_WORDS = {
    "age": {"text": "How old are you?", "unit": "years"},
    "children": {"text": "How many children live with you?"},
    "region": {"text": "Where do you live?"},
    "coffee": {"text": "How much coffee do you drink on a usual day?", "unit": "cups"},
    "stress": {"text": "How stressed have you felt this week?", "help": "0 is not at all, 10 is as much as can be."},
    "label": {"text": "How many hours did you sleep last night?", "unit": "hours"},
}
COLLECTION: dict[str, Any] = {
    "title": "How do we sleep?",
    "description": "We would like to learn what helps people sleep.\n\nThe results will be published in spring; "
    "answers are deleted as soon as they are counted.",
    "contact": "Dr. Ada Example, sleep@example.org",
    "access": "invitation",
    "visits": "one-visit",
    "opens": "2026-03-01T08:00:00+01:00",
    "closes": "2026-04-01T20:00:00+02:00",
    "people": 2000,
    "questions": QUESTIONS_IN_WORDS,
}
HIDDEN = {**COLLECTION, "title": "Two numbers", "description": "", "questions": {}, "opens": None, "closes": None}
REST = Study(
    name="rest-2026",
    epsilon=2.0,
    label=Classes(("badly", "so-so", "well")),
    features=(Feature("age", Number(18, 100)), Feature("stress", Number(0, 10), private=True)),
)
RESTED = {
    **COLLECTION,
    "title": "Did you sleep well?",
    "questions": {
        **{name: QUESTIONS_IN_WORDS[name] for name in ("age", "stress")},
        "label": {"text": "How did you sleep last night?"},
    },
}
SCENES: dict[str, tuple[Study, dict[str, Any]]] = {
    "sleep": (SLEEP, COLLECTION),
    "hidden": (parts.HIDDEN, HIDDEN),
    "rest": (REST, RESTED),
}

STRESS_AND_COFFEE = Partition(SLEEP.bounds, (3, 4), (2, 3), Tree())


def _pair() -> AskPair:
    sizes = by_size((k, PairResponse(1.5, k, 3, "subset").mechanism) for k in (3, 6))
    return AskPair(partition_message(STRESS_AND_COFFEE), (0.0,), 3.0, sizes, 1.5)


def _class() -> AskClass:
    partition = Partition(REST.bounds, (1,), (3,), Tree())
    return AskClass(partition_message(partition), by_size([(3, ClassResponse(2.0, 3, 3, "subset", 2).mechanism)]), 2.0)


def _bins() -> AskBins:
    return AskBins(tuple(mechanism_message(GeneralisedResponse(0.1, k)) for k in (8, 3, 6, 5, 5)), 0.1)


def _label(kind: str, epsilon: float) -> AskLabel:
    mechanism = DiscreteLaplace(epsilon, 1024) if kind == "laplace" else WindowResponse(epsilon, 8)
    return AskLabel(0.0, 14.0, "random", mechanism_message(mechanism), epsilon)


def _asked(*asks: Ask, centre: float = 0.0) -> bytes:
    return encode(Question(SLEEP.digest, 1, asks, centre))


def _lowered(raw: bytes) -> bytes:
    """The question with one threshold lower by 1."""
    data = json.loads(raw)
    mechanism = data["asks"][0]["mechanism"]
    mechanism["thresholds"][0] = str(int(mechanism["thresholds"][0]) - 1)
    return json.dumps(data, separators=(",", ":")).encode()


QUESTIONS: dict[str, bytes] = {
    "pair": _asked(_pair(), centre=7.25),
    "label and bins": _asked(_label("laplace", 1.0), _bins()),
    "window": _asked(_label("window", 1.5)),
    "broken": _lowered(_asked(_label("window", 1.5))),
    "costly": _asked(_label("window", 1.5000000000000002)),
    "other study": encode(Question("0" * 64, 1, (_label("window", 1.5),), 0.0)),
    "nonsense": b'{"message":"question","version":1,"version":1}',
    "class": encode(Question(REST.digest, 1, (_class(),))),
    "histogram": encode(parts.question(parts.histogram(), study=parts.HIDDEN)),
}
