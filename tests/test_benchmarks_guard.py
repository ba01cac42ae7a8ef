"""The guard of speed, on made-up figures: what has more than doubled at every try fails, and nothing else does."""

from __future__ import annotations

import tomllib

import pytest

from benchmarks.guard import RECORDED, TRIES, judge, record
from benchmarks.ratios import RATIOS


def judged(found, recorded=1.0):
    """Judge one ratio, measured as these figures one after the other; return the sentences and how many were used."""
    figures = iter(found)
    problems = judge({"fit": lambda: next(figures)}, {"fit": recorded}, lambda name: None)
    return problems, len(found) - len(list(figures))


@pytest.mark.parametrize("recorded", [0.04, 1.0, 7.0])
def test_more_than_twice_as_bad_fails_and_less_does_not(recorded):
    problems, used = judged([2.1 * recorded] * TRIES, recorded)
    assert used == TRIES
    (sentence,) = problems
    assert sentence.startswith("fit must stay below 2 times what is recorded")
    assert f"Got {2.1 * recorded:.3g} at best in 3 tries" in sentence
    assert judged([1.9 * recorded] * TRIES, recorded) == ([], 1)


def test_a_busy_moment_is_measured_again():
    assert judged([5.0, 3.0, 1.2]) == ([], 3)
    assert judged([5.0, 1.2, 9.0]) == ([], 2)


def test_what_became_faster_passes():
    assert judged([0.01]) == ([], 1)


def test_a_ratio_that_is_not_recorded_fails():
    (sentence,) = judge({"new": lambda: 1.0}, {}, lambda name: None)
    assert sentence.startswith("new is not recorded")


def test_what_is_recorded_is_the_middle_of_three_and_can_be_read_again():
    figures = iter([3.0, 1.0, 2.0])
    assert tomllib.loads(record({"a fit, 10 people": lambda: next(figures)}, lambda name: None)) == {
        "a fit, 10 people": 2.0
    }


def test_every_ratio_is_recorded_and_none_besides():
    recorded = tomllib.loads(RECORDED.read_text())
    assert set(recorded) == set(RATIOS)
    assert all(ratio > 0 for ratio in recorded.values())
