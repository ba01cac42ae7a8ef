"""Where random bits come from: the operating system on a person's device, a seed in simulation."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from semildp._arrays import Ints, Words
from semildp._checks import short, whole_number
from semildp.errors import refusal


class Source(Protocol):
    """Anything that hands out uniform 64-bit words. It is always passed in, never global."""

    def words(self, *shape: int) -> Words:
        """Return an array of independent uniform 64-bit words."""
        ...


class SystemSource:
    """The operating system's cryptographic randomness: what a person's device uses."""

    def words(self, *shape: int) -> Words:
        """Return an array of independent uniform 64-bit words."""
        raw = os.urandom(8 * math.prod(shape))
        return np.frombuffer(raw, dtype=np.uint64).reshape(shape)


class SeededSource:
    """Reproducible words, for simulation only: whoever knows the seed can undo every report.

    Parameters
    ----------
    seed
        A seed, or a `numpy.random.SeedSequence`.
    """

    def __init__(self, seed: int | np.random.SeedSequence) -> None:
        if not isinstance(seed, np.random.SeedSequence):
            seed = whole_number("seed", seed, 0, 2**128)
        self._bits = np.random.PCG64(seed)

    def words(self, *shape: int) -> Words:
        """Return an array of independent uniform 64-bit words."""
        raw: Words = self._bits.random_raw(math.prod(shape))
        return raw.reshape(shape)


def seeded_sources(streams: Sequence[str], seed: int) -> dict[str, Source]:
    """Return a source for each stream, all from one seed."""
    children = np.random.SeedSequence(seed).spawn(len(streams))
    return {name: SeededSource(child) for name, child in zip(streams, children, strict=True)}


def check_source(source: object) -> None:
    """Refuse what does not hand out words."""
    if not callable(getattr(source, "words", None)):
        raise refusal("source", "a source of random words, as SystemSource()", short(source))


def below(words: Words, bound: int | Ints) -> Ints:
    """Map each uniform word u to floor(u * bound / 2**64), in [0, bound).

    Every value below `bound` is reached by floor(2**64 / bound) or one more of the 2**64 words; callers that make a
    privacy claim account for that. The product is taken in two halves of 32 bits, exact for bounds below 2**32.
    """
    wide = np.asarray(bound, dtype=np.uint64)
    half = np.uint64(32)
    low = (words & np.uint64(0xFFFFFFFF)) * wide
    high = (words >> half) * wide
    return ((high + (low >> half)) >> half).astype(np.int64)
