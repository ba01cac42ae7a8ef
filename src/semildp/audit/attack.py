"""The floating-point attack on Laplace noise, and the grid on which it fails.

A float has 53 binary digits. What is near 0 has its last digit far below what is near 1, so y + noise is rounded to a
grid that depends on y: under y = 0 a small report has digits below 2**-53, under y = 1 it never has, as 1 + noise is a
multiple of 2**-53 wherever it is small. Such a report proves that y was not 1, whatever epsilon was claimed.

Reference: Mironov (2012), "On significance of the least significant bits for differential privacy".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp._checks import privacy_parameter
from semildp.audit.search.columns import lowest_digit
from semildp.audit.search.lower_bound import LowerBound, lower_bound
from semildp.audit.statistics import FALSE_ALARM, log_ratio_bound
from semildp.audit.visits.visit import Visit
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace
from semildp.sources import Source, SystemSource, check_source

REPORTS = 1 << 20
DIGIT = -53  # No report of 1 + noise has a digit below 2**-53.

Noise = Callable[[float, int, Source], Floats]


@dataclass(frozen=True)
class Attacked:
    """What the attack achieved against one way to add Laplace noise.

    Parameters
    ----------
    name, ours
        What was attacked, and whether it is semildp's.
    claimed
        The epsilon it promises for labels between 0 and 1.
    hits, misses, reports
        How many reports under label 0, and under label 1, have a digit below 2**-53; of so many reports each.
    proven
        The epsilon this proves, at least.
    search
        What the general search for events proves, which knows nothing of floating point.
    """

    name: str
    ours: bool
    claimed: float
    hits: int
    misses: int
    reports: int
    proven: float
    search: LowerBound

    @property
    def broken(self) -> bool:
        """Whether more than the claim was proven."""
        return max(self.proven, self.search.epsilon) > self.claimed


def inverse_laplace(epsilon: float) -> Noise:
    """Return the textbook's sampler: the inverse distribution function of a uniform float."""

    def report(label: float, n: int, source: Source) -> Floats:
        uniform = (source.words(n) >> np.uint64(11)) / 2.0**53 - 0.5
        scale = np.log1p(-2 * np.minimum(np.abs(uniform), 0.5 - 2.0**-54)) / epsilon
        return np.asarray(label - np.sign(uniform) * scale)

    return report


def numpy_laplace(epsilon: float) -> Noise:
    """Return NumPy's sampler."""

    def report(label: float, n: int, source: Source) -> Floats:
        return label + np.random.default_rng(source.words(4)).laplace(scale=1 / epsilon, size=n)

    return report


def grid_laplace(epsilon: float) -> Noise:
    """Return semildp's: discrete Laplace noise on a public grid, decoded to label units."""
    grid = LabelGrid.for_epsilon(0.0, 1.0, epsilon)

    def report(label: float, n: int, source: Source) -> Floats:
        points = grid.encode(np.full(n, label))
        return grid.decode(DiscreteLaplace(epsilon, grid.steps).randomise(points, source))

    return report


OURS = "semildp, discrete grid"
TARGETS: dict[str, Callable[[float], Noise]] = {
    "float Laplace, textbook": inverse_laplace,
    "float Laplace, NumPy": numpy_laplace,
    OURS: grid_laplace,
}


def attack_floating_point(epsilon: float = 1.0, *, source: Source | None = None) -> list[Attacked]:
    """Attack naive floating-point Laplace noise and semildp's discrete one, in the same way."""
    privacy_parameter("epsilon", epsilon)
    source = source or SystemSource()
    check_source(source)
    return [_attack(name, epsilon, build(epsilon), source) for name, build in TARGETS.items()]


def _attack(name: str, epsilon: float, noise: Noise, source: Source) -> Attacked:
    hits, misses = (int((_digit(noise(label, REPORTS, source)) < DIGIT).sum()) for label in (0.0, 1.0))
    proven = max(0.0, float(log_ratio_bound(hits, misses, REPORTS, FALSE_ALARM)))
    search = lower_bound(Visit(name, epsilon, (0.0, 1.0), noise), source, trials=REPORTS)
    return Attacked(name, name == OURS, epsilon, hits, misses, REPORTS, proven, search)


def _digit(reports: Floats) -> Floats:
    """Return the place of the lowest digit; a report of exactly 0 has none."""
    return np.where(reports == 0, np.inf, lowest_digit(reports))
