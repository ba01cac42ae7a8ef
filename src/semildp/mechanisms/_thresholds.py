"""Probabilities as whole numbers of 2**-64, rounded so that privacy never suffers.

A word u, uniform on 0..2**64-1, is below a threshold T with probability exactly T / 2**64. The exponentials are taken
in decimal arithmetic of 80 digits, far beyond the 20 that a threshold has, and rounded to the safe side.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal

WORD = 2**64
CONTEXT = Context(prec=80)


def exp_at_most(x: Decimal) -> Decimal:
    """Return a number that is at most e**x, by less than one part in 10**79 (decimal's exp is correctly rounded)."""
    return CONTEXT.next_minus(CONTEXT.exp(x))


def ln_at_least(x: Decimal) -> Decimal:
    """Return a number that is at least ln(x), correct to 79 digits."""
    return CONTEXT.next_plus(CONTEXT.ln(x))


def ceiling(x: Decimal) -> int:
    """Round up to a whole number."""
    return int(x.to_integral_value(rounding=ROUND_CEILING, context=CONTEXT))


def nearest(x: Decimal) -> int:
    """Round to the nearest whole number."""
    return int(x.to_integral_value(rounding=ROUND_HALF_EVEN, context=CONTEXT))


def divide(a: Decimal | int, b: Decimal | int) -> Decimal:
    """Divide with 80 digits."""
    return CONTEXT.divide(Decimal(a), Decimal(b))
