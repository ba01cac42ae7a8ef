"""Everything one person sends in both waves, and how likely it is, enumerated exactly in a small world.

The partition a person answers about in wave 2 depends on what they sent in wave 1, so the waves cannot be judged apart.
Public features are fixed, private ones and the label run over a grid, the curator's own code grows the partition, and
the device's own code answers, to the bytes (`battery.travels`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from semildp.budgets import Budget
from semildp.client import People, enrol, ready
from semildp.curator import grow_partition
from semildp.domains import LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, DiscreteLaplace
from semildp.partition import Partition, Shape
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import decode, encode
from semildp.wire.columns import Enrolled
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import AskCell, AskLabel, Enrolment, Question, Report
from semildp.wire.people import read_enrolment, stack, write_enrolment
from tests.battery.realised import two_sided_law
from tests.battery.travels import Law, law_of, log_up, worst_ratio

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Tamper = Callable[[People, Bools], People]  # of people and their own masks, which honest devices may have to forget

EPSILON = 1.0
SHARE = 0.4  # of the label
NUMBERS = (0.1, 0.4, 0.6, 0.95)  # of a private feature: both bins, both halves
CODES = (0.0, 1.0, 2.0)
PUBLIC = 0.7
SEED = 0  # of the others; a world in which one label report can tip the partition, which is tested
N_OTHERS = 30
SETTINGS = tuple(f"{m}{of}" for m in ("aligned", "personalised", "hidden") for of in ("", ", category"))
GRID = LabelGrid(-1.0, 1.0, 4)
LABELS = (-1.0, -0.85, -0.3, 0.0, 0.4, 1.0)  # on the grid and between its points
FAR = 40  # beyond the grid, to which Laplace reports are followed
_grown: dict[tuple[object, ...], Partition] = {}


@dataclass(frozen=True)
class World:
    """One person and a few others, whose label reports are in. `rows` and `masks` must not be told apart.

    `label` and `mechanism` name the mechanisms of label and cell; `epsilons` is what the two waves spend, `depth` that
    of the tree.
    """

    study: Study
    others: Enrolled
    noisy: Ints
    rows: Floats
    masks: Bools
    splitter: str
    label: str
    mechanism: str
    epsilons: tuple[float, float]
    depth: int = 2

    def enrolment(self, which: int, label: float = 0.0) -> bytes:
        """Return what the person's device makes public under one of the private inputs."""
        one = slice(which, which + 1)
        people = ready(self.study, self.rows[one], np.array([label]), self.masks[one], SeededSource(which))
        return encode(write_enrolment(self.study, enrol(people), 0))

    def enrolled(self) -> Enrolled:
        """Return what is public of everybody; of the person it is the same for all inputs, which is tested."""
        return self._enrolled

    @cached_property
    def _enrolled(self) -> Enrolled:
        mine = read_enrolment(self.study, decode(self.enrolment(0), Enrolment))
        return stack([self.others, mine])

    def ask_label(self) -> Question:
        """Return the question of wave 1."""
        mechanism = LABEL_MECHANISMS[self.label](self.epsilons[0], GRID.steps)
        rounding = "random" if self.label == "window" else "nearest"
        ask = AskLabel(GRID.low, GRID.high, rounding, mechanism_message(mechanism), self.epsilons[0])
        return Question(self.study.digest, 1, (ask,))

    def partition(self, z: int) -> Partition:
        """Return what the curator publishes when the person's noisy label is z; the same is grown once."""
        enrolled = self.enrolled()
        world = self.study.digest, enrolled.public.tobytes(), enrolled.mask.tobytes(), self.noisy.tobytes()
        key = (*world, self.depth, self.splitter, z)
        if key not in _grown:
            labels, shape = np.append(self.noisy, z), Shape(1, self.depth, 2)
            _grown[key] = grow_partition(self.study, enrolled, labels, shape, self.splitter, SeededSource(1))
        return _grown[key]

    def ask_cell(self, partition: Partition) -> Question:
        """Return the question of wave 2, with a mechanism for every number of candidates there could be."""
        build, epsilon = CELL_MECHANISMS[self.mechanism], self.epsilons[1]
        mechanisms = by_size((size, build(epsilon, size)) for size in range(1, partition.n_cells + 1))
        return Question(self.study.digest, 2, (AskCell(partition_message(partition), mechanisms, epsilon),))

    def label_laws(self) -> dict[float, dict[int, Fraction]]:
        """Return how likely each noisy label is sent, by true label."""
        question = self.ask_label()
        if self.label == "window":
            row, mask = self.rows[0], self.masks[0]
            laws = {y: law_of(self.study, question, row, y, mask) for y in LABELS}
            return {y: {decode(raw, Report).answers[0][0]: p for raw, p in law.items()} for y, law in laws.items()}
        noise = two_sided_law(DiscreteLaplace(self.epsilons[0], GRID.steps)._sampler, FAR + GRID.steps)
        reports = range(-FAR, GRID.steps + FAR + 1)
        return {float(GRID.decode(np.array([v]))[0]): {z: noise[z - v] for z in reports} for v in range(GRID.steps + 1)}

    def cell_laws(self, question: Question, tamper: Tamper | None = None) -> list[Law]:
        """Return how likely each cell report's bytes are, by private input; the label plays no part."""
        return [
            law_of(self.study, question, row, 0.0, mask, tamper=tamper and (lambda p, own=mask: tamper(p, own[None])))
            for row, mask in zip(self.rows, self.masks, strict=True)
        ]


def build_world(
    setting: str,
    mechanism: str = "grr",
    splitter: str = "max-edge",
    label: str = "laplace",
    epsilons: tuple[float, float] | None = None,
    n_values: int = 3,
) -> World:
    """Build a setting: all hide feature 0; some hide more, this person feature 2; or all is hidden, masks included.

    Feature 0 is a number, or a category of `n_values` values.
    """
    masks_are, _, kind = setting.partition(", ")
    first = Category(("red", "green", "blue")[:n_values]) if kind == "category" else Number(0, 1)
    study = Study(
        name="small world",
        epsilon=EPSILON,
        label=Number(GRID.low, GRID.high),
        features=(Feature("a", first), Feature("b", Number(0, 1)), Feature("c", Number(0, 1))),
        participation="both",
        hide_mask=masks_are == "hidden",
    )
    rng = np.random.default_rng(SEED)
    masks = np.zeros((N_OTHERS, 3), dtype=bool)
    masks[:, 0] = True
    if masks_are == "personalised":
        masks[::5, 2] = masks[1::7, 1] = True
    # The others' reports are whatever they are: labels of little spread, so that this person's can tip a split.
    rows = rng.random((N_OTHERS, 3))
    others = enrol(ready(study, rows, np.zeros(N_OTHERS), masks, SeededSource(5)))
    budget = Budget(EPSILON, SHARE)
    spent = (budget.label, budget.cell) if epsilons is None else epsilons
    values = CODES[:n_values] if kind == "category" else NUMBERS
    noisy = rng.integers(0, 5, N_OTHERS)
    return World(study, others, noisy, *_inputs(masks_are, values), splitter, label, mechanism, spent)


def _inputs(masks_are: str, first: tuple[float, ...]) -> tuple[Floats, Bools]:
    if masks_are == "hidden":
        own = ((True, False, False), (False, True, True))
        some = (first[0], first[-1]) if first[0] == CODES[0] else first[1:3]
        pairs = [(row, mask) for row in itertools.product(some, NUMBERS[1:3], NUMBERS[1:3]) for mask in own]
    else:
        mask = (True, False, masks_are == "personalised")
        values = (first, NUMBERS, NUMBERS)
        each = [v if hidden else (PUBLIC,) for v, hidden in zip(values, mask, strict=True)]
        pairs = [(row, mask) for row in itertools.product(*each)]
    return np.array([row for row, _ in pairs]), np.array([mask for _, mask in pairs])


def worst_joint_ratio(world: World, tamper: Tamper | None = None) -> tuple[float, int]:
    """Return the worst log ratio over all inputs and all that can be sent, and the number of partitions met.

    Labels and private features are changed together: of a pair of reports (z, bytes), the likeliest input is the
    likeliest label for z with the likeliest features for the bytes. `tamper` stands for a broken device.
    """
    laws, worst, met = world.label_laws(), Fraction(1), dict[bytes, Fraction | None]()
    for z in sorted(set().union(*laws.values())):
        partition = world.partition(z)
        text = encode(partition_message(partition))
        if text not in met:
            met[text] = worst_ratio(world.cell_laws(world.ask_cell(partition), tamper))
        cells, labels = met[text], [law.get(z, Fraction(0)) for law in laws.values()]
        if cells is None or min(labels) == 0:
            return float("inf"), len(met)
        worst = max(worst, max(labels) / min(labels) * cells)
    return log_up(worst), len(met)
