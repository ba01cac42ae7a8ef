"""Exact sampling of geometric numbers from uniform words, without floating point.

If P(Z = z) is proportional to q**z with q = e**-rate, the binary digits of Z are independent: digit i is 1 with odds
q**(2**i) to 1. The low digits are drawn so, one threshold each, up to the digit m where rate * 2**m reaches 1. What is
above them is again geometric, with ratio h = q**(2**m) <= 1/e, and is drawn by counting successes before the first
failure, so nothing is ever cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Ints
from semildp.mechanisms._thresholds import WORD, ceiling, nearest, with_80_digits
from semildp.sources import Source, hits, later_hits

_DECIMAL_ERROR = Decimal("1e-70")  # More than 80-digit arithmetic loses in a logarithm here.
BLOCK = 1 << 14  # People drawn at a time, so that a block of words stays in cache. Not an option: it orders the draws.


@dataclass(frozen=True)
class GeometricSampler:
    """Draws whole numbers z >= 0 with probability proportional to e**(-rate * z)."""

    rate: Decimal

    @cached_property
    @with_80_digits
    def digit_thresholds(self) -> tuple[int, ...]:
        """Threshold of each low binary digit, lowest first; each is rounded to the nearest 2**-64."""
        thresholds: list[int] = []
        while self.rate * 2 ** len(thresholds) < 1:
            odds = (-self.rate * 2 ** len(thresholds)).exp()
            thresholds.append(nearest(WORD * odds / (1 + odds)))
        return tuple(thresholds)

    @cached_property
    @with_80_digits
    def tail_threshold(self) -> int:
        """Threshold of one more step of 2**m; rounded up, so that neighbouring outputs are never too unlike."""
        return ceiling(WORD * (-self.rate * 2 ** len(self.digit_thresholds)).exp().next_plus())

    @with_80_digits
    def log_ratio_bound(self, shift: int) -> Decimal:
        """Bound |ln P(z) - ln P(z + shift)|, over all z and all shifts up to this one, for the thresholds as rounded.

        Moving by `shift` changes any subset of the digits, and the tail by some steps up. With exact thresholds those
        changes add up to rate * shift. A rounded digit adds at most its own error in log odds. The tail's ratio is
        rounded up, which can only lower the total, except that with digits below it one step may stand against them.
        """
        bound = self.rate * shift
        for i, threshold in enumerate(self.digit_thresholds):
            odds = Decimal(threshold) / (WORD - threshold)
            bound += abs(odds.ln() + self.rate * 2**i) + _DECIMAL_ERROR
        if self.digit_thresholds:
            step = 2 ** len(self.digit_thresholds)
            bound += abs((Decimal(self.tail_threshold) / WORD).ln() + self.rate * step) + _DECIMAL_ERROR
        return bound

    def blocks(self, n: int, source: Source) -> Iterator[Block]:
        """Draw `n` independent numbers in blocks: their tails now, one after the other, their digits when asked for."""
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            steps = self._tail(size, source)
            digits = np.array(self.digit_thresholds, dtype=np.uint64)
            yield Block(start, steps, len(digits), later_hits(source, digits, size))

    def _tail(self, n: int, source: Source) -> Ints:
        steps = np.zeros(n, dtype=np.int64)
        going, threshold = np.arange(n), np.array([self.tail_threshold], dtype=np.uint64)
        while len(going):
            going = going[hits(source, threshold, len(going))[0]]
            steps[going] += 1
        return steps


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the numbers: steps of their tails, how many digits they have, and the digits when called, a row each."""

    start: int
    steps: Ints
    n_digits: int
    digits: Callable[[], Bools]

    def numbers(self) -> Ints:
        """Return the numbers; blocks may be asked in any order, by several threads."""
        low: NDArray[Any] = np.zeros(len(self.steps), dtype=np.uint16 if self.n_digits <= 16 else np.uint64)
        for i, digit in enumerate(self.digits()):
            low |= digit.astype(low.dtype) << low.dtype.type(i)
        return (self.steps << self.n_digits) + low.astype(np.int64)
