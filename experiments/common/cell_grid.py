"""HistOfTree at many grid points from shared work: one draw of labels per share, one tree per rule."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.common.honest import cell_score
from experiments.common.problem import Problem
from experiments.common.pruning import pruned
from experiments.common.rows import Row
from semildp import Study
from semildp.budgets import Budget
from semildp.client import answer
from semildp.curator import Totals, estimate, grow_partition, tally_cells
from semildp.domains import LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, IndicatorWeights
from semildp.partition import MAX_CELLS, Partition, Shape
from semildp.protocols.asks import ask_cell, ask_label
from semildp.sources import SeededSource
from semildp.wire.columns import Marks
from semildp.wire.messages import Question

DEPTHS = (1, 2, 4, 6)
BINS = (1, 2, 3)
LABEL_SHARES = (0.5, 0.7, 0.9)
RULES = ("max-edge", "cart")
SHORT = {"max-edge": "ME", "cart": "CART"}
CELL_MECHANISM = "grr"  # that of the paper's experiments


def grid_shapes(s: int) -> list[Shape]:
    """Return HistOfTree's grid for s histogram features (without any, bins make no difference), within the limit."""
    return [Shape(s, p, t) for p in DEPTHS for t in (BINS if s else (1,)) if t**s * 2**p <= MAX_CELLS]


@dataclass(frozen=True, eq=False)
class Labels:
    """Everybody's label reports with one share of epsilon, and what is known of them."""

    problem: Problem
    study: Study
    budget: Budget
    sent: NDArray[np.int64]

    @classmethod
    def ask(cls, problem: Problem, epsilon: float, share: float, source: SeededSource) -> Labels:
        """Ask everybody for their label."""
        study, budget = problem.study(epsilon), Budget(epsilon, share)
        question = Question(study.digest, 1, (ask_label("laplace", *problem.label_bounds, budget.label),))
        return cls(problem, study, budget, answer(study, question, problem.people, source)[0].value)

    @property
    def grid(self) -> LabelGrid:
        """The grid that labels were rounded to."""
        return LabelGrid.for_epsilon(*self.problem.label_bounds, self.budget.label)

    @property
    def weights(self) -> IndicatorWeights:
        """The inverse of the cell reports' noise."""
        return CELL_MECHANISMS[CELL_MECHANISM].weights(self.budget.cell)

    def grow(self, people: slice, shape: Shape, rule: str, source: SeededSource) -> Partition:
        """Grow a partition from some people's reports."""
        return grow_partition(self.study, self.problem.enrolled[people], self.sent[people], shape, rule, source)

    def ask_cells(self, partition: Partition, source: SeededSource) -> Marks:
        """Ask everybody for their cell."""
        ask = ask_cell(partition, CELL_MECHANISM, self.budget.cell, self.problem.enrolled)
        return answer(self.study, Question(self.study.digest, 2, (ask,)), self.problem.people, source)[0]

    def totals(self, partition: Partition, cells: Marks, people: slice) -> Totals:
        """Add up both reports of some people."""
        return tally_cells(partition, self.problem.enrolled[people], self.sent[people], cells[people])


def evaluate(
    problem: Problem,
    epsilon: float,
    shapes: Iterable[Shape],
    rules: Iterable[str] = RULES,
    shares: Iterable[float] = LABEL_SHARES,
    *,
    with_honest: bool = True,
) -> dict[tuple[str, float, Shape], tuple[float, float]]:
    """Return (error, honest score) of every rule, share and shape.

    Every grid point's reports have the distribution they would have if it were run alone: grid points share the label
    reports of a share, and the tree, of which a shallower one is the top; cell reports are drawn anew for each.
    """
    by_s: dict[int, list[Shape]] = defaultdict(list)
    for shape in shapes:
        by_s[shape.n_histogram_features].append(shape)
    results = {}
    for i, share in enumerate(shares):
        labels = Labels.ask(problem, epsilon, share, problem.source(4, i))
        for rule in rules:
            j = RULES.index(rule)
            for s, group in by_s.items():
                deepest = Shape(s, max(shape.depth for shape in group), 1)
                grown = labels.grow(slice(None), deepest, rule, problem.source(5, i, j, s))
                trial = labels.grow(problem.kept, deepest, rule, problem.source(5, i, j, s)) if with_honest else None
                for shape in group:
                    key = (i, j, s, shape.depth, shape.bins)
                    error = _error(labels, _cut(grown, shape), problem.source(6, *key))
                    honest = math.nan if trial is None else _honest(labels, _cut(trial, shape), problem.source(7, *key))
                    results[rule, share, shape] = error, honest
    return results


def _cut(grown: Partition, shape: Shape) -> Partition:
    bins = (shape.bins,) * shape.n_histogram_features
    return Partition(grown.bounds, grown.histogram_features, bins, pruned(grown.tree, shape.depth))


def _error(labels: Labels, partition: Partition, source: SeededSource) -> float:
    """Ask everybody for their cell, estimate, and compare with the fresh labels."""
    totals = labels.totals(partition, labels.ask_cells(partition, source), slice(None))
    values = estimate(partition, totals, labels.weights, labels.grid).values
    return labels.problem.error(values[partition.cell(labels.problem.X_test)])


def _honest(labels: Labels, partition: Partition, source: SeededSource) -> float:
    """A trial with the kept people, tree included, scored on the reports of the held-out people."""
    kept, held, grid = labels.problem.kept, labels.problem.held_out, labels.grid
    cells = labels.ask_cells(partition, source)
    totals = labels.totals(partition, cells, kept)
    values = estimate(partition, totals, labels.weights, grid).values
    centre = float(grid.decode(np.array([totals.label_sum / kept.stop]))[0])
    noisy = grid.decode(labels.sent[held])
    return cell_score(values, partition, labels.problem.enrolled[held], noisy, cells[held], labels.weights, centre)


def make_row(
    method: str, rule: str, share: float, shape: Shape, error: float, honest: float, weight: float | None = None
) -> Row:
    """Write one result as a row."""
    return Row(
        f"{method} {SHORT[rule]}",
        error,
        honest,
        s=shape.n_histogram_features,
        depth=shape.depth,
        bins=shape.bins,
        label_share=share,
        bias_weight=weight,
    )
