"""Choosing s, p and t: the checks of the method, against a literal brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp import masks
from semildp.partition import MAX_CELLS
from semildp.selection import MaskProfile, select_shape


def literal_bound(mask, epsilon, s, p, c):
    """Equation (11) of the paper, by loops."""
    n, d = len(mask), len(mask[0])
    order = sorted(range(d), key=lambda f: (-sum(row[f] for row in mask), f))
    delta = sum(2.0 ** (p * sum(row[f] for f in order[s:]) / (d - s)) for row in mask) / n
    noise = 2.0 ** (p * (d + s) / (d - s)) * math.log(n) / (n * epsilon**2)
    return noise * delta + c * 2.0 ** (-2 * p / (d - s))


masks_strategy = st.integers(1, 5).flatmap(
    lambda d: st.lists(st.lists(st.booleans(), min_size=d, max_size=d), min_size=2, max_size=40)
)


@settings(deadline=None, max_examples=60)
@given(mask=masks_strategy, epsilon=st.floats(0.1, 8), c=st.sampled_from([0.01, 0.1, 1.0]))
def test_selection_is_the_brute_force_minimum(mask, epsilon, c):
    profile = MaskProfile(np.array(mask))
    d, depths = len(mask[0]), range(math.ceil(math.log2(len(mask))) + 1)
    useful = range(min(d - 1, sum(any(row[f] for row in mask) for f in range(d))) + 1)
    table = {(s, p): literal_bound(mask, epsilon, s, p, c) for s in useful for p in depths}
    for (s, p), value in table.items():
        assert profile.bound(epsilon, s, p, c) == pytest.approx(value, rel=1e-12)
    shape = select_shape(profile, epsilon, bias_weight=c)
    assert table[shape.n_histogram_features, shape.depth] <= min(table.values()) * (1 + 1e-8)
    s, p = shape.n_histogram_features, shape.depth
    assert shape.bins == (max(1, round(2 ** (p / (d - s)))) if s else 1)


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(2, 10**5), d=st.integers(1, 12), epsilon=st.floats(0.05, 50), c=st.floats(0.001, 2), data=st.data()
)
def test_aligned_never_takes_more_histogram_features_than_private_ones(n, d, epsilon, c, data):
    n_private = data.draw(st.integers(0, d))
    row = masks.first(1, d, n_private)
    profile = MaskProfile(np.repeat(row, n, axis=0))
    assert select_shape(profile, epsilon, bias_weight=c).n_histogram_features <= n_private


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_a_heavier_tail_never_lowers_the_minimum(epsilon):
    def minimum(gamma):
        profile = MaskProfile(masks.heavy_tail(2000, 6, gamma))
        return min(profile.bound(epsilon, s, p) for s in range(6) for p in range(12))

    values = [minimum(gamma) for gamma in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_ties_go_to_the_smallest_s_then_the_smallest_depth():
    everything_private = MaskProfile(np.ones((50, 4), dtype=bool))
    assert everything_private.bound(1.0, 0, 0) == everything_private.bound(1.0, 3, 0)
    shape = select_shape(everything_private, 0.1)
    assert (shape.n_histogram_features, shape.depth) == (0, 0)


def test_estimation_with_public_data_takes_no_histogram():
    """Most people hide everything, a few hide nothing (Section 3.3 of the paper): s = 0."""
    mask = np.ones((10_000, 5), dtype=bool)
    mask[:500] = False
    assert select_shape(MaskProfile(mask), 2.0).n_histogram_features == 0


def test_only_the_distribution_of_row_sums_matters():
    mask = masks.heavy_tail(500, 5, 1.0)
    shuffled = np.random.default_rng(0).permutation(mask)
    assert select_shape(MaskProfile(mask), 1.0) == select_shape(MaskProfile(shuffled), 1.0)


def test_given_values_are_kept_and_the_limit_holds():
    profile = MaskProfile(masks.first(10**6, 6, 5))
    assert select_shape(profile, 1.0, n_histogram_features=3, depth=2, bins=4).bins == 4
    huge = select_shape(profile, 1e6, n_histogram_features=5)
    assert huge.n_cells <= MAX_CELLS


@pytest.mark.parametrize(("epsilon", "bins"), [(0.5, 1), (1e6, 4)])
def test_histogram_of_all_features(epsilon, bins):
    shape = select_shape(MaskProfile(masks.first(10_000, 10, 10)), epsilon, n_histogram_features=10)
    assert (shape.n_histogram_features, shape.depth, shape.bins) == (10, 0, bins)


def test_more_than_255_features():
    mask = np.zeros((30, 400), dtype=bool)
    mask[:, :300] = True
    profile = MaskProfile(mask)
    assert profile.delta(0, 4) == pytest.approx(2.0 ** (4 * 300 / 400))
    assert profile.delta(300, 4) == 1.0
