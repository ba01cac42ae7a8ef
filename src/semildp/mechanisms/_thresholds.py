"""Probabilities as whole numbers of 2**-64, rounded so that privacy never suffers.

A word u, uniform on 0..2**64-1, is below a threshold T with probability exactly T / 2**64. The exponentials are taken
in decimal arithmetic of 80 digits, far beyond the 20 that a threshold has, and rounded to the safe side.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal, localcontext
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

WORD = 2**64
_CONTEXT = Context(prec=80, rounding=ROUND_HALF_EVEN)


def with_80_digits(function: Callable[P, R]) -> Callable[P, R]:
    """Run `function` in decimal arithmetic of 80 digits, whatever precision the caller's program has set."""

    @wraps(function)
    def precise(*args: P.args, **kwargs: P.kwargs) -> R:
        with localcontext(_CONTEXT):
            return function(*args, **kwargs)

    return precise


def exp_at_most(x: Decimal) -> Decimal:
    """Return a number at most e**x: two units in the last digit below (exp is correctly rounded), or e**10000."""
    return min(x, Decimal(10_000)).exp().next_minus()


def ln_at_least(x: Decimal) -> Decimal:
    """Return a number that is at least ln(x), by less than two units in the last digit."""
    return x.ln().next_plus()


def ceiling(x: Decimal) -> int:
    """Round up to a whole number."""
    return int(x.to_integral_value(rounding=ROUND_CEILING))


def nearest(x: Decimal) -> int:
    """Round to the nearest whole number."""
    return int(x.to_integral_value(rounding=ROUND_HALF_EVEN))
