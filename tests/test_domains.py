"""Public domains: scaling and rounding, to the edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp import InputError
from semildp.domains import FeatureBounds, LabelGrid

finite = st.floats(-1e6, 1e6)


@given(low=finite, width=st.floats(1e-3, 1e6), x=finite)
def test_scaled_features_lie_in_the_unit_interval(low, width, x):
    unit = FeatureBounds((low,), (low + width,)).scale(np.array([[x], [low], [low + width]]))
    assert 0 <= unit[0, 0] <= 1
    assert unit[1:, 0].tolist() == [0.0, 1.0]


@given(low=finite, width=st.floats(1e-3, 1e6), share=st.floats(0, 1), steps=st.sampled_from([1, 7, 1024]))
def test_rounding_moves_a_label_by_half_a_step_at_most(low, width, share, steps):
    grid = LabelGrid(low, low + width, steps)
    label = min(low + share * width, grid.high)
    point = grid.encode(np.array([label]))
    assert 0 <= point[0] <= steps
    assert abs(grid.decode(point)[0] - label) <= grid.step / 2 * (1 + 1e-6) + 1e-9 * abs(label)


@pytest.mark.parametrize(("epsilon", "steps"), [(1e-6, 1024), (1, 1024), (16, 1024), (17, 2048), (512, 32768)])
def test_the_grid_follows_from_public_numbers(epsilon, steps):
    assert LabelGrid.for_epsilon(0, 1, epsilon).steps == steps


def test_bounds_are_checked():
    with pytest.raises(InputError, match=r"`feature_bounds\[1\]` must be two finite numbers, low < high"):
        FeatureBounds((0.0, 1.0), (1.0, 0.5))
    with pytest.raises(InputError, match="as many low as high ends"):
        FeatureBounds((0.0,), (1.0, 2.0))
    with pytest.raises(InputError, match="`steps` must be a whole number"):
        LabelGrid(0, 1, 0)
