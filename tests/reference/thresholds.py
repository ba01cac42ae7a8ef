"""The integer thresholds from their definitions, in 150 digits: a word below T has probability T / 2**64."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal, localcontext
from functools import cache

WORD = 2**64
HALF = 2**63


def _up(x: Decimal) -> int:
    return int(x.to_integral_value(rounding=ROUND_CEILING))


@cache
def replace(epsilon: float, size: int, window: int = 1) -> int:
    """Return how many words replace the truth by one of `size` outputs, a kept one being one of `window`."""
    with localcontext(prec=150):
        rarest, likeliest = WORD // size, -(-WORD // window)
        return _up(WORD / (1 + (Decimal(epsilon).exp() - 1) * rarest / likeliest))


@cache
def subset(epsilon: float, k: int, m: int) -> int:
    """Return how many words send a uniform set of m of k; see the derivation beside the library's own."""
    with localcontext(prec=150):
        least = WORD // k
        return _up(WORD / (1 + (Decimal(epsilon).exp() - 1) * m * (least - m - 1) / (k * least)))


@cache
def flip(epsilon: float) -> int:
    """Return how many words flip a bit: two bits change, each has half of epsilon."""
    with localcontext(prec=150):
        return _up(WORD / (1 + (Decimal(epsilon) / 2).exp()))


@cache
def opposite(epsilon: float, marked: int) -> int:
    """Return how many of `marked` words send the opposite sign."""
    with localcontext(prec=150):
        return _up(marked / (1 + Decimal(epsilon).exp()))


@cache
def mark(epsilon: float) -> int:
    """Return how many words mark another candidate with one sign."""
    with localcontext(prec=150):
        kept = HALF - opposite(epsilon, HALF)
        return _up(WORD * kept / (Decimal(epsilon).exp() * HALF + 2 * kept))


@cache
def geometric(epsilon: float, steps: int) -> tuple[list[int], int]:
    """Return the thresholds of the low digits of geometric noise, and that of one more step beyond them."""
    with localcontext(prec=150):
        rate = (Decimal(epsilon) - (1 + Decimal(epsilon)) / 2**50) / steps
        digits = []
        while rate * 2 ** len(digits) < 1:
            odds = (-rate * 2 ** len(digits)).exp()
            digits.append(int((WORD * odds / (1 + odds)).to_integral_value(rounding=ROUND_HALF_EVEN)))
        return digits, _up(WORD * (-rate * 2 ** len(digits)).exp())
