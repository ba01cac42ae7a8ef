"""Exact sampling of geometric numbers from uniform words, without floating point.

If P(Z = z) is proportional to q**z with q = e**-rate, the binary digits of Z are independent: digit i is 1 with odds
q**(2**i) to 1. The low digits are drawn so, one threshold each, up to the digit m where rate * 2**m reaches 1. What is
above them is again geometric, with ratio h = q**(2**m) <= 1/e, and is drawn by counting successes before the first
failure, so nothing is ever cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from semildp._arrays import Ints
from semildp.mechanisms._thresholds import WORD, ceiling, nearest, with_80_digits
from semildp.sources import Source

_DECIMAL_ERROR = Decimal("1e-70")  # More than 80-digit arithmetic loses in a logarithm here.
_BLOCK = 1 << 14  # People drawn at a time, so that a block of words stays in cache. Not an option: it orders the draws.


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

    def sample(self, n: int, source: Source) -> Ints:
        """Draw `n` independent numbers."""
        out = np.empty(n, dtype=np.int64)
        for start in range(0, n, _BLOCK):
            block = out[start : start + _BLOCK]
            block[:] = self._tail(len(block), source) << len(self.digit_thresholds)
            words = source.words(len(self.digit_thresholds), len(block))  # one row per digit
            for i, threshold in enumerate(self.digit_thresholds):
                block += (words[i] < np.uint64(threshold)).astype(np.int64) << i
        return out

    def _tail(self, n: int, source: Source) -> Ints:
        steps = np.zeros(n, dtype=np.int64)
        going = np.arange(n)
        while len(going):
            going = going[source.words(len(going)) < np.uint64(self.tail_threshold)]
            steps[going] += 1
        return steps
