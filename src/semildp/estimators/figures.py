"""Printing an epsilon in four digits: what is spent is rounded up, what is left is rounded down."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_DIGITS = 4


def rounded_up(epsilon: float | Fraction) -> str:
    """Return the smallest number of four digits that is not below `epsilon`.

    Examples
    --------
    >>> rounded_up(1.00049), rounded_up(0.1), rounded_up(4.0)
    ('1.001', '0.1', '4')
    """
    return _rounded(epsilon, ROUND_CEILING)


def rounded_down(epsilon: float | Fraction) -> str:
    """Return the largest number of four digits that is not above `epsilon`."""
    return _rounded(epsilon, ROUND_FLOOR)


def _rounded(epsilon: float | Fraction, direction: str) -> str:
    """Round in decimal; a float stands for the decimal number it prints as."""
    number = epsilon if isinstance(epsilon, Fraction) else Fraction(repr(float(epsilon)))
    digits = Context(prec=_DIGITS, rounding=direction).divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{float(digits):g}"
