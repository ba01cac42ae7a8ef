"""Label reports as numbers: unbiased labels, and the variance of their noise."""

from __future__ import annotations

from semildp._arrays import Floats, Ints
from semildp.domains import RANDOM_ROUNDING, LabelGrid
from semildp.mechanisms import LABEL_MECHANISMS


def noisy_labels(mechanism: str, grid: LabelGrid, epsilon: float, sent: Ints) -> tuple[Floats, float]:
    """Return labels in label units, and their mean noise variance, that of rounding at random included."""
    randomiser = LABEL_MECHANISMS[mechanism](epsilon, grid.steps)
    rounding = RANDOM_ROUNDING if mechanism == "window" else 0.0  # Laplace labels are rounded to the nearest point
    return grid.decode(randomiser.estimate(sent)), (randomiser.mean_variance(sent) + rounding) * grid.step**2
