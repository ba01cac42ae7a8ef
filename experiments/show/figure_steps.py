"""Comparing neighbouring settings of a figure, with what chance can do taken into account."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from experiments.show.figure_data import Best, Curve, Curves, difference

NOISE = 2.0  # standard errors that are put down to chance


@dataclass(frozen=True)
class Step:
    """Two neighbouring settings."""

    name: str
    before: Best
    after: Best

    @property
    def rise(self) -> float:
        """How much the error grew."""
        return difference(self.after, self.before)[0]

    @property
    def noise(self) -> float:
        """How much it may change by chance; nothing is put down to chance on a single replication."""
        standard_error = difference(self.after, self.before)[1]
        return 0.0 if math.isnan(standard_error) else NOISE * standard_error


def is_lower(lower: Best, higher: Best) -> bool:
    """Whether the first error is lower beyond noise."""
    step = Step("", lower, higher)
    return step.rise > step.noise


def steps_along(curves: Curves, line_name: str, x_name: str) -> list[Step]:
    """Return the steps from each x to the next, line by line."""
    return [
        Step(f"{line if isinstance(line, str) else f'{line} {line_name}'}, {x_name} {a:g} to {b:g}", before, after)
        for line, curve in curves.items()
        for (a, before), (b, after) in pairwise(zip(curve.x, curve.best, strict=True))
    ]


def all_fall(steps: Sequence[Step]) -> tuple[bool, str]:
    """Judge whether no step rises beyond noise and most fall; say how many do."""
    fell = sum(step.rise < 0 for step in steps)
    against = sorted((step for step in steps if step.rise > step.noise), key=lambda step: -step.rise)
    level = len(steps) - fell - len(against)
    evidence = (
        f"Neighbouring pairs: {len(steps)}; of these {fell} fall, {level} do not but are level within {NOISE:g} "
        f"standard errors, {len(against)} rise by more"
    )
    if against:
        worst = against[0]
        evidence += f" (most at {worst.name}: {worst.before.mean:.4f} to {worst.after.mean:.4f})"
    return not against and 2 * fell > len(steps), evidence + "."


def why_no_u(curve: Curve) -> str:
    """Say why a line is no U, or nothing: it has to fall to its lowest point and rise from it, beyond noise."""
    low = curve.lowest
    steps = list(pairwise(curve.best))
    if low in (0, len(curve.best) - 1):
        return f"no, lowest at the {'left' if low == 0 else 'right'} end, p = {curve.x[low]:g}"
    if not all(is_lower(curve.best[low], end) for end in (curve.best[0], curve.best[-1])):
        return "no, an end is level with the lowest point within noise"
    if any(is_lower(a, b) for a, b in steps[:low]) or any(is_lower(b, a) for a, b in steps[low:]):
        return "no, it turns more than once"
    return ""
