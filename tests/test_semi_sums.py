"""Sums over batches agree with what is made of everybody at once; compiled loops agree with NumPy to the last bit."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest

from semildp._kernels import choosing, columns, tables
from semildp.curator.effects import counts, people, reading
from semildp.curator.effects.expecting import Moments
from semildp.curator.effects.learning import learn_effects
from semildp.curator.effects.people import Chosen, kinds
from semildp.curator.effects.places import BUCKETS, BucketCounts, Places
from semildp.curator.learning import NoisyLabelAverage, noisy_label_average
from semildp.curator.learning.extent import Extent
from semildp.curator.learning.rows import sample
from semildp.models.places import even_cuts, place_of
from semildp.wire.columns import Enrolled
from tests.residuals import answers_to, study_of

WITH_NUMBA = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")


def awkward(rng: np.random.Generator, n: int) -> np.ndarray:
    """Numbers of [0, 1]: even, in two narrow heaps, on a few values with both ends, with gaps, and none at all."""
    X = rng.uniform(size=(n, 5))
    X[:, 1] = np.where(X[:, 1] < 0.5, 0.2 + 1e-6 * X[:, 1], 0.7 + 1e-9 * X[:, 1])
    X[:, 2] = np.round(7 * X[:, 2]) / 7
    X[rng.uniform(size=n) < 0.3, 3] = np.nan
    X[:, 4] = np.nan
    return X


@pytest.mark.parametrize("n", [1, 2, 65, 5000])
def test_order_statistics_are_those_of_sorted_numbers(n):
    """Exactly, whatever the batches."""
    rng = np.random.default_rng(n)
    X, shares = awkward(rng, n), even_cuts(64)
    parts = np.array_split(X, [n // 3, n // 2])
    counted = reduce(add, map(BucketCounts.of, parts))
    for x, (found, least) in zip(X.T, counted.order_statistics(parts, shares), strict=True):
        there = x[~np.isnan(x)]
        if len(there):
            np.testing.assert_array_equal(found, np.quantile(there, shares, method="higher"))
            assert least == there.min()
        else:
            assert len(found) == 0


@pytest.mark.parametrize(
    "cuts", [even_cuts(64), even_cuts(3), (), (0.0, 1e-9, 0.2, 0.2 + 1e-6, 1.0), even_cuts(BUCKETS)]
)
def test_places_by_buckets_are_those_of_a_search(cuts):
    rng = np.random.default_rng(0)
    unit = np.concatenate([rng.uniform(size=9000), np.asarray(cuts), np.nextafter(cuts, 0), [0.0, 1.0]])
    np.testing.assert_array_equal(Places.of(cuts)(unit), place_of(unit, cuts))


def test_moments_and_extents_of_batches_add_up():
    """To 1e-12 of what they are of all rows."""
    X = awkward(np.random.default_rng(1), 1000)[:, :4] * 1e3 + 1e5
    parts = np.array_split(X, [1, 400, 700])
    found, whole = reduce(add, map(Moments.of, parts)), Moments.of(X)
    np.testing.assert_array_equal(found.count, whole.count)
    np.testing.assert_allclose(found.mean, np.nanmean(X, axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.square, np.nanvar(X, axis=0) * whole.count, rtol=1e-9)
    extent = reduce(add, map(Extent.of, parts))
    np.testing.assert_array_equal([extent.low, extent.high], [np.nanmin(X, axis=0), np.nanmax(X, axis=0)])
    np.testing.assert_array_equal(extent.gaps, np.isnan(X).any(axis=0))
    np.testing.assert_allclose(extent.deviation, np.nanstd(X, axis=0), rtol=1e-9)


@pytest.mark.parametrize("width", [1, 3, 70])
def test_people_are_divided_by_what_they_hide_as_rows_are(width):
    rng = np.random.default_rng(2)
    mask = rng.uniform(size=(300, width)) < 0.5 if width < 70 else np.repeat(rng.uniform(size=(3, width)) < 0.5, 100, 0)
    enrolled = Enrolled(np.zeros(mask.shape), mask)
    _, kind, size = np.unique(mask, axis=0, return_inverse=True, return_counts=True)
    found = kinds(Chosen(enrolled, np.arange(300)), list(range(width)))
    np.testing.assert_array_equal(found[0], kind.ravel())
    np.testing.assert_array_equal(found[1], size)
    assert [a.tolist() for a in kinds(enrolled[:1], list(range(width)))] == [[0], [1]]


@pytest.mark.parametrize("together", [False, True])
def test_effects_learnt_in_small_batches_are_the_same(monkeypatch, together):
    """To 1e-9 of the largest: features that go together (`together`), or not, with all batches 100 times smaller."""
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(3000, 4))
    if together:
        X[:, :2] = (X[:, :2] + 2 * X[:, 2:3]) / 3
    residual = X[:, 0] - 0.5 + (X[:, 1] > 0.5) * X[:, 2] + 0.3 * rng.normal(size=3000)
    study = study_of(4.0, [None] * 4)
    asked = answers_to(study, X, residual, (0, 1), [(0,), (1,), (0, 1)], 4, seed=1)
    asked = [replace(each, reports=replace(each.reports, shift=0.1 * each.enrolled.public[:, 2])) for each in asked]
    whole = learn_effects(study, (2, 3), (0, 1), asked, 0.2)
    assert together == any(e.slopes for e in whole.expectations)
    assert whole.effects
    for module in (people, reading, counts):
        monkeypatch.setattr(module, "BATCH", 97)
    for name in ("axes", "learning", "expected"):
        monkeypatch.setattr(f"semildp.curator.effects.{name}.BATCH", 97)
    monkeypatch.setattr(reading, "KEPT", 0)
    monkeypatch.setattr("semildp.curator.effects.expected.KEPT", 0)
    parts = learn_effects(study, (2, 3), (0, 1), asked, 0.2)
    assert [e.features for e in parts.effects] == [e.features for e in whole.effects]
    for one, other in zip(parts.effects, whole.effects, strict=True):
        np.testing.assert_allclose(one.table, other.table, atol=1e-9 * np.abs(other.table).max())


class TestSample:
    def test_few_people_are_all_in_it(self):
        assert sample(5, 5, 0).tolist() == [0, 1, 2, 3, 4]

    def test_of_many_it_has_about_as_many_as_wanted_in_no_order(self):
        """Binomial: six standard deviations are exceeded once in 10^9; so are those of its correlation with place."""
        n, most = 200_000, 20_000
        chosen = sample(n, most, seed=1)
        assert abs(len(chosen) - most) < 6 * np.sqrt(most)
        inside = np.zeros(n)
        inside[chosen] = 1
        assert abs(np.corrcoef(inside, np.arange(n))[0, 1]) < 6 / np.sqrt(n)
        assert abs(np.corrcoef(inside[1:], inside[:-1])[0, 1]) < 6 / np.sqrt(n)
        assert abs(len(np.intersect1d(chosen, sample(n, most, seed=2))) - most**2 / n) < 6 * np.sqrt(most**2 / n)

    def test_regressions_are_of_everybody_and_trees_of_a_sample(self, monkeypatch):
        rng = np.random.default_rng(4)
        X = rng.uniform(size=(3000, 3))
        y, w = X[:, 0] + rng.normal(size=3000), rng.uniform(0.5, 1, 3000)
        whole = NoisyLabelAverage().fit(X, y, w)
        monkeypatch.setattr(noisy_label_average, "_MOST", 2000)
        part = NoisyLabelAverage().fit(X, y, w)
        line, same = whole.members_[0], part.members_[0]
        # standardised by another mean and scale, the same straight line of everybody, but for the penalty's units
        np.testing.assert_allclose(same.predict(X), line.predict(X), atol=0.02)
        assert part.members_[2] != whole.members_[2]
        assert np.mean((part.predict(X) - X[:, 0]) ** 2) < 0.1 * X[:, 0].var()


@WITH_NUMBA
class TestCompiled:
    """The compiled loops give the bits of NumPy's."""

    rng = np.random.default_rng(5)
    fine = rng.integers(0, 256, (5, 700)).astype(np.uint8)
    coarse = fine // np.uint8(16)
    numbers = np.array([rng.normal(size=700), rng.uniform(size=700)])

    def both(self, function, *arguments):
        return function(*arguments), function(*arguments, compiled=True)

    def test_tables_of_pairs_and_their_best_cuts(self):
        pairs = np.array([(0, 1), (2, 4), (3, 3)])
        plain, quick = self.both(tables.pair_tables, self.coarse, pairs, self.numbers[0])
        np.testing.assert_array_equal(plain, quick)
        many = np.array([np.bincount(self.coarse[j] * 16 + self.coarse[k], self.numbers[0], 256) for j, k in pairs])
        np.testing.assert_array_equal(plain, many)
        inverse, handicap = self.rng.uniform(size=(4, 3, 16, 16)), self.rng.uniform(size=(3, 16, 16))
        plain, quick = self.both(tables.best_quadrants, quick, inverse, 7.0, handicap)
        assert plain == quick

    @pytest.mark.parametrize("least", [0.0, 0.02, 0.6])
    def test_cuts_within_groups(self, least):
        groups = self.rng.integers(0, 4, 700).astype(np.uint8)
        arguments = (self.fine, [1, 4, 2], groups, 4, self.numbers)
        plain, quick = self.both(tables.cut_tables, *arguments)
        np.testing.assert_array_equal(plain, quick)
        least = max(least, 1e-6)
        assert tables.best_cuts(plain, least) == tables.best_cuts(quick, least, compiled=True)

    @pytest.mark.parametrize("cuts", [[], [(0, 100)], [(0, 100), (3, 7), (2, 250)]])
    def test_leaves_and_what_they_take_off(self, cuts):
        chosen, steps = [c for c, _ in cuts], [s for _, s in cuts]
        (leaf, sums), (same, quick) = self.both(tables.leaf_sums, self.fine, chosen, steps, self.numbers)
        np.testing.assert_array_equal(leaf, same)
        np.testing.assert_array_equal(sums, quick)
        values, left = self.rng.normal(size=8), [self.numbers[0].copy() for _ in range(2)]
        tables.subtract_leaves(left[0], self.numbers[1], values, leaf)
        tables.subtract_leaves(left[1], self.numbers[1], values, leaf, compiled=True)
        np.testing.assert_array_equal(*left)

    def test_steps_of_any_columns(self):
        X = awkward(self.rng, 2000)
        X = np.column_stack([X, 10 ** (300 * X[:, 0] - 262), np.full(2000, -0.0)])
        narrow = np.clip(X, -3e38, 3e38).astype(np.float32)
        edges = tuple(np.unique(x[~np.isnan(x)])[:-1][:255] for x in narrow.T)
        plain, quick = self.both(columns.step_codes, np.clip(X, -3e38, 3e38), edges)
        np.testing.assert_array_equal(plain, quick)

    def test_splines(self):
        X, found = 3 * self.rng.normal(size=(500, 3)), np.zeros((2, 500, 21))
        low, high = np.array([-1.0, -2.0, 0.0]), np.array([1.0, -1.0, 1e-3])
        for basis, compiled in zip(found, (False, True), strict=True):
            columns.spline_columns(X, low, high, basis, compiled=compiled)
        np.testing.assert_array_equal(*found)

    @pytest.mark.parametrize("n_columns", [1, 2, 3])
    def test_the_learner(self, n_columns, monkeypatch):
        """With two columns there is none for a third cut, with one no pair."""
        X = self.rng.uniform(size=(1500, n_columns))
        y = 3 * (X[:, 0] > 0.5) * X[:, -1] + self.rng.normal(size=1500)
        monkeypatch.setattr(choosing, "ENOUGH", 1)
        monkeypatch.setattr(choosing, "FEWEST", 1)
        quick = NoisyLabelAverage().fit(X, y).average()
        monkeypatch.setenv("SEMILDP_COMPILED", "0")
        assert NoisyLabelAverage().fit(X, y).average() == quick
