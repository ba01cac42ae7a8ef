"""What sums of cells and classes tell of a class: shares, how many people, what a belief misses, and frames."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeClassifier
from semildp.curator.beliefs.cells import Boxes, box_axes
from semildp.curator.beliefs.class_cells import MISSED, cell_people, class_means, left_over, shown
from semildp.curator.beliefs.leaf_people import people_in_leaves
from semildp.curator.class_totals import ClassSums
from semildp.models.belief import Belief
from semildp.partition import Partition, Tree
from semildp.study import Classes, Feature, Number, Study
from semildp.wire.columns import Enrolled

STUDY = Study(
    name="cells",
    epsilon=2.0,
    label=Classes(("a", "b", "c")),
    features=tuple(Feature(name, Number(0, 1)) for name in "xy"),
    protocol="hist-of-tree-joint",
)
CELLS = Partition(STUDY.bounds, (0,), (2,), Tree((1, -1, -1), (0.5, 0.0, 0.0), (1, 0, 0)))
PEOPLE = np.array([600.0, 200.0, 100.0, 300.0])  # leaf by bin: not as if these were independent
LEAVES = np.array([800.0, 400.0])
SHARES = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3]])


def sums(noise: float) -> ClassSums:
    return ClassSums(1200.0, PEOPLE[:, None] * SHARES, np.full((4, 3), noise), np.full((4, 3), noise))


def test_shares_of_classes_are_told_as_they_are_where_noise_is_small():
    for c in range(3):
        means, precision = class_means(CELLS, sums(1e-6), LEAVES, c, SHARES[:, c])
        np.testing.assert_allclose(means, SHARES[:, c], rtol=1e-6)
        assert (precision > 1e6).all()


def test_counts_are_the_cell_s_own_if_noise_allows_and_those_of_leaf_and_bin_else():
    own, sure = cell_people(CELLS, sums(1e-6), LEAVES)
    np.testing.assert_allclose(own, PEOPLE, rtol=1e-6)
    assert (sure < 1e-6).all()
    alike, _ = cell_people(CELLS, sums(1e7), LEAVES)
    np.testing.assert_allclose(alike, np.outer([800, 400], [700, 500]).ravel() / 1200)
    between, unsure = cell_people(CELLS, sums(1e3), LEAVES)
    assert (np.abs(between - PEOPLE) < np.abs(alike - PEOPLE)).all()
    assert (unsure > 0).all()


def test_an_unsure_count_makes_an_uneven_share_less_sure():
    """A share of 1 / C is not moved by the count; another is."""
    even = class_means(CELLS, sums(1e3), LEAVES, 0, np.full(4, 1 / 3))[1]
    uneven = class_means(CELLS, sums(1e3), LEAVES, 0, np.full(4, 0.9))[1]
    assert (uneven < even).all()


def test_nobody_tells_nothing():
    empty = ClassSums(0.0, np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((4, 3)))
    means, precision = class_means(CELLS, empty, np.zeros(2), 0, np.full(4, 0.3))
    assert not means.any()
    assert not precision.any()


def test_what_a_belief_misses_is_judged_by_cells_beyond_noise():
    axes = box_axes(STUDY)
    size = 1 + sum(axis.terms for axis in axes)
    flat = Belief(axes, (0.3, *[0.0] * (size - 1)), ())
    boxes, rng = Boxes.of(CELLS, axes), np.random.default_rng(0)
    right = left_over(flat, boxes, 0.3 + 1e-3 * rng.normal(size=4), np.full(4, 1e6), 0.25)
    wrong = left_over(flat, boxes, 0.3 + 0.1 * np.array([1, -1, 1, -1]), np.full(4, 1e6), 0.25)
    unknown = left_over(flat, boxes, np.full(4, 0.3), np.zeros(4), 0.25)
    assert right < 1e-6
    assert wrong == pytest.approx(0.25 * MISSED[-1], rel=0.2)
    assert unknown == pytest.approx(0.25 * MISSED.mean())


def test_wide_cells_show_little_and_small_ones_all():
    """Products of cosines average to 0 over all places, and their squares to 1; no cut shows nothing."""
    axes = box_axes(STUDY)
    whole = Partition(STUDY.bounds, (), (), Tree())
    np.testing.assert_allclose(shown(Boxes.of(whole, axes).of_cells(np.arange(1))), 0.0, atol=1e-20)
    small = Partition(STUDY.bounds, (0, 1), (64, 64), Tree())
    np.testing.assert_allclose(shown(Boxes.of(small, axes).of_cells(np.arange(4096))).mean(), 1.0, atol=0.01)
    assert 0.1 < shown(Boxes.of(CELLS, axes).of_cells(np.arange(4))).mean() < 0.9
    alone = Boxes.of(small, axes).of_cells(np.arange(4096))[:1]
    np.testing.assert_allclose(shown(alone).mean(), 1.0, atol=0.01)


def test_cells_as_a_frame():
    """One row per cell, with a probability and a standard error of each class; none with the paper's method."""
    pytest.importorskip("pandas")
    X = np.random.default_rng(0).uniform(size=(900, 2))
    y = np.where(X.sum(axis=1) > 1, "yes", "no")
    about = {"classes": ["no", "yes"], "feature_bounds": (0, 1), "private_features": [0], "depth": 1, "bins": 2}
    model = HistOfTreeClassifier(4.0, **about, random_state=0).fit(X, y)
    cells = model.cells_frame()
    assert len(cells) == model.partition_.n_cells == 4
    np.testing.assert_array_equal(cells["probability_yes"], model.probabilities_[:, 1])
    assert ((cells["std_yes"] > 0) & (cells["std_yes"] < 0.5)).all()
    assert list(cells["std_no"]) == list(cells["std_yes"])
    assert (cells["x0_low"] < cells["x0_high"]).all()
    paper = HistOfTreeClassifier.paper(4.0, **about, random_state=0).fit(X, y)
    assert paper.cells_frame()["std_yes"].isna().all()


@pytest.mark.parametrize("hiding", [0.0, 0.4, 0.9])
def test_people_in_leaves_are_counted_by_what_is_shown(hiding):
    """Who shows where they are counts there, the others as those do.

    Of 30,000 people one in ten at least shows a feature: six standard errors of a share are 0.055. The leaves' shares
    are 0.63, 0.16 and 0.21, so counting everybody in all of their leaves alike would be further off.
    """
    rng, n = np.random.default_rng(5), 30_000
    X = rng.random((n, 2)) ** 3
    mask = rng.random((n, 2)) < hiding
    tree = Tree((1, 0, -1, -1, -1), (0.5, 0.5, 0.0, 0.0, 0.0), (1, 3, 0, 0, 0))
    partition = Partition(STUDY.bounds, (), (), tree)
    weighed = people_in_leaves(partition, Enrolled(np.where(mask, np.nan, X), mask), lambda sizes: 1.0 / sizes)
    sizes = partition.count(np.where(mask, np.nan, X), mask)
    true = np.bincount(tree.apply(X), 1 / sizes, minlength=3)
    np.testing.assert_allclose(weighed.sum(), (1 / sizes).sum())
    if hiding:
        assert np.abs(weighed - true).max() < 0.055 * weighed.sum()
    else:
        np.testing.assert_allclose(weighed, true)
