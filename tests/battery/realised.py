"""The law that integer thresholds give, as fractions: an independent account, by brute force, of what is drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from semildp.mechanisms._geometric import GeometricSampler

WORD = 2**64
PRECISE = Context(prec=150)


def log(ratio: Fraction) -> Decimal:
    """Return the natural logarithm to about 150 digits."""
    top, bottom = (PRECISE.ln(PRECISE.create_decimal(part)) for part in (ratio.numerator, ratio.denominator))
    return PRECISE.subtract(top, bottom)


def digit_law(sampler: GeometricSampler) -> list[Fraction]:
    """Return the probability of each pattern of the low digits, by going through all of them."""
    law = [Fraction(0)] * 2 ** len(sampler.digit_thresholds)
    for digits in itertools.product((0, 1), repeat=len(sampler.digit_thresholds)):
        chance = Fraction(1)
        for digit, threshold in zip(digits, sampler.digit_thresholds, strict=True):
            chance *= Fraction(threshold if digit else WORD - threshold, WORD)
        law[sum(digit << i for i, digit in enumerate(digits))] += chance
    return law


def geometric_law(sampler: GeometricSampler, tail: int) -> list[Fraction]:
    """Return P(0), P(1), ... for all numbers of fewer than `tail` steps of the tail."""
    low, more = digit_law(sampler), Fraction(sampler.tail_threshold, WORD)
    return [p * more**t * (1 - more) for t in range(tail) for p in low]


def two_sided_law(sampler: GeometricSampler, reach: int) -> dict[int, Fraction]:
    """Return P(difference of two draws = d) for |d| <= reach; the infinite sum over the tail is a geometric series."""
    low, more = digit_law(sampler), Fraction(sampler.tail_threshold, WORD)
    law = {}
    for d in range(reach + 1):
        total = Fraction(0)
        for b, p in enumerate(low):
            carry, other = divmod(b + d, len(low))
            total += p * low[other] * more**carry
        law[d] = law[-d] = total * (1 - more) / (1 + more)
    return law


class Script:
    """A source that reads from a prepared list of words, and notices if too few or too many are asked for."""

    def __init__(self, *words: int) -> None:
        self._words: Iterator[int] = iter(words)

    def words(self, *shape: int) -> NDArray[np.uint64]:
        n = int(np.prod(shape, dtype=np.int64))
        return np.array(list(itertools.islice(self._words, n)), dtype=np.uint64).reshape(shape)

    def left(self) -> int:
        """Return how many words were not asked for."""
        return len(list(self._words))
