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
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Ints
from semildp.mechanisms._thresholds import WORD, ceiling, nearest, with_80_digits
from semildp.sources import Source, hits, in_any_order, later_hits

_DECIMAL_ERROR = Decimal("1e-70")  # More than 80-digit arithmetic loses in a logarithm here.
BLOCK = 1 << 14  # People drawn at a time, so that a block of words stays in cache. Not an option: it orders the draws.
_BYTES = 1 << 16  # The same where a byte mostly does for a word, and draws have no order.


def block_size(source: Source) -> int:
    """Return how many people are drawn at a time."""
    return _BYTES if in_any_order(source) else BLOCK


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
        """Draw `n` independent numbers in blocks: their digits when asked for, their tails in the order of blocks.

        Where a source has no order to keep, tails too are drawn when asked for.
        """
        digits = np.array(self.digit_thresholds, dtype=np.uint64)
        for start in range(0, n, block_size(source)):
            size = min(block_size(source), n - start)
            steps = partial(self._tail, size, source)
            if not in_any_order(source):
                steps = partial(np.asarray, steps())
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
    """Some of the numbers: steps of their tails when called, how many digits they have, and those when called."""

    start: int
    steps: Callable[[], Ints]
    n_digits: int
    digits: Callable[[], Bools]

    def numbers(self) -> Ints:
        """Return the numbers; blocks may be asked in any order, by several threads."""
        steps = self.steps()
        low: NDArray[Any] = np.zeros(len(steps), dtype=np.uint16 if self.n_digits <= 16 else np.uint64)
        for i, digit in enumerate(self.digits()):
            low |= digit.astype(low.dtype) << low.dtype.type(i)
        return (steps << self.n_digits) + low.astype(np.int64)
