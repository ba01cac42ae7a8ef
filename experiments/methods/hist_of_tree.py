"""HistOfTree and AdHistOfTree, the paper's methods, over their grids."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.common.cell_grid import LABEL_SHARES, evaluate, grid_shapes, make_row
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.simulation import N_FEATURES
from experiments.common.task import Task
from semildp.masks import Mask, default_private_count
from semildp.partition import MAX_CELLS, Shape
from semildp.selection import MaskProfile, select_shape

BIAS_WEIGHTS = (0.01, 0.1, 1.0)
PARAMETER_DEPTHS = tuple(range(9))
PARAMETER_BINS = (1, 2, 3, 4)


def adaptive_shapes(mask: Mask, epsilon: float, s: int | None = None) -> dict[Shape, float]:
    """Return AdHistOfTree's shapes and the bias weight of each: t* and its neighbours; the first weight wins a tie."""
    profile = MaskProfile(mask)
    shapes: dict[Shape, float] = {}
    for weight in BIAS_WEIGHTS:
        chosen = select_shape(profile, epsilon, bias_weight=weight, n_histogram_features=s)
        for t in (chosen.bins - 1, chosen.bins, chosen.bins + 1) if chosen.n_histogram_features else (1,):
            if t >= 1 and t**chosen.n_histogram_features * 2**chosen.depth <= MAX_CELLS:
                shapes.setdefault(Shape(chosen.n_histogram_features, chosen.depth, t), weight)
    return shapes


@method("hist-of-tree", "table")
def both_methods(problem: Problem, task: Task) -> list[Row]:
    """HistOfTree with the default number of histogram features, and AdHistOfTree, for both rules."""
    fixed = grid_shapes(default_private_count(problem.X.shape[1]))
    adaptive = adaptive_shapes(problem.mask, task.epsilon)
    results = evaluate(problem, task.epsilon, dict.fromkeys([*fixed, *adaptive]))
    return [make_row("HistOfTree", *key, *score) for key, score in results.items() if key[2] in fixed] + [
        make_row("AdHistOfTree", *key, *score, adaptive[key[2]]) for key, score in results.items() if key[2] in adaptive
    ]


def _some_private(task: Task) -> bool:
    return task.n_private is not None and 0 < task.n_private < N_FEATURES


@method("hist-of-tree-grid", "trade-off", "consistency", "beyond-simulation", when=_some_private)
def over_the_grid(problem: Problem, task: Task) -> list[Row]:
    """HistOfTree with the max-edge rule over its grid; s is the number of private features."""
    return _grid_rows(problem, task.epsilon, grid_shapes(task.n_private or 0), LABEL_SHARES)


@method("hist-of-tree-parameters", "parameters")
def every_shape(problem: Problem, task: Task) -> list[Row]:
    """Every depth and number of bins, with half of epsilon on the label."""
    shapes = [Shape(task.n_private or 0, p, t) for p in PARAMETER_DEPTHS for t in PARAMETER_BINS]
    return _grid_rows(problem, task.epsilon, shapes, (0.5,))


@method("hist-of-tree-selection", "selection")
def fixed_and_adaptive(problem: Problem, task: Task) -> list[Row]:
    """Each fixed s over the grid, and the adaptive choice."""
    rows = [row for s in range(N_FEATURES) for row in _grid_rows(problem, task.epsilon, grid_shapes(s), LABEL_SHARES)]
    shapes = adaptive_shapes(problem.mask, task.epsilon)
    adaptive = evaluate(problem, task.epsilon, shapes, ("max-edge",), with_honest=False)
    return rows + [make_row("AdHistOfTree", *key, *score, shapes[key[2]]) for key, score in adaptive.items()]


def _grid_rows(problem: Problem, epsilon: float, shapes: Sequence[Shape], shares: Sequence[float]) -> list[Row]:
    results = evaluate(problem, epsilon, shapes, ("max-edge",), shares, with_honest=False)
    return [make_row("HistOfTree", *key, *score) for key, score in results.items()]
