"""Masks: the paper's patterns, literally, and what is read off them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp import InputError, masks


@given(n=st.integers(1, 60), d=st.integers(1, 8), gamma=st.floats(0, 4))
def test_heavy_tail_is_as_printed(n, d, gamma):
    built = masks.heavy_tail(n, d, gamma)
    for i in range(1, n + 1):
        for feature in range(1, d + 1):
            assert built[i - 1, feature - 1] == (i <= n / feature**gamma)


@given(n=st.integers(1, 200), d=st.integers(1, 12), step=st.integers(1, 4))
def test_staircase_is_as_printed(n, d, step):
    step = min(step, d)
    built = masks.staircase(n, d, step)
    for i in range(1, n + 1):
        for feature in range(1, d + 1):
            assert built[i - 1, feature - 1] == (i <= n / 10 ** (feature // step))


def test_first_hides_the_same_from_everyone():
    built = masks.first(4, 3, 2)
    np.testing.assert_array_equal(built, [[True, True, False]] * 4)
    assert masks.is_aligned(built)
    assert not masks.is_aligned(masks.heavy_tail(4, 3, 1.0))
    with pytest.raises(InputError, match="`n_private` must be a whole number from 0 to 3"):
        masks.first(4, 3, 4)


@pytest.mark.parametrize(("d", "count"), [(1, 1), (5, 1), (8, 2), (11, 2), (27, 2), (68, 3), (107, 3)])
def test_number_of_private_features_on_real_data(d, count):
    assert masks.default_private_count(d) == count


def test_ranking_is_by_protection_then_index():
    mask = np.array([[0, 1, 1, 0], [0, 1, 1, 1]], dtype=bool)
    assert masks.ranked_features(mask).tolist() == [1, 2, 3, 0]
