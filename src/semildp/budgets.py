"""How one person's epsilon is spent: a share on the label, the rest on the cell; and costs as exact numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from semildp._checks import finite_number, positive_number, whole_number
from semildp.errors import refusal

MOST_DIGITS = 2000  # of numerator and denominator of a cost that is written down

Number = int | float | Fraction | Decimal


@dataclass(frozen=True)
class Budget:
    """A person's privacy budget and how the two rounds share it.

    Parameters
    ----------
    epsilon
        What a person spends in all, on label and private features jointly.
    label_share
        The share of `epsilon` that round 1 spends on the label (the paper's rho); round 2 spends the rest on the cell.

    Attributes
    ----------
    label, cell
        The two parts. Their sum, taken exactly and not in floating point, never exceeds `epsilon`.
    """

    epsilon: float
    label_share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_number("epsilon", self.epsilon))
        object.__setattr__(self, "label_share", check_share("label_share", self.label_share))

    @property
    def label(self) -> float:
        """Epsilon of the label report (rho * epsilon)."""
        return self.epsilon * self.label_share

    @property
    def cell(self) -> float:
        """Epsilon of the cell report ((1 - rho) * epsilon), rounded down where the sum would round up."""
        rest = self.epsilon - self.label
        while Fraction(rest) + Fraction(self.label) > Fraction(self.epsilon):
            rest = math.nextafter(rest, 0.0)
        return rest


def check_share(name: str, value: object) -> float:
    """Return a share strictly between 0 and 1, or refuse it."""
    required = "a number strictly between 0 and 1"
    share = finite_number(name, value, required)
    if not 0 < share < 1:
        raise refusal(name, required, repr(value))
    return share


def equal_part(epsilon: float, n_parts: int) -> float:
    """Return epsilon / n_parts, rounded down where n_parts of them would exceed epsilon."""
    whole = positive_number("epsilon", epsilon)
    part = whole / whole_number("n_parts", n_parts, 1, 2**31)
    while Fraction(part) * n_parts > Fraction(whole):
        part = math.nextafter(part, 0.0)
    return part


def exact(name: str, value: object) -> Fraction:
    """Return a number above 0 as a fraction; a float as the decimal number it prints as."""
    number = positive_number(name, float(value) if isinstance(value, Decimal) else value)
    fraction = Fraction(value if isinstance(value, Decimal | Fraction | int) else repr(number))
    if max(fraction.numerator, fraction.denominator) >= 10**MOST_DIGITS:  # what is written must be read again
        raise refusal(name, f"a fraction of numbers of at most {MOST_DIGITS} digits", "one of more")
    return fraction


def float_at_most(number: Fraction) -> float:
    """Return the largest float that is not above `number`."""
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else math.nextafter(nearest, 0.0)


def float_at_least(number: Fraction) -> float:
    """Return the smallest float that is not below `number`."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
