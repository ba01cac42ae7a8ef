"""Refusals shared by several rooms: numbers, whole numbers, choices, arrays."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.errors import refusal

SMALLEST_EPSILON, LARGEST_EPSILON = 1e-12, 1e12  # squares, and sums of a million, stay far from the ends of float64


def finite_number(name: str, value: object, required: str = "a finite number") -> float:
    """Return `value` as a float, or refuse what is not a finite real number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise refusal(name, required, short(value))
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond float's range
        number = math.inf
    if not math.isfinite(number):
        raise refusal(name, required, short(value))
    return number


def positive_number(name: str, value: object) -> float:
    """Return `value` as a float above 0, or refuse it."""
    required = "a finite number above 0"
    number = finite_number(name, value, required)
    if number <= 0:
        raise refusal(name, required, short(value))
    return number


def privacy_parameter(name: str, value: object) -> float:
    """Return `value` as an epsilon that can be computed with, or refuse it."""
    number = positive_number(name, value)
    if not SMALLEST_EPSILON <= number <= LARGEST_EPSILON:
        raise refusal(name, f"from {SMALLEST_EPSILON:g} to {LARGEST_EPSILON:g}", short(value))
    return number


def whole_number(name: str, value: object, low: int, high: int, advice: str = "") -> int:
    """Return `value` as an int in [low, high], or refuse it."""
    required = f"a whole number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise refusal(name, required, short(value), advice)
    if not low <= int(value) <= high:
        raise refusal(name, required, short(value), advice)
    return int(value)


def one_of(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`, or refuse it."""
    if not isinstance(value, str) or value not in choices:
        raise refusal(name, "one of " + ", ".join(repr(c) for c in choices), short(value))
    return value


def true_or_false(name: str, value: object) -> bool:
    """Return `value` as a bool, or refuse it: a word like 'no' would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise refusal(name, "True or False", short(value))
    return bool(value)


def instance_of(name: str, value: object, kind: type[Any]) -> None:
    """Refuse what is not a `kind`."""
    if not isinstance(value, kind):
        raise refusal(name, f"a {kind.__name__}", short(value))


def as_array(name: str, value: object, kinds: str, ndim: int, required: str) -> NDArray[Any]:
    """Return `value` as an array of one of the dtype kinds, with so many dimensions, or refuse it.

    A refusal does not show the values: they may be private.
    """
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, and stranger things
        raise refusal(name, required, f"a {type(value).__name__} that makes no such array") from None
    if array.dtype.kind not in kinds or array.ndim != ndim:
        raise refusal(name, required, f"{array.ndim}-d {array.dtype}")
    return array


def short(value: object) -> str:
    """Return what `value` looks like, in a few words."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
