"""HistOfTree and AdHistOfTree over their grids, from shared work: one draw of labels per share, one tree per rule."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from experiments.honest import cell_score
from experiments.problem import Problem
from experiments.rows import Row
from semildp.budgets import Budget
from semildp.client import report_cells, report_labels
from semildp.curator import estimate, grow_partition, tally_reports
from semildp.domains import LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, IndicatorWeights
from semildp.partition import MAX_CELLS, Partition, Shape
from semildp.selection import MaskProfile, select_shape
from semildp.sources import SeededSource
from semildp.wire import CellReports, LabelReports, Study

DEPTHS = (1, 2, 4, 6)
BINS = (1, 2, 3)
LABEL_SHARES = (0.5, 0.7, 0.9)
BIAS_WEIGHTS = (0.01, 0.1, 1.0)
RULES = ("max-edge", "cart")
SHORT = {"max-edge": "ME", "cart": "CART"}


def grid_shapes(s: int) -> list[Shape]:
    """Return HistOfTree's grid for s histogram features (without any, bins make no difference), within the limit."""
    return [Shape(s, p, t) for p in DEPTHS for t in (BINS if s else (1,)) if t**s * 2**p <= MAX_CELLS]


def adaptive_shapes(mask: np.ndarray, epsilon: float, s: int | None = None) -> dict[Shape, float]:
    """Return AdHistOfTree's shapes and the bias weight of each: t* and its neighbours; the first weight wins a tie."""
    profile = MaskProfile(mask)
    shapes: dict[Shape, float] = {}
    for weight in BIAS_WEIGHTS:
        chosen = select_shape(profile, epsilon, bias_weight=weight, n_histogram_features=s)
        for t in (chosen.bins - 1, chosen.bins, chosen.bins + 1) if chosen.n_histogram_features else (1,):
            if t >= 1 and t**chosen.n_histogram_features * 2**chosen.depth <= MAX_CELLS:
                shapes.setdefault(Shape(chosen.n_histogram_features, chosen.depth, t), weight)
    return shapes


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
        budget = Budget(epsilon, share)
        study = Study(problem.bounds, LabelGrid.for_epsilon(*problem.label_bounds, budget.label), budget)
        labels = report_labels(study, problem.X, problem.y, problem.mask, problem.source(4, i))
        for rule in rules:
            j = RULES.index(rule)
            for s, group in by_s.items():
                deepest = Shape(s, max(shape.depth for shape in group), 1)
                grown = grow_partition(study, labels, deepest, rule, problem.source(5, i, j, s))
                trial = grow_partition(study, labels[problem.kept], deepest, rule, problem.source(5, i, j, s))
                for shape in group:
                    key = (i, j, s, shape.depth, shape.bins)
                    error = _error(problem, study, labels, _cut(grown, shape), problem.source(6, *key))
                    honest = math.nan
                    if with_honest:
                        honest = _honest(problem, study, labels, _cut(trial, shape), problem.source(7, *key))
                    results[rule, share, shape] = error, honest
    return results


def _cut(grown: Partition, shape: Shape) -> Partition:
    return Partition(grown.bounds, grown.histogram_features, shape.bins, grown.tree.pruned(shape.depth))


def _error(problem: Problem, study: Study, labels: LabelReports, partition: Partition, source: SeededSource) -> float:
    """Ask everybody for their cell, estimate, and compare with the fresh labels."""
    reports = report_cells(study, partition, problem.X, problem.mask, source)
    totals = tally_reports(partition, labels, reports)
    values = estimate(partition, totals, _weights(study), study.label_grid).values
    return problem.error(values[partition.cell(problem.X_test)])


def _honest(problem: Problem, study: Study, labels: LabelReports, partition: Partition, source: SeededSource) -> float:
    """A trial with the kept people, tree included, scored on the reports of the held-out people."""
    reports = report_cells(study, partition, problem.X, problem.mask, source)
    n_kept = problem.held_out.start
    first = int(np.searchsorted(reports.person, n_kept))
    totals = tally_reports(partition, labels[problem.kept], CellReports(reports.person[:first], reports.cell[:first]))
    values = estimate(partition, totals, _weights(study), study.label_grid).values
    held = CellReports(reports.person[first:] - n_kept, reports.cell[first:])
    centre = float(study.label_grid.decode(np.array([totals.label_sum / n_kept]))[0])
    return cell_score(values, partition, labels[problem.held_out], held, _weights(study), study.label_grid, centre)


def _weights(study: Study) -> IndicatorWeights:
    return CELL_MECHANISMS[study.cell_mechanism].weights(study.budget.cell)


def both_methods(problem: Problem, epsilon: float, s: int) -> list[Row]:
    """Return HistOfTree's grid points with s histogram features, and AdHistOfTree's, for both rules."""
    fixed, adaptive = grid_shapes(s), adaptive_shapes(problem.mask, epsilon)
    results = evaluate(problem, epsilon, dict.fromkeys([*fixed, *adaptive]))
    return [make_row("HistOfTree", *key, *score) for key, score in results.items() if key[2] in fixed] + [
        make_row("AdHistOfTree", *key, *score, adaptive[key[2]]) for key, score in results.items() if key[2] in adaptive
    ]


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
