"""Hist: the locally private histogram, with the noise of all people in a cell drawn at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from experiments.common.honest import STANDARD_ERRORS
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.simulation import N_FEATURES
from experiments.common.task import Task
from semildp.domains import LabelGrid

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

BINS = (1, 2, 3, 4)
THRESHOLDS = (0.01, 0.05)


def summed_noise(rng: np.random.Generator, n_people: int, n_cells: int, epsilon: float, steps: int) -> Ints:
    """Draw, per cell, the sum of `n_people` discrete Laplace numbers.

    One is the difference of two geometric numbers, so the sum is that of two negative binomial ones: the distribution
    is the one that report by report would give, at a cost that does not grow with the number of people.
    """
    success = -math.expm1(-epsilon / steps)
    draws = (
        rng.negative_binomial(n_people, success, size=(2, n_cells)) if n_people else np.zeros((2, n_cells), dtype=int)
    )
    return np.asarray(draws[0] - draws[1])


def _wanted(task: Task) -> bool:
    return task.study != "trade-off" or task.n_private == N_FEATURES


@method("hist", "table", "trade-off", when=_wanted)
def hist(problem: Problem, task: Task) -> list[Row]:
    """Return all grid points. Cells that no fresh point and no held-out person falls in are never drawn."""
    epsilon = task.epsilon
    grid = LabelGrid.for_epsilon(*problem.label_bounds, epsilon)
    rng = np.random.default_rng(problem.source(3).words(4))
    label = grid.encode(problem.y) - grid.steps // 2
    n, n_kept = len(label), problem.held_out.start
    rows = []
    for bins in BINS:
        both = np.minimum(np.concatenate([problem.X, problem.X_test]) * bins, bins - 1).astype(np.int64)
        _, cell = np.unique(both, axis=0, return_inverse=True)
        own, fresh = cell[:n], cell[n:]
        sums = []
        for part, people in ((problem.kept, n_kept), (problem.held_out, n - n_kept)):
            n_cells = int(cell.max()) + 1
            mass = np.bincount(own[part], minlength=n_cells) * grid.steps
            total = np.bincount(own[part], weights=label[part], minlength=n_cells)
            noise = [summed_noise(rng, people, n_cells, share, grid.steps) for share in (epsilon / 4, epsilon / 2)]
            sums.append((mass + noise[0], (total + noise[1]).astype(np.float64)))
        (kept_mass, kept_label), (held_mass, held_label) = sums
        for threshold in THRESHOLDS:
            values = _values(kept_mass + held_mass, kept_label + held_label, n, threshold, grid)
            trial = _values(kept_mass, kept_label, n_kept, threshold, grid)
            honest = _honest(trial, held_mass, held_label, n - n_kept, epsilon, grid)
            rows.append(Row("Hist", problem.error(values[fresh]), honest, bins=bins, threshold=threshold))
    return rows


def _honest(values: Floats, mass: Ints, label: Floats, n_people: int, epsilon: float, grid: LabelGrid) -> float:
    """Score as in `honest`, from the held-out people's noisy sums; the standard error is that of the known noise."""
    gain = values - (grid.low + grid.high) / 2  # labels are sent as distances from the middle
    value = gain**2 * mass / grid.steps - 2 * gain * label * grid.step
    mass_noise, label_noise = 2 * (4 / epsilon) ** 2, 2 * (2 * (grid.high - grid.low) / epsilon) ** 2
    spread = np.sqrt(n_people * np.sum(gain**4 * mass_noise + 4 * gain**2 * label_noise))
    return float((value.sum() + STANDARD_ERRORS * spread) / max(n_people, 1))


def _values(mass: Ints, label: Floats, n_people: int, threshold: float, grid: LabelGrid) -> Floats:
    """Predict the ratio where the noisy mass reaches the threshold, else the middle of the label bounds."""
    heavy = mass / (grid.steps * n_people) >= threshold
    ratio = np.divide(label * grid.steps, mass, out=np.zeros(len(label)), where=heavy)
    return np.clip(grid.decode(ratio + grid.steps // 2), grid.low, grid.high)
