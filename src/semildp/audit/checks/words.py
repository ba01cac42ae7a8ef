"""Whether words are random: 64 fair bits each, and no word twice, in one call, in many, or from many sources.

Raises on a fair source with probability at most 1e-7: of n words two are equal with probability n**2 / 2**65, here
4e-8 in all; bits are held against exact binomial tails. Of words that hold 32 random bits, whichever, some are equal
but once in 10**8 times; so are the first words of sources that are seeded with 32 bits, at their start or in every
call.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp._arrays import Words
from semildp.audit.finding import require
from semildp.audit.statistics import assert_counts
from semildp.sources import Source

WORDS, CALLS, SOURCES = 1 << 20, 1 << 15, 400_000
_BITS = 1 << 15


def check_words(new: Callable[[], Source]) -> None:
    """Hold words of the sources that `new` makes against fair ones."""
    source = new()
    words = np.concatenate([source.words(WORDS // 2), source.words(WORDS // 4, 2).ravel()])
    _check_bits(words[:_BITS])
    _check_distinct(words, "one source")
    _check_distinct(np.concatenate([source.words(1) for _ in range(CALLS)]), "calls for one word each")
    _check_distinct(np.concatenate([new().words(1) for _ in range(SOURCES)]), "sources asked for their first word")


def _check_distinct(words: Words, where: str) -> None:
    twice = int((np.diff(np.sort(words)) == 0).sum())
    require(twice == 0, f"Of {len(words)} words of {where}, {twice} came before: there are fewer than 2**64 of them.")


def _check_bits(words: Words) -> None:
    bits = (words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert_counts(bits.sum(axis=0), len(bits), 0.5, "a bit of a word is not 1 half of the time")
    same = (bits[::2] == bits[1::2]).sum(axis=0)
    assert_counts(same, len(bits) // 2, 0.5, "a bit of a word tells the same bit of the next")
    halves = (bits[:, :32] == bits[:, 32:]).sum(axis=0)
    assert_counts(halves, len(bits), 0.5, "a bit in one half of a word tells the same bit in the other")
