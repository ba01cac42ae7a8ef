"""Labels on a device: nothing about a label is refused where it can be seen, and what is missing says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, InputError, SemiPrivateRegressor, baselines
from semildp.client import check_labels
from semildp.domains import LabelGrid
from semildp.sources import SeededSource, SystemSource
from tests.witness import Counted, largest, smallest

GRID = LabelGrid(-2.0, 6.0, 8)
ESTIMATORS = {
    name: kind
    for name, kind in {
        **vars(baselines),
        "HistOfTree": HistOfTreeRegressor,
        "SemiPrivate": SemiPrivateRegressor,
    }.items()
    if isinstance(kind, type) and name in (*baselines.__all__, "HistOfTree", "SemiPrivate")
}
NAN, INF = float("nan"), float("inf")


def test_labels_outside_go_to_the_nearer_bound_and_missing_ones_are_drawn():
    y = np.array([1.0, -9.0, 9.0, -INF, INF, NAN, NAN])
    words = SeededSource(3).words(len(y)) / 2.0**64
    expected = [1.0, -2.0, 6.0, -2.0, 6.0, *(-2.0 + 8.0 * words[5:])]
    assert check_labels(GRID, y, SeededSource(3), clip=True).tolist() == expected


def test_what_is_drawn_covers_the_bounds_and_does_not_leave_them():
    """Of 4000 uniform draws, one in eight falls into each interval of the grid: 6 standard deviations, seed fixed."""
    missing = np.full(4000, NAN)
    points = np.floor(check_labels(GRID, missing, SeededSource(1), clip=True)) + 2
    assert np.abs(np.bincount(points.astype(int), minlength=8) - 500).max() < 6 * np.sqrt(4000 / 8 * 7 / 8)
    odd = LabelGrid(-0.3, 0.1, 8)  # -0.3 + 1.0 * (0.1 - -0.3) is above 0.1
    for source, bound in ((smallest(), odd.low), (largest(), odd.high)):
        assert (check_labels(odd, missing, source, clip=True) == bound).all()


def test_words_are_drawn_for_all_labels():
    for y in (np.zeros(5), np.full(5, NAN), np.array([0.0, NAN, INF, 9.0, 1.0])):
        source = Counted(SystemSource())
        check_labels(GRID, y, source, clip=True)
        assert source.asked == [(5,)]


def test_clipping_needs_a_source():
    with pytest.raises(InputError, match=r"^`source` must be given with clip=True"):
        check_labels(GRID, np.zeros(2), clip=True)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_an_analyst_hears_of_missing_labels(bad):
    with pytest.raises(InputError, match=r"^Labels must be finite numbers\."):
        check_labels(GRID, np.array([0.0, bad]))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_refuse_missing_labels_with_clip_too(name):
    estimator = ESTIMATORS[name](label_bounds=(0, 1), feature_bounds=(0, 1), clip=True)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        estimator.fit(np.full((4, 2), 0.5), np.array([0.1, 0.2, NAN, 0.3]))


@pytest.mark.parametrize("kind", [HistOfTreeRegressor, SemiPrivateRegressor])
def test_words_for_missing_labels_change_no_other_draw(kind):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(200, 3)), rng.uniform(size=200)
    models = [
        kind(4.0, label_bounds=(0, 1), feature_bounds=(0, 1), private_features=[0], clip=clip, random_state=0)
        for clip in (False, True)
    ]
    plain, clipped = (model.fit(X, y).predict(X) for model in models)
    assert np.array_equal(plain, clipped)
