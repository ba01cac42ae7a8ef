"""Round 1: round the label to the public grid, add the noise that was drawn."""

from __future__ import annotations

from collections.abc import Sequence


def grid_point(y: float, low: float, high: float, steps: int) -> int:
    """Return the nearest of the points 0..steps (halves to the even one); what is outside goes to the nearer end."""
    point = round((y - low) / (high - low) * steps)
    if point < 0:
        return 0
    if point > steps:
        return steps
    return point


def noisy_labels(ys: Sequence[float], low: float, high: float, steps: int, noise: Sequence[int]) -> list[int]:
    """Return each person's label report, in steps of the grid."""
    return [grid_point(float(y), low, high, steps) + int(z) for y, z in zip(ys, noise, strict=True)]


def label_units(point: float, low: float, high: float, steps: int) -> float:
    """Return a grid coordinate, whole or averaged, in units of the label."""
    return low + point * ((high - low) / steps)
