"""The paper's rates, held against their printed form and its corner cases."""

from __future__ import annotations

import math

import pytest

from semildp import InputError, masks
from semildp.selection import MaskProfile
from semildp.theory import lower_bound_rate, tail_weight, upper_bound_rate


def test_theorem_1_as_printed():
    n, epsilon, d, s = 1000.0, 0.5, 4, 2
    private = (n * (math.exp(epsilon) - 1) ** 2) ** (-2 / (2 + d + s))
    assert lower_bound_rate(n, epsilon, d, s) == pytest.approx(max(private, n ** (-2 / (2 + d))))


def test_with_a_large_budget_only_the_classical_rate_is_left():
    assert lower_bound_rate(1000.0, 1024.0, 4, 2) == pytest.approx(1000.0 ** (-2 / 6))


def test_theorem_2_as_printed():
    n, epsilon, d, s, tail = 1000.0, 0.5, 4, 2, 0.3
    expected = (math.log(n) / (n * epsilon**2)) ** (2 / (2 + d + s + tail * (d - s)))
    assert upper_bound_rate(n, epsilon, d, s, tail) == pytest.approx(expected)


def test_aligned_masks_have_no_tail_and_the_two_rates_agree_but_for_logarithms():
    profile = MaskProfile(masks.first(1000, 5, 2))
    assert tail_weight(profile, 4.0, 2) == 0.0
    for s in range(5):
        slope = math.log(lower_bound_rate(1e9, 0.1, 5, s) / lower_bound_rate(1e10, 0.1, 5, s)) / math.log(10)
        assert slope == pytest.approx(2 / (7 + s), rel=1e-6)


def test_a_heavier_tail_weighs_more():
    weights = [tail_weight(MaskProfile(masks.heavy_tail(5000, 5, gamma)), 4.0, 1) for gamma in (0.25, 1.0, 4.0)]
    assert weights == sorted(weights, reverse=True)
    assert 0 < weights[-1] < weights[0] <= 1


def test_bad_settings_are_refused():
    with pytest.raises(InputError, match="`epsilon` must be a finite number above 0"):
        upper_bound_rate(100, 0, 5, 2)
    with pytest.raises(InputError, match="`s` must be a whole number from 0 to 5"):
        lower_bound_rate(100, 1, 5, 6)
