"""How fast the error falls with the number of people: as measured, and as the paper's theorems have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.common.simulation import N_FEATURES
from experiments.show.figure_data import Curve, Floats
from semildp.theory import lower_bound_rate, upper_bound_rate


@dataclass(frozen=True)
class Slope:
    """Slope of log error against log n, and the standard error that replications leave in it."""

    value: float
    standard_error: float


def larger_half(curve: Curve) -> Curve:
    """Return the part of a line with the larger x, the middle one included; two points at least."""
    start = max(0, min(len(curve.x) // 2, len(curve.x) - 2))
    return Curve(curve.x[start:], curve.best[start:])


def fit_slope(x: Sequence[float], mean: Floats, standard_error: Floats | None = None) -> Slope:
    """Fit log mean = a + b log x by least squares; errors at different x are independent and small next to the mean."""
    if len(x) < 2:
        return Slope(math.nan, math.nan)
    centred = np.log(x) - np.mean(np.log(x))
    weight = centred / np.sum(centred**2)
    relative = np.zeros(len(mean)) if standard_error is None else standard_error / mean
    return Slope(float(weight @ np.log(mean)), float(np.sqrt(np.sum((weight * relative) ** 2))))


def measured_slope(curve: Curve) -> Slope:
    """Fit the larger half of a line."""
    half = larger_half(curve)
    return fit_slope(half.x, half.mean, half.standard_error)


def overall_slope(curve: Curve) -> Slope:
    """Fit the whole line."""
    return fit_slope(curve.x, curve.mean, curve.standard_error)


def upper_bound(n_people: Sequence[float], epsilon: float, n_private: int) -> Floats:
    """Theorem 2's rate for Lipschitz functions, up to its constant."""
    return np.array([upper_bound_rate(n, epsilon, N_FEATURES, n_private) for n in n_people])


def lower_bound(n_people: Sequence[float], epsilon: float, n_private: int) -> Floats:
    """Theorem 1's rate for Lipschitz functions, up to its constant."""
    return np.array([lower_bound_rate(n, epsilon, N_FEATURES, n_private) for n in n_people])


def exponent(n_private: int) -> float:
    """Exponent of n in the end in both theorems; Theorem 2 has a logarithm as well."""
    return -2 / (2 + N_FEATURES + n_private)
