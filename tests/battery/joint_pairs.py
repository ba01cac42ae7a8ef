"""Cell and residual in one report, after a label report or instead of it, enumerated exactly in the small worlds."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from semildp.client import enrol, ready
from semildp.curator.joint import JointTerms, leaf_centres
from semildp.domains import FeatureBounds
from semildp.mechanisms import PairResponse, WindowResponse
from semildp.partition import Partition, Tree
from semildp.study import Feature, Number, Study
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.messages import Question
from tests.battery.joint import EPSILON, GRID, LABELS, Bools, Floats, World, build_world
from tests.battery.pairs import law_at
from tests.battery.travels import law_of, log_up, worst_ratio
from tests.witness import largest

Chances = dict[Hashable, float]

# A crowd of all masks; feature 0 has bins, 1 and 2 are in the tree.
CROWD = Study(
    name="crowd",
    epsilon=64.0,
    label=Number(-4, 4),
    features=tuple(Feature(name, Number(0, 1)) for name in "abc"),
)
BOUNDS: FeatureBounds = CROWD.bounds
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
PARTITION = Partition(BOUNDS, (0,), (2,), TREE)
CENTRES = np.array([-0.2, 0.0, 0.1, 0.3])
MASKS = ((False, False, False), (True, False, False), (True, False, True), (True, True, True))  # 1, 2, 4, 8 candidates
ROWS = np.array(list(itertools.product((0.2, 0.8), repeat=3)))
KINDS = ((1.0, 0.35), (2.0, 0.1), (0.5, 0.35), (4.0, 0.2))  # epsilon and spread: codes of all kinds, which is tested


def pair_world(setting: str, epsilons: tuple[float, float] | None = None) -> World:
    """Return a small world for joint reports: smaller where a category would make them too many to enumerate."""
    small = setting in ("personalised, category", "hidden, category")
    world = build_world(setting, label="window", epsilons=epsilons, n_values=2 if small else 3)
    return replace(world, depth=1 if small else 2)


def terms_at(world: World, z: int, epsilon: float, spread: float = 0.35) -> JointTerms:
    """Return what the curator asks when this person's label report is z; partition and centres may depend on it."""
    partition = world.partition(z)
    noisy = GRID.decode(WindowResponse(EPSILON, GRID.steps).estimate(np.append(world.noisy, z)))
    centres = np.clip(leaf_centres(partition, world.enrolled(), noisy, 0.01), GRID.low, GRID.high)
    return JointTerms(partition, centres, 0.4, spread, epsilon)


def question_at(world: World, z: int, epsilon: float, spread: float = 0.35) -> Question:
    """Return the same as a question."""
    return Question(world.study.digest, 2, (terms_at(world, z, epsilon, spread).ask(world.enrolled()),))


def possible_cells(partition: Partition, rows: Floats) -> list[int]:
    """Return the cells that any private values lead to: candidates by their definition."""
    return sorted(set(partition.cell(rows).tolist()))


def joint_law(terms: JointTerms, cells: list[int], x: Floats, y: float) -> Chances:
    """Return how likely each set of (cell, level) is sent by someone with these values, by the definitions."""
    code, position, residual = _sent(terms, cells, x, y)
    law = law_at(code, position, residual, terms.reach)
    return {tuple((cells[v // code.levels], v % code.levels) for v in marks): chance for marks, chance in law.items()}


def _sent(terms: JointTerms, cells: list[int], x: Floats, y: float) -> tuple[PairResponse, int, float]:
    cell = int(terms.partition.cell(x[None])[0])
    residual = y - float(terms.centres[cell // terms.partition.n_codes])
    return terms.response(len(cells)), cells.index(cell), residual


def worst_visit(world: World, spread: float, *, both: bool) -> float:
    """Return the worst log ratio over all inputs and all that is sent; without `both`, no label is sent before."""
    worst = Fraction(1)
    labels = world.label_laws() if both else {y: {0: Fraction(1)} for y in LABELS}
    for z in sorted(set().union(*labels.values())):
        question = question_at(world, z, world.epsilons[1], spread)
        laws = []
        for row, mask in _ends(world):
            for y in (LABELS[0], LABELS[2], LABELS[-1]):
                law = law_of(world.study, question, row, y, mask)
                before = labels[y][z]
                laws.append(law if before == 1 else {report: before * chance for report, chance in law.items()})
        here = worst_ratio(laws)
        if here is None:
            return float("inf")
        worst = max(worst, here)
    return log_up(worst)


def _ends(world: World) -> list[tuple[Floats, Bools]]:
    """Return the private inputs that differ most: the first and last rows of each mask, and two between them."""
    inputs = list(zip(world.rows, world.masks, strict=True))
    return inputs if len(inputs) <= 4 else [inputs[i] for i in np.linspace(0, len(inputs) - 1, 4).astype(int)]


def crowd_question(epsilon: float = 1.0, spread: float = 0.35) -> JointTerms:
    """Return what the crowd is asked."""
    return JointTerms(PARTITION, CENTRES, 0.9, spread, epsilon)


def crowd(n: int, seed: int = 0) -> tuple[Floats, Floats, Bools]:
    """Return people of all masks, mixed: rows, labels, masks."""
    rng = np.random.default_rng(seed)
    return ROWS[rng.integers(0, 8, n)], rng.normal(size=n), np.array(MASKS)[rng.integers(0, 4, n)]


def crowd_enrolled(X: Floats, mask: Bools) -> Enrolled:
    """Return what a crowd makes public."""
    return enrol(ready(CROWD, X, np.zeros(len(X)), mask, largest()))


def candidates(row: Floats, mask: Sequence[bool]) -> list[int]:
    """Return a person's cells by the definition: those of all who agree where it is public."""
    return possible_cells(PARTITION, ROWS[[bool((other == row)[~np.array(mask)].all()) for other in ROWS]])


def sent_by(terms: JointTerms, enrolled: Enrolled, marks: Marks) -> list[list[tuple[int, int]]]:
    """Return what each person marked, as (cell, level)."""
    sizes = terms.partition.count(enrolled.public, enrolled.mask).tolist()
    levels = {size: terms.response(size).levels for size in set(sizes)}
    return [[divmod(value, levels[size]) for value in marks.of(i)] for i, size in enumerate(sizes)]
