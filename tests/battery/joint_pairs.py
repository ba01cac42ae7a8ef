"""Cell and residual in one report, after a label report or instead of it, enumerated exactly in the small worlds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence

import numpy as np

from semildp.audit.person import BOUNDS, TREE
from semildp.curator import leaf_centres
from semildp.mechanisms import PairCode, WindowResponse
from semildp.partition import Partition
from semildp.wire import JointQuestion, JointReports
from tests.battery.joint import EPSILON, Bools, Floats, World
from tests.battery.pairs import law_at, row_at

LABELS = (-1.0, -0.85, -0.3, 0.0, 0.4, 1.0)
Chances = dict[Hashable, float]

PARTITION = Partition(BOUNDS, (0,), 2, TREE)  # of the crowd; feature 0 has bins, 1 and 2 are in the tree
CENTRES = np.array([-0.2, 0.0, 0.1, 0.3])
MASKS = ((False, False, False), (True, False, False), (True, False, True), (True, True, True))  # 1, 2, 4, 8 candidates
ROWS = np.array(list(itertools.product((0.2, 0.8), repeat=3)))
KINDS = ((1.0, 0.35), (2.0, 0.1), (0.5, 0.35), (4.0, 0.2))  # epsilon and spread: codes of all kinds, which is tested


def ask(world: World, z: int, epsilon: float, spread: float = 0.35) -> JointQuestion:
    """Return what the curator asks when this person's label report is z; partition and centres may depend on it."""
    grid, reports = world.study.label_grid, world.reports(z)
    partition = world.partition(z)
    noisy = grid.decode(WindowResponse(EPSILON, grid.steps).estimate(reports.labels))
    centres = np.clip(leaf_centres(partition, reports, noisy, 0.01), grid.low, grid.high)
    return JointQuestion(partition, centres, 0.4, spread, epsilon)


def possible_cells(partition: Partition, rows: Floats) -> list[int]:
    """Return the cells that any private values lead to: candidates by their definition."""
    return sorted(set(partition.cell(rows).tolist()))


def joint_law(question: JointQuestion, cells: list[int], x: Floats, y: float) -> Chances:
    """Return how likely each set of (cell, level) is sent by someone with these values."""
    code, position, residual = _sent(question, cells, x, y)
    law = law_at(code, position, residual, question.reach)
    return {tuple((cells[v // code.levels], v % code.levels) for v in marks): chance for marks, chance in law.items()}


def _sent(question: JointQuestion, cells: list[int], x: Floats, y: float) -> tuple[PairCode, int, float]:
    cell = int(question.partition.cell(x[None])[0])
    residual = y - float(question.centres[cell // question.partition.n_codes])
    return question.code(len(cells)), cells.index(cell), residual


def label_law(world: World, epsilon: float, y: float) -> list[float]:
    """Return how likely each label report is, rounding at random included."""
    grid = world.study.label_grid
    mechanism = WindowResponse(epsilon, grid.steps)
    place = (y - grid.low) / grid.step
    low = min(math.floor(place), grid.steps - 1)
    outputs = mechanism.output_domain

    def given(point: int) -> Floats:
        return np.exp(mechanism.log_probability(outputs, np.full(len(outputs), point)))

    return ((1 - place + low) * given(low) + (place - low) * given(low + 1)).tolist()


def worst_visit(world: World, label_epsilon: float | None, cell_epsilon: float, spread: float) -> float:
    """Return the worst log ratio over all inputs and all that is sent; no label is sent if its epsilon is None."""
    worst, rows = 0.0, np.unique(world.rows, axis=0)
    first = {y: [1.0] if label_epsilon is None else label_law(world, label_epsilon, y) for y in LABELS}
    for z in range(len(first[0.0])):
        question = ask(world, z, cell_epsilon, spread)
        cells = possible_cells(question.partition, rows)
        low, high = np.inf, 0.0
        for x in rows:
            for y in LABELS:
                code, position, residual = _sent(question, cells, x, y)
                chances = first[y][z] * row_at(code, position, residual, question.reach)
                low, high = np.minimum(low, chances), np.maximum(high, chances)
        worst = max(worst, float(np.log(high / low).max()))
    return worst


def crowd_question(epsilon: float = 1.0, spread: float = 0.35) -> JointQuestion:
    """Return what the crowd is asked."""
    return JointQuestion(PARTITION, CENTRES, 0.9, spread, epsilon)


def crowd(n: int, seed: int = 0) -> tuple[Floats, Floats, Bools]:
    """Return people of all masks, mixed: rows, labels, masks."""
    rng = np.random.default_rng(seed)
    return ROWS[rng.integers(0, 8, n)], rng.normal(size=n), np.array(MASKS)[rng.integers(0, 4, n)]


def candidates(row: Floats, mask: Sequence[bool]) -> list[int]:
    """Return a person's cells by the definition: those of all who agree where it is public."""
    return possible_cells(PARTITION, ROWS[[bool((other == row)[~np.array(mask)].all()) for other in ROWS]])


def sent_by(reports: JointReports, n: int) -> list[list[tuple[int, int]]]:
    """Return what each of n people marked."""
    marked: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for i, cell, level in zip(reports.person.tolist(), reports.cell.tolist(), reports.level.tolist(), strict=True):
        marked[i].append((cell, level))
    return marked
