"""What every mechanism promises. The randomiser and its claim are one object."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from semildp._arrays import Floats, Ints
from semildp.sources import Source


class Mechanism(Protocol):
    """A randomiser of one value per person, vectorised over people, together with what it guarantees.

    Private values are whole numbers 0..n_values-1. An array of people goes in, one output per person comes out;
    a single person is an array of length 1.
    """

    @property
    def epsilon(self) -> float:
        """The claim: no output is more than e**epsilon times likelier under one value than under another."""
        ...

    @property
    def realised_epsilon(self) -> Decimal:
        """An upper bound, in exact arithmetic, on the worst log ratio of the integer thresholds actually drawn from."""
        ...

    @property
    def n_values(self) -> int:
        """How many private values there are."""
        ...

    @property
    def output_domain(self) -> Ints:
        """Every output (along the first axis); for an unbounded one, a window with all but 2**-60 of the mass."""
        ...

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return one randomised output per value."""
        ...

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return the log probability of each output given the value beside it."""
        ...

    def estimate(self, outputs: Ints) -> Floats:
        """Return an unbiased estimate of the value, or of the indicator of each value."""
        ...

    def variance(self, values: Ints) -> Floats:
        """Return the variance of `estimate`, in the same shape, given the values."""
        ...


@dataclass(frozen=True)
class IndicatorWeights:
    """How a curator turns integer sums over cell reports into unbiased counts.

    For a person with k candidates, the unbiased indicator of a candidate cell is
    `mark * (per_mark + k * per_sized_mark) + per_candidate`, where mark is 1 if the report marks the cell, else 0; the
    noise variance of that indicator for a cell the person is not in is `noise + k * sized_noise`.
    """

    per_mark: float
    per_sized_mark: float
    per_candidate: float
    noise: float
    sized_noise: float
