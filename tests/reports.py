"""Every report a device makes, for people who differ in what is private only: shared by several tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from semildp import client
from semildp.curator.joint import JointTerms
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import ClassResponse, DiscreteLaplace, GeneralisedResponse, PairResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_cell, ask_label
from semildp.sources import SeededSource
from semildp.study import Category, Classes, Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.columns import Enrolled
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import Ask, AskBins, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question

EPSILON = 1.5

# A box of three numbers and a partition of it, for tests that need no study.
BOUNDS = FeatureBounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
PARTITION = Partition(
    BOUNDS, (0,), 3, Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
)
CENTRES = np.array([0.2, 0.4, 0.6, 0.8])

STUDY = Study(
    name="reports",
    epsilon=EPSILON,
    label=Number(0, 1),
    features=(
        Feature("a", Number(0, 1)),
        Feature("b", Number(0, 1)),
        Feature("c", Number(0, 1)),
        Feature("kind", Category(("red", "green", "blue"))),  # private but for the last person
        Feature("group", Category(("one", "other"))),  # public
    ),
)
HIDDEN = msgspec.structs.replace(STUDY, hide_mask=True)
CLASSES = msgspec.structs.replace(STUDY, label=Classes(("no", "yes")))  # 0 and 1; all else is missing
TREE = Tree((1, 2, 4, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
CELLS = Partition(STUDY.bounds, (0, 3), (2, 3), TREE)
MASK = np.array(
    [[True, False, True, True, False]] * 3
    + [[True, False, False, True, False]] * 2
    + [[False] * 5]  # the last: nothing
)
PUBLIC = np.array([[0.7, 0.2], [0.1, 0.9], [0.6, 0.6], [0.3, 0.8], [0.9, 0.1], [0.5, 0.5]])
GROUP = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
N = len(MASK)


@dataclass(frozen=True)
class Private:
    """What is private: values of the hidden entries, numbers and category (as its code), and the labels."""

    hidden: float
    label: float
    kind: float = 1.0

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return features and labels of six people."""
        X = np.column_stack([np.full(N, 0.5), PUBLIC, np.full(N, 1.0), GROUP])
        secret = np.where(np.arange(5) == 3, self.kind, self.hidden)
        return np.where(MASK, secret, X), np.full(N, self.label)


# At both ends, in the middle, on a bin's edge, off the grid by a little, out of bounds; NaN is missing.
PRIVATES = [
    Private(0.0, 0.0, 0.0),
    Private(1.0, 1.0, 2.0),
    Private(1 / 3, 0.5),
    Private(0.5, 0.123456789, 2.0),
    Private(0.123456789, 1.0),
    Private(7.0, -3.0, 9.0),
    Private(0.8, float("nan")),
    Private(0.2, float("-inf"), -4.0),
    Private(float("nan"), 0.7),
    Private(0.4, 0.7, float("nan")),
]
Report = Callable[[Private, Any], Any]


def people(person: Private, source: Any, study: Study = STUDY) -> client.People:
    """Return the six people, ready to answer."""
    X, y = person.rows()
    return client.ready(study, X, y, MASK, source)


def enrolled(study: Study = STUDY) -> Enrolled:
    """Return what the six have made public."""
    return client.enrol(people(PRIVATES[2], SeededSource(0), study))


def _pair(kind: str, feature: int, bins: int) -> AskPair:
    """Ask for the bin of one feature, or a category's value, and the residual; the last person hides neither."""
    levels = 2 if kind == "paired" else 3
    mechanisms = by_size((size, PairResponse(EPSILON, size, levels, kind).mechanism) for size in (1, bins))
    return AskPair(
        partition_message(Partition(STUDY.bounds, (feature,), (bins,), Tree())), (0.5,), 0.5, mechanisms, EPSILON
    )


def _signed(features: tuple[int, ...], bins: tuple[int, ...]) -> AskSigned:
    """Ask for the residual, turned round in every second cell."""
    partition = Partition(STUDY.bounds, features, bins, Tree())
    signs = tuple(1 - 2 * (cell % 2) for cell in range(partition.n_cells))
    mechanism = mechanism_message(GeneralisedResponse(EPSILON, 3))
    return AskSigned(partition_message(partition), signs, 0.5, mechanism, EPSILON)


def _class(kind: str, partition: Partition = CELLS) -> AskClass:
    """Ask for the cell, or nothing, and the class."""
    mechanisms = by_size((k, ClassResponse(EPSILON, k, 2, kind).mechanism) for k in range(1, partition.n_cells + 1))
    return AskClass(partition_message(partition), mechanisms, EPSILON)


def _label_and_bins() -> tuple[Ask, ...]:
    part, grid = EPSILON / 8, LabelGrid(0.0, 1.0, 64)
    responses = tuple(mechanism_message(GeneralisedResponse(part, n or 3)) for n in STUDY.n_values)
    label = AskLabel(0.0, 1.0, "nearest", mechanism_message(DiscreteLaplace(part, grid.steps)), part)
    return label, AskBins(responses, part)


def _histogram() -> AskHistogram:
    mass, label = (mechanism_message(DiscreteLaplace(EPSILON / parts, 64)) for parts in (4, 2))
    return AskHistogram(partition_message(CELLS), 0.0, 1.0, mass, label, EPSILON)


def _questions() -> dict[str, tuple[Study, Question]]:
    def joint(study: Study) -> AskPair:
        return JointTerms(CELLS, CENTRES, 0.5, 0.2, EPSILON).ask(enrolled(study))

    asks: dict[str, tuple[Study, tuple[Ask, ...]]] = {
        "label, laplace": (STUDY, (ask_label("laplace", 0.0, 1.0, EPSILON),)),
        "label, window": (STUDY, (ask_label("window", 0.0, 1.0, EPSILON),)),
        "label, window, hidden masks": (HIDDEN, (ask_label("window", 0.0, 1.0, EPSILON),)),
        "cell, grr": (STUDY, (ask_cell(CELLS, "grr", EPSILON, enrolled()),)),
        "cell, rr": (STUDY, (ask_cell(CELLS, "rr", EPSILON, enrolled()),)),
        "cell, grr, hidden masks": (HIDDEN, (ask_cell(CELLS, "grr", EPSILON, enrolled(HIDDEN)),)),
        "cell, rr, hidden masks": (HIDDEN, (ask_cell(CELLS, "rr", EPSILON, enrolled(HIDDEN)),)),
        **{f"pair, {kind}": (STUDY, (_pair(kind, 0, 4),)) for kind in ("generalised", "subset", "paired")},
        **{f"pair, {kind}, category": (STUDY, (_pair(kind, 3, 3),)) for kind in ("generalised", "subset", "paired")},
        "signed": (STUDY, (_signed((0,), (4,)),)),
        "signed, two features": (STUDY, (_signed((2, 3), (4, 3)),)),
        "signed, hidden masks": (HIDDEN, (_signed((2, 3), (4, 3)),)),
        "joint": (STUDY, (joint(STUDY),)),
        "joint, hidden masks": (HIDDEN, (joint(HIDDEN),)),
        "class, generalised": (CLASSES, (_class("generalised"),)),
        "class, subset": (CLASSES, (_class("subset"),)),
        "class alone": (CLASSES, (_class("generalised", Partition(STUDY.bounds, (), (), Tree())),)),
        "features, laplace": (STUDY, _label_and_bins()),
        "histogram, laplace": (HIDDEN, (_histogram(),)),
    }
    return {name: (study, Question(study.digest, 1, each)) for name, (study, each) in asks.items()}


QUESTIONS = _questions()


def _answered(name: str) -> Report:
    study, question = QUESTIONS[name]
    return lambda person, source: client.answer(study, question, people(person, source, study), source)


def _by_device(name: str) -> Report:
    """Let a device of their own answer for each of the six, in bytes."""
    study, question = QUESTIONS[name]
    raw = encode(question)

    def report(person: Private, source: Any) -> list[bytes]:
        X, y = person.rows()
        sent = []
        for row, label, mask in zip(X, y, MASK, strict=True):
            hidden = [feature for feature, private in zip(study.names, mask, strict=True) if private]
            if study is CLASSES:
                label = {0.0: "no", 1.0: "yes"}.get(label, "never")
            device = client.Device(study, _values(row), label, hidden, client.Ledger(EPSILON), source)
            sent += [device.enrol(), device.answer(raw)]
        return sent

    return report


def _values(row: np.ndarray) -> list[Any]:
    """Return a row as a person gives it: a category by its value, one that is unheard of as a word of its own."""
    values: list[Any] = row.tolist()
    for j, names in ((3, ("red", "green", "blue")), (4, ("one", "other"))):
        values[j] = dict(enumerate(names)).get(values[j], "unheard of")
    return values


def _rows(person: Private, source: Any) -> np.ndarray:
    return client.complete_rows(STUDY.bounds, person.rows()[0], MASK, source, clip=True)


def _labels(person: Private, source: Any) -> np.ndarray:
    return client.check_labels(LabelGrid(0.0, 1.0, 64), person.rows()[1], source, clip=True)


# name: (the client function it goes through, the report); Laplace noise draws until it stops, so no constant words.
REPORTS: dict[str, tuple[str, Report]] = {
    "rows made complete": ("complete_rows", _rows),
    "labels made complete": ("check_labels", _labels),
    "people made ready": ("ready", lambda person, source: people(person, source).rows),
    "enrolment": ("enrol", lambda person, source: client.enrol(people(person, source))),
    **{name: ("answer", _answered(name)) for name in QUESTIONS},
    **{
        f"device: {name}": ("Device", _by_device(name))
        for name in ("label, laplace", "cell, rr", "signed", "class, subset", "joint")
    },
}
EXEMPT = {"Ledger", "People", "QuestionId", "Sent", "acting_mask"}  # no randomness of their own
