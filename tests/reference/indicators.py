"""The unbiased indicators of each person, as printed, in exact fractions of a many-digit exponential."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

DIGITS = Context(prec=40)


def exponential(x: float) -> Fraction:
    """Return e**x to 40 digits."""
    return Fraction(DIGITS.exp(Decimal(x)))


def indicator(mechanism: str, epsilon: float, n_candidates: int, sent: bool) -> Fraction:
    """Return V_i^j of a candidate cell: equation (6) with epsilon / 2 per bit, or that of Appendix A.1."""
    if n_candidates == 1:
        return Fraction(int(sent))
    if mechanism == "grr":
        e = exponential(epsilon)
        k = n_candidates
        return (e + k - 1) / (e - 1) * (int(sent) - 1 / (e + k - 1))
    root = exponential(epsilon / 2)
    return (root + 1) / (root - 1) * (int(sent) - 1 / (1 + root))


@dataclass
class CellRatio:
    """Numerator and denominator of equation (7), and the size of the terms each is made of."""

    label_sum: Fraction = Fraction(0)
    label_size: Fraction = Fraction(0)
    count: Fraction = Fraction(0)
    count_size: Fraction = Fraction(0)


def ratio_in_cell(
    cell: int,
    indicator_of: Callable[[int, bool], Fraction],
    labels: Sequence[int],
    candidates: Sequence[Sequence[int]],
    marked: Sequence[Sequence[int]],
) -> CellRatio:
    """Add up, person by person; `indicator_of(k, sent)` is the mechanism's."""
    ratio = CellRatio()
    for label, possible, sent in zip(labels, candidates, marked, strict=True):
        if cell in possible:
            v = indicator_of(len(possible), cell in sent)
            ratio.label_sum += label * v
            ratio.label_size += abs(label * v)
            ratio.count += v
            ratio.count_size += abs(v)
    return ratio
