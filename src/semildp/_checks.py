"""Refusals shared by several rooms: numbers, whole numbers, choices."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence

from semildp.errors import refusal


def finite_number(name: str, value: object, required: str = "a finite number") -> float:
    """Return `value` as a float, or refuse what is not a finite real number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise refusal(name, required, repr(value))
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond float's range
        number = math.inf
    if not math.isfinite(number):
        raise refusal(name, required, repr(value))
    return number


def positive_number(name: str, value: object) -> float:
    """Return `value` as a float above 0, or refuse it."""
    required = "a finite number above 0"
    number = finite_number(name, value, required)
    if number <= 0:
        raise refusal(name, required, repr(value))
    return number


def whole_number(name: str, value: object, low: int, high: int, advice: str = "") -> int:
    """Return `value` as an int in [low, high], or refuse it."""
    required = f"a whole number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise refusal(name, required, repr(value), advice)
    if not low <= int(value) <= high:
        raise refusal(name, required, repr(value), advice)
    return int(value)


def one_of(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`, or refuse it."""
    if not isinstance(value, str) or value not in choices:
        raise refusal(name, "one of " + ", ".join(repr(c) for c in choices), repr(value))
    return value
