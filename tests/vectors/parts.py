"""What the vectors are made of: studies, people and a valid question of each kind."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from semildp.mechanisms import (
    BinaryResponse,
    ClassResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    PairResponse,
    WindowResponse,
)
from semildp.partition import Partition, Tree
from semildp.study import Category, Classes, Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import Ask, AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question
from semildp.wire.people import raw_label

FEATURES = (
    Feature("a", Number(0, 1)),
    Feature("b", Number(-1, 3)),
    Feature("colour", Category(("red", "green", "blue"))),
    Feature("d", Number(0, 10), private=True),
)
STUDIES = {
    "plain": Study(name="plain", epsilon=2.0, label=Number(-1, 4), features=FEATURES),
    "other": Study(name="other", epsilon=2.0, label=Number(-1, 4), features=FEATURES),
    "hidden": Study(
        name="hidden",
        epsilon=4.0,
        label=Number(0, 1),
        features=(Feature("a", Number(0, 1)), Feature("b", Number(0, 1))),
        protocol="private-histogram",
        hide_mask=True,
    ),
    "classes": Study(name="classes", epsilon=2.0, label=Classes(("no", "perhaps", "yes")), features=FEATURES),
}
PLAIN, HIDDEN, CLASSES = STUDIES["plain"], STUDIES["hidden"], STUDIES["classes"]

# The person of most vectors: hides `a`; `d` is private in the study.
PERSON: dict[str, Any] = {"values": [0.3, 2.5, "green", 7.0], "label": 1.25, "hidden": ["a"]}
OPEN: dict[str, Any] = {"values": [0.7, -0.5, "blue", 1.0], "label": 9.0, "hidden": []}
MISSING: dict[str, Any] = {"values": [None, 0.0, "red", None], "label": 0.5, "hidden": ["a", "colour"]}
VOTER: dict[str, Any] = {**PERSON, "label": "yes"}
OPEN_VOTER: dict[str, Any] = {**OPEN, "label": "perhaps"}
SILENT: dict[str, Any] = {**MISSING, "label": "never"}  # no class of the study: it is missing
HIDER: dict[str, Any] = {"values": [0.2, 0.9], "label": 0.625, "hidden": []}

# Feature d in 2 bins times a tree: b below 1 | b above 1 and a below 0.5 | b above 1 and a above 0.5.
TREE = Tree((1, -1, 0, -1, -1), (0.5, 0.0, 0.5, 0.0, 0.0), (1, 0, 3, 0, 0))
BOTH = Partition(PLAIN.bounds, (3,), (2,), TREE)
PUBLIC = Partition(PLAIN.bounds, (), (), Tree((1, -1, -1), (0.5, 0.0, 0.0), (1, 0, 0)))  # b alone: all know the cell
BINS = Partition(PLAIN.bounds, (3,), (3,), Tree())
CROSSED = Partition(PLAIN.bounds, (0, 2), (2, 3), Tree())  # a in 2 bins times the three colours
WHOLE = Partition(PLAIN.bounds, (), (), Tree())  # one cell
SQUARES = Partition(HIDDEN.bounds, (0, 1), (2, 2), Tree())


def label(kind: str = "laplace", rounding: str = "nearest", epsilon: float = 1.0) -> AskLabel:
    mechanism = DiscreteLaplace(epsilon, 64) if kind == "laplace" else WindowResponse(epsilon, 8)
    return AskLabel(-1.0, 4.0, rounding, mechanism_message(mechanism), epsilon)


def cell(kind: str = "generalised", partition: Partition = BOTH, epsilon: float = 1.0) -> AskCell:
    response = {"generalised": GeneralisedResponse, "binary": BinaryResponse}[kind]
    sizes = (1, 2, 3, 4, 6) if partition is BOTH else (1,)
    return AskCell(partition_message(partition), by_size((k, response(epsilon, k)) for k in sizes), epsilon)


def pair(kind: str = "subset", partition: Partition = BOTH, epsilon: float = 1.0, levels: int = 3) -> AskPair:
    sizes = {id(BOTH): (2, 4, 6), id(PUBLIC): (1,), id(BINS): (3,)}[id(partition)]
    mechanisms = by_size((k, PairResponse(epsilon, k, levels, kind).mechanism) for k in sizes)
    centres = tuple(0.5 * leaf for leaf in range(partition.tree.n_leaves))
    return AskPair(partition_message(partition), centres, 1.5, mechanisms, epsilon)


def signed(partition: Partition = CROSSED, epsilon: float = 1.0, levels: int = 3) -> AskSigned:
    """Signs that alternate; in `CROSSED` the person of most vectors has -1."""
    mechanism = PairResponse(epsilon, 1, levels, "generalised").mechanism
    signs = tuple(1 - 2 * (cell % 2) for cell in range(partition.n_cells))
    return AskSigned(partition_message(partition), signs, 1.5, mechanism_message(mechanism), epsilon)


def class_(kind: str = "subset", partition: Partition = BOTH, epsilon: float = 1.0) -> AskClass:
    """Cell and class, or in `WHOLE` the class alone."""
    sizes = {id(BOTH): (2, 4, 6), id(PUBLIC): (1,), id(WHOLE): (1,)}[id(partition)]
    mechanisms = by_size((k, ClassResponse(epsilon, k, 3, kind).mechanism) for k in sizes)
    return AskClass(partition_message(partition), mechanisms, epsilon)


def bins(epsilon: float = 0.5) -> AskBins:
    return AskBins(tuple(mechanism_message(GeneralisedResponse(epsilon, k)) for k in (4, 2, 3, 5)), epsilon)


def histogram(epsilon: float = 4.0) -> AskHistogram:
    mass, noise = DiscreteLaplace(epsilon / 4, 32), DiscreteLaplace(epsilon / 2, 32)
    return AskHistogram(
        partition_message(SQUARES), 0.0, 1.0, mechanism_message(mass), mechanism_message(noise), epsilon
    )


def question(*asks: Ask, study: Study = PLAIN, wave: int = 1, centre: float = 0.0) -> Question:
    return Question(study.digest, wave, asks, centre)


def text(message: Any) -> str:
    """A message, or what JSON would hold of one, as text."""
    if isinstance(message, dict | list):
        return json.dumps(message, separators=(",", ":"))
    return encode(message).decode()


def plain(message: Any) -> Any:
    """A message as what JSON holds, to be spoilt."""
    return json.loads(encode(message))


def spoilt(message: Any, *path: Any, to: Any = ...) -> str:
    """The message's text with one entry replaced, or left out."""
    data = plain(message)
    at = data
    for step in path[:-1]:
        at = at[step]
    if to is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return text(data)


def arrays(study: Study, person: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """A label and a mask as a device has them."""
    return np.array([raw_label(study, person["label"])]), np.array([[name in person["hidden"] for name in study.names]])
