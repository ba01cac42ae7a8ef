"""Words come from the operating system, fresh and whole, and no word is used twice in a fit."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from semildp.estimators.inputs import read_sources
from semildp.sources import SystemSource
from tests.flow.people import choices, crowd
from tests.flow.watched import Words
from tests.flow.ways import WAYS

X, Y = crowd()
MASKS = choices()
CASES = [(way, chosen) for way in WAYS for chosen in ("personal", "none") if way != "LabelDT" or chosen == "none"]


class Tap:
    """Stands in for os.urandom: hands out bytes that it remembers."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(8)
        self.asked: list[int] = []
        self.given = b""

    def __call__(self, n: int) -> bytes:
        self.asked.append(n)
        fresh = self.rng.bytes(n)
        self.given += fresh
        return fresh


@pytest.fixture
def tap(monkeypatch):
    stand_in = Tap()
    monkeypatch.setattr(os, "urandom", stand_in)
    return stand_in


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 4), (2, 3, 4), (1000,), (4097,), (0,), ()])
def test_every_word_is_eight_bytes_of_the_operating_system_s_and_all_of_them(shape, tap):
    words = SystemSource().words(*shape)
    size = int(np.prod(shape))
    assert len(tap.given) == 8 * size
    expected = [int.from_bytes(tap.given[8 * i : 8 * i + 8], sys.byteorder) for i in range(size)]
    assert words.reshape(-1).tolist() == expected


def test_every_call_asks_the_operating_system_afresh(tap):
    source, other, drawn = SystemSource(), SystemSource(), []
    for n in (1, 1, 7, 1, 300, 2):
        for each in (source, other):
            before = len(tap.given)
            drawn.append(each.words(n))
            assert len(tap.given) - before == 8 * n, "words were kept from before, or made from fewer bytes"
    flat = np.concatenate(drawn).tolist()
    assert flat == [int(word) for word in np.frombuffer(tap.given, dtype=np.uint64)]


def test_all_64_bits_can_be_set_and_unset(monkeypatch):
    for byte, word in ((b"\xff", 2**64 - 1), (b"\x00", 0), (b"\xa5", 0xA5A5A5A5A5A5A5A5)):
        monkeypatch.setattr(os, "urandom", lambda n, byte=byte: byte * n)
        assert SystemSource().words(3).tolist() == [word] * 3


def handed_out(way, mask, random_state):
    with pytest.MonkeyPatch.context() as patch:
        words = Words(patch)
        WAYS[way](random_state=random_state).fit(X, Y, mask=mask)
    return np.concatenate(words.handed_out), words.asked


@pytest.mark.parametrize(("way", "chosen"), CASES)
@pytest.mark.parametrize("random_state", [0, None])
def test_no_word_is_used_twice_in_a_fit(way, chosen, random_state):
    """Two of 10**5 words are equal with probability 3e-10: rounds that share a stream would share thousands."""
    words, asked = handed_out(way, MASKS[chosen], random_state)
    assert len({number for number, _ in asked}) >= 2
    assert len(np.unique(words)) == len(words)


@pytest.mark.parametrize("how_many", [2, 3, 4, 5])
def test_sources_of_one_seed_share_no_word(how_many):
    words = np.concatenate([source.words(5000) for source in read_sources(7, how_many)])
    assert len(np.unique(words)) == 5000 * how_many


@pytest.mark.parametrize("way", ["joint, defaults", "paper, defaults", "semi-private, split, line, 8", "KRR", "Hist"])
def test_two_fits_without_a_seed_share_no_word(way, tap):
    """The operating system is asked for every word of both fits; numpy's own generator is not touched."""
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 the legacy state is what is looked at
    for _ in range(2):
        start = len(tap.given)
        WAYS[way](random_state=None).fit(X, Y, mask=MASKS["aligned"])
        assert len(tap.given) - start >= 8 * len(X)
    words = np.frombuffer(tap.given[: len(tap.given) // 8 * 8], dtype=np.uint64)  # some are drawn byte by byte
    assert len(np.unique(words)) == len(words)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
