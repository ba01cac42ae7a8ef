"""Every answer a device makes, person by person, from the words that were recorded and the question as it travels."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import numpy as np

from semildp import client
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
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question
from tests.flow.recorded import Recorded
from tests.reference import cells, labels, senders

N, EPSILON = 503, 1.5
STUDY = Study(
    name="literal",
    epsilon=16.0,
    label=Number(0, 1),
    features=(
        *(Feature(name, Number(0, 1)) for name in "abc"),
        Feature("kind", Category(("red", "green", "blue"))),
    ),
)
CLASSES = msgspec.structs.replace(STUDY, label=Classes(("no", "perhaps", "yes")))
BINS = (3, 1, 1, 3)  # per feature, where each is sent apart
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
PARTITION = Partition(STUDY.bounds, (0, 3), (3, 3), TREE)
CENTRES = (0.2, 0.4, 0.6, 0.8)


def crowd() -> tuple[Any, Any, Any]:
    """People at both ends and in between, of all masks; the last column is a category's code."""
    rng = np.random.default_rng(2)
    X, y = rng.uniform(size=(N, 4)), rng.uniform(size=N)
    X[::7], y[::5] = np.rint(X[::7]), np.rint(y[::5])
    X[:, 3] = rng.integers(0, 3, N)
    return X, y, rng.uniform(size=(N, 4)) < 0.5


def answered(ask: Any, people: client.People, heard: Recorded, **more: Any) -> Any:
    """Return the marks that people send in answer to one ask."""
    study = CLASSES if isinstance(ask, AskClass) else STUDY
    question = Question(study.digest, 1, (ask,), more.pop("centre", 0.0))
    (marks,) = client.answer(study, question, people, heard, **more)
    return marks


def in_pairs(marks: Any) -> list[tuple[int, int]]:
    """Return (person, number), in the order in which they are sent."""
    return list(zip(marks.person.tolist(), marks.value.tolist(), strict=True))


def label_ask(steps: int, width: int | None, epsilon: float = EPSILON) -> AskLabel:
    """Ask for the label: with Laplace noise where there is no width."""
    randomiser = DiscreteLaplace(epsilon, steps) if width is None else WindowResponse(epsilon, steps, width)
    return AskLabel(0.0, 1.0, "nearest" if width is None else "random", mechanism_message(randomiser), epsilon)


def cell_ask(kind: str) -> AskCell:
    """Ask for the cell."""
    response = GeneralisedResponse if kind == "generalised" else BinaryResponse
    sizes = range(1, PARTITION.n_cells + 1)
    return AskCell(partition_message(PARTITION), by_size((k, response(EPSILON, k)) for k in sizes), EPSILON)


def pair_ask(kind: str, partition: Partition = PARTITION, width: int | None = None) -> AskPair:
    """Ask for cell and residual; subsets of `width` where there is room for them, else of least noise."""
    levels, centres = 2 if kind == "paired" else 3, CENTRES[: partition.tree.n_leaves]
    sizes = range(1, partition.n_cells + 1)
    widths = [width if width is not None and width < k * levels else None for k in sizes]
    mechanisms = by_size(
        (k, PairResponse(EPSILON, k, levels, kind, w).mechanism) for k, w in zip(sizes, widths, strict=True)
    )
    return AskPair(partition_message(partition), centres, 0.4, mechanisms, EPSILON)


def signed_ask(partition: Partition, levels: int = 3) -> AskSigned:
    """Ask for the residual; it is turned round in two cells of three."""
    signs = tuple(1 if cell % 3 == 0 else -1 for cell in range(partition.n_cells))
    mechanism = mechanism_message(GeneralisedResponse(EPSILON, levels))
    return AskSigned(partition_message(partition), signs, 0.4, mechanism, EPSILON)


def bins_ask() -> AskBins:
    """Ask for the bin of every feature that is hidden."""
    return AskBins(tuple(mechanism_message(GeneralisedResponse(EPSILON, bins)) for bins in BINS), EPSILON)


def histogram_ask(steps: int) -> AskHistogram:
    """Ask for two vectors over all cells."""
    mass, label = (mechanism_message(DiscreteLaplace(EPSILON / parts, steps)) for parts in (4, 2))
    return AskHistogram(partition_message(PARTITION), 0.0, 1.0, mass, label, EPSILON)


def window_labels(y: Any, ask: AskLabel, heard: Recorded) -> list[int]:
    """The label, rounded at random, by a window response of the question's width."""
    steps, width = ask.mechanism.values - 1, ask.mechanism.width
    rounding, words = (call.tolist() for call in heard.calls)
    points = [senders.rounded(label, 0.0, 1.0, steps, u) for label, u in zip(y.tolist(), rounding, strict=True)]
    return [senders.window(v, ask.epsilon, steps, width, row) for v, row in zip(points, words, strict=True)]


def laplace_labels(y: Any, ask: AskLabel, heard: Recorded) -> list[int]:
    """The label, rounded to the nearest point, with Laplace noise."""
    steps = ask.mechanism.values - 1
    points = [labels.grid_point(label, 0.0, 1.0, steps) for label in y.tolist()]
    return senders.laplace(points, ask.epsilon, steps, iter(heard.flat()).__next__)


def candidate_cells(partition: Partition, X: Any, mask: Any) -> list[list[int]]:
    """Each person's candidate cells, in increasing order; what is private is not looked at."""
    person, cell = partition.candidates(np.where(mask, np.nan, X), mask).cells()
    return [cell[person == i].tolist() for i in range(len(X))]


def cell_marks(ask: AskCell, X: Any, mask: Any, heard: Recorded) -> list[tuple[int, int]]:
    """The cell, by generalised or binary response."""
    marks, flat = [], iter(heard.flat())
    own = PARTITION.cell(X).tolist()
    for i, (possible, truth) in enumerate(zip(candidate_cells(PARTITION, X, mask), own, strict=True)):
        place, k = possible.index(truth), len(possible)
        kind = ask.mechanisms[str(k)].kind
        words = list(itertools.islice(flat, 2 if kind == "generalised" else k))
        if kind == "generalised":
            marks.append((i, possible[senders.generalised(place, ask.epsilon, k, words)]))
        else:
            bits = senders.binary(place, ask.epsilon, k, words)
            marks += [(i, cell) for cell, bit in zip(possible, bits, strict=True) if bit]
    return marks


def pair_marks(ask: AskPair, partition: Partition, people: Any, centre: Any, heard: Recorded) -> list[tuple[int, int]]:
    """The marks (person, cell * levels + level), by person and in rising order."""
    rounding, *words = (call.tolist() for call in heard.calls)
    possible, own = candidate_cells(partition, people.rows, people.mask), partition.cell(people.rows).tolist()
    marks = []
    for k, rows in zip(sorted({len(each) for each in possible}), words, strict=True):
        message = ask.mechanisms[str(k)]
        levels = message.values // k
        here = [i for i, each in enumerate(possible) if len(each) == k]
        for i, row in zip(here, rows, strict=True):
            residual = float(people.labels[i] - (centre[i] + ask.centres[own[i] // partition.n_codes]))
            level = senders.rounded(residual, -ask.reach, ask.reach, levels - 1, rounding[i])
            value = possible[i].index(own[i]) * levels + level
            sent = senders.pair(message.kind, value, ask.epsilon, k, levels, message.width, row)
            marks += [(i, possible[i][v // levels] * levels + v % levels) for v in sent]
    return sorted(marks)


def class_ask(kind: str, partition: Partition = PARTITION, width: int | None = None) -> AskClass:
    """Ask for cell and class; subsets of `width` where there is room for them, else of least noise."""
    sizes = range(1, partition.n_cells + 1)
    widths = [width if width is not None and width < k * len(CLASSES.classes) else None for k in sizes]
    mechanisms = by_size(
        (k, ClassResponse(EPSILON, k, len(CLASSES.classes), kind, w).mechanism)
        for k, w in zip(sizes, widths, strict=True)
    )
    return AskClass(partition_message(partition), mechanisms, EPSILON)


def class_marks(ask: AskClass, partition: Partition, people: Any, heard: Recorded) -> list[tuple[int, int]]:
    """The marks (person, cell * classes + class), by person and in rising order; nothing is rounded."""
    words, n_classes = (call.tolist() for call in heard.calls), len(CLASSES.classes)
    possible, own = candidate_cells(partition, people.rows, people.mask), partition.cell(people.rows).tolist()
    marks = []
    for k, rows in zip(sorted({len(each) for each in possible}), words, strict=True):
        message = ask.mechanisms[str(k)]
        here = [i for i, each in enumerate(possible) if len(each) == k]
        for i, row in zip(here, rows, strict=True):
            value = possible[i].index(own[i]) * n_classes + int(people.labels[i])
            sent = senders.pair(message.kind, value, ask.epsilon, k, n_classes, message.width, row)
            marks += [(i, possible[i][v // n_classes] * n_classes + v % n_classes) for v in sent]
    return sorted(marks)


def signed_levels(ask: AskSigned, people: Any, centre: Any, heard: Recorded) -> list[int]:
    """The level of sign * (label - centre) of each person, by generalised response; a category's bin is its value."""
    rounding, words = (call.tolist() for call in heard.calls)
    levels, sent = ask.mechanism.values, []
    for i, row in enumerate(people.rows.tolist()):
        cell = 0
        for j, bins in zip(ask.partition.features, ask.partition.bins, strict=True):
            cell = cell * bins + (int(row[j]) if j == 3 else cells.bin_of(row[j], bins))
        residual = float(people.labels[i] - centre[i])
        turned = residual if cell % 3 == 0 else -residual
        level = senders.rounded(turned, -ask.reach, ask.reach, levels - 1, rounding[i])
        sent.append(senders.generalised(level, ask.epsilon, levels, words[i]))
    return sent


def bin_marks(ask: AskBins, X: Any, mask: Any, heard: Recorded) -> list[tuple[int, int]]:
    """The bin of each hidden feature, a category's being its value."""
    flat, marks = iter(heard.flat()), []
    for i, row in enumerate(X.tolist()):
        for j in np.flatnonzero(mask[i]).tolist():
            bins, words = ask.mechanisms[j].values, [next(flat), next(flat)]
            own = int(row[j]) if j == 3 else cells.bin_of(row[j], bins)
            marks.append((i, senders.generalised(own, ask.epsilon, bins, words)))
    assert next(flat, None) is None
    return marks


def histogram_numbers(ask: AskHistogram, X: Any, y: Any, heard: Recorded) -> list[int]:
    """Indicators and labels of every cell, with noise of their own."""
    steps, n_cells, next_word = ask.label.values - 1, PARTITION.n_cells, iter(heard.flat()).__next__
    own = PARTITION.cell(X).tolist()
    masses = [steps * (j == cell) for cell in own for j in range(n_cells)]
    points = [labels.grid_point(label, 0.0, 1.0, steps) for label in y.tolist()]
    held = [p if j == cell else steps // 2 for cell, p in zip(own, points, strict=True) for j in range(n_cells)]
    mass = senders.laplace(masses, ask.epsilon / 4, steps, next_word)
    label = [value - steps // 2 for value in senders.laplace(held, ask.epsilon / 2, steps, next_word)]
    rows = range(0, len(own) * n_cells, n_cells)
    return [number for i in rows for part in (mass, label) for number in part[i : i + n_cells]]
