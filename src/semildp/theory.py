"""The paper's rates: how fast the error must and can fall with the number of people."""

from __future__ import annotations

import math

from semildp._checks import positive_number, privacy_parameter, whole_number
from semildp.selection import MaskProfile, select_shape


def lower_bound_rate(n_people: float, epsilon: float, n_features: int, n_private: int, alpha: float = 1.0) -> float:
    """No estimator's excess risk falls faster than this, up to a constant (Theorem 1, aligned masks).

    Parameters
    ----------
    n_people
        Number of people n.
    epsilon
        Privacy budget of a person.
    n_features, n_private
        d, and the number s* of features that everyone hides.
    alpha
        Hölder smoothness of the regression function, in (0, 1].
    """
    _check(n_people, epsilon, n_features, n_private, alpha)
    private = (n_people * math.expm1(min(epsilon, 300.0)) ** 2) ** (-2 * alpha / (2 * alpha + n_features + n_private))
    return float(max(private, n_people ** (-2 * alpha / (2 * alpha + n_features))))


def upper_bound_rate(
    n_people: float, epsilon: float, n_features: int, s: int, tail: float = 0.0, alpha: float = 1.0
) -> float:
    """HistOfTree's excess risk falls at least this fast, up to a constant, with probability 1 - 8/n^2 (Theorem 2).

    Parameters
    ----------
    n_people
        Number of people n.
    epsilon
        Privacy budget of a person.
    n_features, s
        d, and the number of histogram features; in the aligned case s*.
    tail
        The paper's lambda*, see `tail_weight`; 0 in the aligned case.
    alpha
        Hölder smoothness of the regression function, in (0, 1].
    """
    _check(n_people, epsilon, n_features, s, alpha)
    exponent = 2 * alpha / (2 * alpha + n_features + s + tail * (n_features - s))
    return float((math.log(n_people) / (n_people * epsilon**2)) ** exponent)


def tail_weight(profile: MaskProfile, epsilon: float, s: int) -> float:
    """The paper's lambda* for s histogram features: log2(delta(p*)) / p*, or 0 where p* is 0."""
    depth = select_shape(profile, epsilon, n_histogram_features=s).depth
    return math.log2(profile.delta(s, depth)) / depth if depth else 0.0


def _check(n_people: float, epsilon: float, n_features: int, s: int, alpha: float) -> None:
    positive_number("n_people", n_people)
    privacy_parameter("epsilon", epsilon)
    positive_number("alpha", alpha)
    whole_number("n_features", n_features, 1, 2**31)
    whole_number("s", s, 0, n_features)
