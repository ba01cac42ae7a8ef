"""Where random bits come from: the operating system on a person's device, a seed in simulation."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from semildp._arrays import Bools, Ints, Words
from semildp._checks import short, whole_number
from semildp.errors import refusal

_FEW = 1 << 10  # words that are drawn sooner than a generator is copied, or its lock let go


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

    def later(self, *shape: int) -> Callable[[], Words]:
        """Return a function that gives words whenever and in whatever thread it is called."""
        return lambda: self.words(*shape)

    def hits(self, thresholds: Words, n: int) -> Bools:
        """Return whether words are below thresholds, `n` for each; see the function `hits`.

        A word is drawn byte by byte, the highest first, as far as it matters: the highest byte decides unless it is
        that of the threshold, once in 256; then the other seven do. P = T / 2**64 as with whole words.
        """
        raw = np.frombuffer(os.urandom(len(thresholds) * n), dtype=np.uint8).reshape(len(thresholds), n)
        top = (thresholds >> np.uint64(56)).astype(np.uint8)[:, None]
        below = raw < top
        ties = np.flatnonzero(raw == top)
        which, rest = ties // max(n, 1), np.uint64(2**56 - 1)
        below.reshape(-1)[ties] = self.words(len(which)) & rest < thresholds[which] & rest
        return np.asarray(below)


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
        return _drawn(self._bits, shape)

    def later(self, *shape: int) -> Callable[[], Words]:
        """Return a function that gives the words that are next now, whenever and in whatever thread it is called."""
        if math.prod(shape) <= _FEW:
            words = self.words(*shape)
            return lambda: words
        here = copy.deepcopy(self._bits)
        self._bits.advance(math.prod(shape))
        return lambda: _drawn(here, shape)


def later(source: Source, *shape: int) -> Callable[[], Words]:
    """Return a function that gives the words `source` has next; what it hands out afterwards comes after them.

    Threads draw so in the order of one thread, and words that turn out not to be needed cost nothing. A source that
    cannot do this draws at once.
    """
    promise = getattr(source, "later", None)
    if promise is not None:
        return promise(*shape)  # type: ignore[no-any-return]
    words = source.words(*shape)
    return lambda: words


def hits(source: Source, thresholds: Words, n: int) -> Bools:
    """Return, one row per threshold, whether each of `n` uniform 64-bit words is below it.

    A source with a method of that name may draw less than whole words, in any order, and from several threads at once;
    others draw one row of words per threshold.
    """
    quicker = getattr(source, "hits", None)
    if quicker is not None:
        return quicker(thresholds, n)  # type: ignore[no-any-return]
    return np.asarray(source.words(len(thresholds), n) < thresholds[:, None])


def in_any_order(source: Source) -> bool:
    """Say whether threads may draw from a source as they come: one with its own `hits` promises no order."""
    return hasattr(source, "hits")


def later_hits(source: Source, thresholds: Words, n: int) -> Callable[[], Bools]:
    """Return a function that gives the next hits, whenever and in whatever thread it is called; see `later`."""
    if in_any_order(source):
        return lambda: hits(source, thresholds, n)
    words = later(source, len(thresholds), n)
    return lambda: np.asarray(words() < thresholds[:, None])


def _drawn(bits: np.random.PCG64, shape: tuple[int, ...]) -> Words:
    """Return the generator's raw words; `integers` over all of 64 bits gives them without the interpreter's lock.

    Of few words that would take ten times as long as drawing them.
    """
    if math.prod(shape) <= _FEW:
        return bits.random_raw(math.prod(shape)).reshape(shape)
    return np.random.Generator(bits).integers(2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


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
