"""Sources whose words are less random than they look."""

from __future__ import annotations

import math
import os

import numpy as np

from semildp.sources import SystemSource

_MASK = 2**64 - 1


def spread(number: int) -> int:
    """Spread a number over 64 bits: every bit looks fair (a step of SplitMix64)."""
    number = (number + 0x9E3779B97F4A7C15) & _MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _MASK
    return number ^ (number >> 31)


class HalfZero(SystemSource):
    """Words have 32 random bits; the others are 0."""

    def words(self, *shape: int) -> np.ndarray:
        return super().words(*shape) & np.uint64(0xFFFFFFFF00000000)


class HalfCopied(SystemSource):
    """Words have 32 random bits, twice."""

    def words(self, *shape: int) -> np.ndarray:
        low = super().words(*shape) & np.uint64(0xFFFFFFFF)
        return low | (low << np.uint64(32))


class HalfHashed(SystemSource):
    """Words have 32 random bits, spread over all 64."""

    def words(self, *shape: int) -> np.ndarray:
        number = super().words(*shape) & np.uint64(0xFFFFFFFF)
        with np.errstate(over="ignore"):
            number = (number ^ (number << np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        return number ^ (number >> np.uint64(31))


class Recycled(SystemSource):
    """Words come round again after 2**16."""

    def __init__(self) -> None:
        self._pool, self._next = np.frombuffer(os.urandom(8 << 16), dtype=np.uint64), 0

    def words(self, *shape: int) -> np.ndarray:
        n = math.prod(shape)
        place = (self._next + np.arange(n)) % len(self._pool)
        self._next += n
        return self._pool[place].reshape(shape)


class Reseeded(SystemSource):
    """Every call starts from a seed of 32 bits."""

    def words(self, *shape: int) -> np.ndarray:
        n = math.prod(shape)
        seed = int.from_bytes(os.urandom(4), "big")
        if n <= 4:
            return np.array([spread(seed + (i << 33)) for i in range(n)], dtype=np.uint64).reshape(shape)
        return np.random.PCG64(seed).random_raw(n).reshape(shape)


class SeededOnce(SystemSource):
    """A source starts from a seed of 32 bits."""

    def __init__(self) -> None:
        self._state = int.from_bytes(os.urandom(4), "big")

    def words(self, *shape: int) -> np.ndarray:
        n = math.prod(shape)
        out = np.empty(n, dtype=np.uint64)
        for i in range(min(n, 4)):
            out[i] = spread(self._state + (i << 33))
        if n > 4:
            out[4:] = np.random.PCG64(self._state).random_raw(n - 4)
        self._state += 1 << 40
        return out.reshape(shape)


BROKEN = (HalfZero, HalfCopied, HalfHashed, Recycled, Reseeded, SeededOnce)
