"""A simulation of many people takes other ways through the code than a device; the results have the same bits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from semildp import HistOfTreeRegressor
from semildp._kernels import choosing, threads
from semildp.client import complete_rows, completing, enrol
from semildp.client.rows import EnrolledOnDemand, People
from semildp.curator import partitioning
from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.sources import SeededSource, later
from semildp.wire.columns import Enrolled

N, D = 500, 5
RNG = np.random.default_rng(11)
X = np.round(RNG.random((N, D)) * 32) / 32
Y = np.clip(X[:, 0] + X[:, 3] + 0.3 * RNG.normal(size=N), -1, 3)
MASK = RNG.random((N, D)) < np.array([0.6, 0.5, 0.3, 0.0, 0.2])
ALIGNED = np.broadcast_to(np.arange(D) < 2, (N, D))
GIVEN = {"label_bounds": (-1, 3), "random_state": 5}
SHAPE = {"n_histogram_features": 2, "depth": 4, "bins": 2}
WAYS = {
    "aligned": (X, None, {"feature_bounds": (0, 1), "private_features": [0, 1], **SHAPE}),
    "masks": (X, MASK, {"feature_bounds": (0, 1), **SHAPE}),
    "all chosen": (X, MASK, {"feature_bounds": (0, 1)}),
    "other bounds": (X, MASK, {"feature_bounds": (-0.3, 1.7), **SHAPE, "bins": 3}),
    "missing": (np.where(MASK & (X < 0.3), np.nan, X), MASK, {"feature_bounds": (0, 1), **SHAPE}),
    "outside": (2 * X - 0.5, MASK, {"feature_bounds": (0, 1), "clip": True, **SHAPE}),
    "bits": (X, MASK, {"feature_bounds": (0, 1), "cell_mechanism": "rr", **SHAPE}),
    "cart": (X, MASK, {"feature_bounds": (0, 1), "splitter": "cart", **SHAPE}),
    "hidden masks": (X, MASK, {"feature_bounds": (0, 1), "hide_mask": True, **SHAPE}),
}


@pytest.fixture(params=[("0", 1), ("0", 3), ("1", 1), ("1", 2), ("1", 3)], ids=lambda p: f"compiled {p[0]}, {p[1]}")
def large(request, monkeypatch):
    """Every way that is for many people is taken by few."""
    if request.param[0] == "1":
        pytest.importorskip("numba")
    monkeypatch.setenv(choosing.COMPILED, request.param[0])
    monkeypatch.setattr(threads, "n_threads", lambda: request.param[1])
    for module, name, value in (
        (choosing, "ENOUGH", 1),
        (choosing, "FEWEST", 1),
        (threads, "SLICE", 64),
        (completing, "MANY", 1),
        (partitioning, "MANY", 150),
        (partitioning, "CHUNK", 150),
    ):
        monkeypatch.setattr(module, name, value)


def fitted(way):
    rows, mask, options = WAYS[way]
    model = HistOfTreeRegressor.paper(2.0, **GIVEN, **options)
    return model.fit(rows, Y) if mask is None else model.fit(rows, Y, mask=mask)


def seen(model):
    """All that a fit shows, bit by bit."""
    rows = np.where(MASK & (X > 0.7), np.nan, 1.4 * X - 0.2)
    return model.model_.to_json(), model.predict(rows).tobytes(), model.privacy_, pickle.dumps(model.totals_)


EXPECTED = {way: seen(fitted(way)) for way in WAYS}


@pytest.mark.parametrize("way", WAYS)
def test_a_fit_does_not_depend_on_loops_threads_or_slices(way, large):
    assert seen(fitted(way)) == EXPECTED[way]


def test_rows_that_fit_are_not_copied(large):
    bounds = FeatureBounds((0.0,) * D, (1.0,) * D)
    assert complete_rows(bounds, X, MASK, SeededSource(0)) is X


def test_words_are_drawn_in_the_same_places_whatever_is_missing(large):
    """What comes after the words for private entries does not depend on how many were needed."""
    bounds = FeatureBounds((0.0,) * D, (1.0,) * D)
    after = []
    for rows in (X, np.where(MASK & (X < 0.1), np.nan, X), np.where(MASK, np.nan, X)):
        source = SeededSource(4)
        complete_rows(bounds, rows, MASK, source)
        after.append(source.words(3).tolist())
    assert after[0] == after[1] == after[2]


@pytest.mark.parametrize(("entry", "told"), [(np.nan, "must not be missing"), (1.5, "must lie within their bounds")])
def test_a_public_entry_that_does_not_fit_is_refused(entry, told, large):
    rows = X.copy()
    rows[77, 3] = entry
    with pytest.raises(InputError, match=told):
        complete_rows(FeatureBounds((0.0,) * D, (1.0,) * D), rows, MASK, SeededSource(0))


@pytest.mark.parametrize("mask", [MASK, ALIGNED], ids=["personal", "aligned"])
def test_what_is_enrolled_on_demand_is_what_is_enrolled(mask, large):
    enrolled = enrol(People(X, Y, mask))
    assert isinstance(enrolled, EnrolledOnDemand)
    public = np.where(mask, np.nan, X)
    assert len(enrolled) == N
    np.testing.assert_array_equal(enrolled.public, public)
    np.testing.assert_array_equal(enrolled.mask, mask)
    for some in (slice(None), slice(30, 90), slice(480, 900), slice(0, N, 3), np.arange(40, 60), np.array([7, 3, 3])):
        np.testing.assert_array_equal(enrolled[some].public, public[some])
        np.testing.assert_array_equal(enrolled[some].mask, mask[some])
        inner = enrolled[10:400][some if isinstance(some, np.ndarray) else slice(5, 50)]
        expected = public[10:400][some if isinstance(some, np.ndarray) else slice(5, 50)]
        np.testing.assert_array_equal(inner.public, expected)


def test_what_travels_of_people_on_demand_is_what_they_make_public(large):
    sent = pickle.loads(pickle.dumps(enrol(People(X, Y, MASK))[20:30]))
    assert type(sent) is Enrolled
    np.testing.assert_array_equal(sent.public, np.where(MASK, np.nan, X)[20:30])
    np.testing.assert_array_equal(sent.mask, MASK[20:30])


@pytest.mark.parametrize("n", [3, 1 << 9, (1 << 9) + 1, 5000])
def test_words_promised_now_and_drawn_later_are_those_of_now(n):
    """Few words are drawn at once, and in another way than many: they are the same."""
    one, other, raw = SeededSource(9), SeededSource(9), np.random.PCG64(9).random_raw(2 * n + 4)
    promised = later(one, n, 2)
    after = one.words(4)
    expected = other.words(n, 2), other.words(4)
    np.testing.assert_array_equal(np.concatenate([promised().ravel(), after]), raw)
    np.testing.assert_array_equal(np.concatenate([expected[0].ravel(), expected[1]]), raw)


def test_a_source_that_cannot_promise_draws_at_once():
    class Plain:
        def __init__(self):
            self.source = SeededSource(9)

        def words(self, *shape):
            return self.source.words(*shape)

    source = Plain()
    promised = later(source, 2)
    assert source.words(1)[0] == SeededSource(9).words(3)[2]
    assert promised().tolist() == SeededSource(9).words(2).tolist()
