"""Words have the shape asked for, follow from the seed alone, and map to whole numbers exactly."""

from __future__ import annotations

import os
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp.audit.statistics import assert_counts
from semildp.mechanisms import DiscreteLaplace
from semildp.mechanisms._geometric import BLOCK
from semildp.sources import SeededSource, Source, SystemSource, below, hits

WORDS = st.integers(0, 2**64 - 1)
SHAPES = [(), (0,), (1,), (5,), (0, 3), (3, 0), (4, 2), (2, 3, 4)]


@pytest.mark.parametrize("source", [SystemSource(), SeededSource(0)], ids=["system", "seeded"])
@pytest.mark.parametrize("shape", SHAPES)
def test_words_have_the_shape_asked_for(source: Source, shape: tuple[int, ...]) -> None:
    words = source.words(*shape)
    assert words.shape == shape
    assert words.dtype == np.uint64


@pytest.mark.parametrize("source", [SystemSource(), SeededSource(3)], ids=["system", "seeded"])
def test_every_bit_of_a_word_is_fair_and_fresh(source: Source) -> None:
    """False alarm at most 2e-6: exact binomial tests of each of the 64 bits, and of each against the next word's."""
    words = source.words(1 << 14)
    bits = (words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert_counts(bits.sum(axis=0), len(bits), 0.5, "a bit of a word is not 1 half of the time")
    repeated = (bits[::2] == bits[1::2]).sum(axis=0)
    assert_counts(repeated, len(bits) // 2, 0.5, "a bit of a word tells the same bit of the next")


@pytest.mark.parametrize("source", [SystemSource(), SeededSource(3)], ids=["system", "seeded"])
def test_no_word_comes_twice(source: Source) -> None:
    """Of 2000 fair words two are equal with probability 1e-13."""
    words = np.concatenate([source.words(1000), source.words(1000)])
    assert len(np.unique(words)) == 2000


def test_two_system_sources_do_not_repeat_each_other() -> None:
    assert not np.isin(SystemSource().words(1000), SystemSource().words(1000)).any()


@given(st.integers(0, 2**63), st.lists(st.integers(0, 20), max_size=6))
def test_a_seed_fixes_the_stream_whatever_the_calls(seed: int, calls: list[int]) -> None:
    """Words follow each other: many small calls give what one large call gives, so chunks do not change draws."""
    source = SeededSource(seed)
    pieces = [source.words(n) for n in calls]
    whole = SeededSource(seed).words(sum(calls))
    assert np.array_equal(np.concatenate([*pieces, np.array([], dtype=np.uint64)]), whole)


def test_seeds_differ_and_seed_sequences_are_taken() -> None:
    by_number, by_sequence = SeededSource(7), SeededSource(np.random.SeedSequence(7))
    first = by_number.words(8)
    assert np.array_equal(first, by_sequence.words(8))
    assert not np.array_equal(first, SeededSource(8).words(8))
    assert not np.array_equal(first, by_number.words(8))


@given(st.lists(WORDS, min_size=1, max_size=20), st.integers(1, 2**32 - 1))
def test_below_is_the_exact_product(words: list[int], bound: int) -> None:
    got = below(np.array(words, dtype=np.uint64), bound)
    assert got.dtype == np.int64
    assert got.tolist() == [u * bound >> 64 for u in words]


@given(st.lists(st.tuples(WORDS, st.integers(1, 2**31)), min_size=1, max_size=20))
def test_below_takes_one_bound_per_word(pairs: list[tuple[int, int]]) -> None:
    words = np.array([u for u, _ in pairs], dtype=np.uint64)
    bounds = np.array([b for _, b in pairs], dtype=np.int64)
    assert below(words, bounds).tolist() == [u * b >> 64 for u, b in pairs]


@given(st.integers(1, 2**31), st.data())
def test_below_changes_value_exactly_where_it_should(bound: int, data: st.DataObject) -> None:
    """The first word of value j is ceil(j 2**64 / bound); the word before it has value j - 1. So each is covered."""
    j = data.draw(st.integers(0, bound - 1))
    first = -(-j * 2**64 // bound)
    last = -(-(j + 1) * 2**64 // bound) - 1
    assert below(np.array([first, last], dtype=np.uint64), bound).tolist() == [j, j]
    assert last - first + 1 in (2**64 // bound, 2**64 // bound + 1)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 64, 100])
def test_below_covers_every_value_evenly(bound: int) -> None:
    """False alarm at most 1e-6: exact binomial tests."""
    n = 100_000
    drawn = below(SeededSource(5).words(n), bound)
    assert_counts(np.bincount(drawn, minlength=bound), n, 1 / bound, "a value is not drawn as often as the others")
    assert set(drawn.tolist()) == set(range(bound))


@given(st.integers(0, 2**63), st.integers(0, 40))
def test_seeded_words_are_the_generator_s_own(seed: int, n: int) -> None:
    """They must not depend on how NumPy draws whole numbers."""
    assert SeededSource(seed).words(n).tolist() == np.random.PCG64(seed).random_raw(n).tolist()


@given(WORDS, st.lists(WORDS, min_size=1, max_size=20))
def test_the_system_s_hits_are_words_below_a_threshold(threshold: int, words: list[int]) -> None:
    """Fed with the highest bytes of words, and with whole words where those decide nothing, it compares the words."""
    words = [*words, threshold, max(threshold, 1) - 1, min(threshold + 1, 2**64 - 1)]
    tops = bytes(word >> 56 for word in words)
    ties = [word for word in words if word >> 56 == threshold >> 56]
    with mock.patch.object(os, "urandom", side_effect=[tops, np.array(ties, dtype=np.uint64).tobytes()]):
        found = SystemSource().hits(np.array([threshold], dtype=np.uint64), len(words))
    assert found.tolist() == [[word < threshold for word in words]]


@pytest.mark.parametrize("source", [SystemSource(), SeededSource(6)], ids=["system", "seeded"])
def test_hits_are_as_frequent_as_their_thresholds_say(source: Source) -> None:
    """False alarm at most 2e-6: exact binomial tests; the second threshold is decided by the second byte."""
    chances = np.array([0.3, 1 / 256 + 1 / 512, 0.999])
    thresholds = (chances * 2.0**64).astype(np.uint64)
    n = 1 << 16
    found = hits(source, thresholds, n)
    assert found.shape == (3, n)
    for row, chance in zip(found, chances, strict=True):
        assert_counts(np.array([row.sum()]), n, float(chance), "hits are not as frequent as they should be")


@pytest.mark.parametrize("n", [0, 1, BLOCK // 2, BLOCK // 2 + 1, BLOCK - 1, BLOCK, BLOCK + 5, 2 * BLOCK + 7])
def test_noise_of_many_people_is_the_difference_of_two_numbers_each(n: int) -> None:
    """Blocks of numbers, which several threads finish, do not end where people do."""
    mechanism = DiscreteLaplace(1.0, 64)
    blocks = mechanism._sampler.blocks(2 * n, SeededSource(n))
    both = np.concatenate([np.zeros(0, dtype=np.int64), *(block.numbers() for block in blocks)])
    assert mechanism.noise(n, SeededSource(n)).tolist() == (both[:n] - both[n:]).tolist()


@pytest.mark.parametrize("n", [1, 1 << 15, (1 << 15) + 1, (1 << 16) + 5, 150_000])
def test_noise_drawn_in_any_order_is_as_often_zero_as_it_should_be(n: int) -> None:
    """Blocks of the system's draws end elsewhere; nobody may be left out or counted twice. False alarm at most 2e-6."""
    mechanism = DiscreteLaplace(0.5, 2)
    noise = mechanism.noise(n, SystemSource())
    zero = np.exp(mechanism.log_probability(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)))[0]
    assert noise.shape == (n,)
    for part in (noise, noise[-1000:], noise[: n // 2]):
        if len(part):
            assert_counts(np.array([np.count_nonzero(part == 0)]), len(part), float(zero), "zeros are not as frequent")
