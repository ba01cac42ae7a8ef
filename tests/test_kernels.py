"""Compiled loops and their NumPy twins agree to the last bit, in any number of threads and slices."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp._kernels import choosing, plain, threads
from semildp._kernels.ranges import as_slice
from semildp.curator.totals import tally_cells
from semildp.domains import FeatureBounds
from semildp.partition import Partition, Samples, Tree, grow_tree, scan_over
from semildp.partition.tree import TreeBuilder
from semildp.sources import SeededSource
from semildp.wire.columns import Enrolled, Marks

compiled = pytest.importorskip("semildp._kernels.compiled")
STYLE = settings(deadline=None, max_examples=60)
SEEDS = st.integers(0, 2**32)
D = 5


@pytest.fixture(params=[1, 2, 3])
def many_threads(request, monkeypatch):
    """Some threads, whatever the machine has, and slices so short that all of them are used."""
    monkeypatch.setattr(threads, "n_threads", lambda: request.param)
    monkeypatch.setattr(threads, "SLICE", 7)
    monkeypatch.setattr(choosing, "ENOUGH", 1)
    monkeypatch.setattr(choosing, "FEWEST", 1)
    return request.param


def loops_of(partition):
    choosing._loops()
    return partition._loops


def bounds_from(rng):
    """Bounds of all sizes and signs: cuts in the features' own unit must be found to the last bit."""
    low = rng.normal(size=D) * 10.0 ** rng.integers(-3, 3)
    return FeatureBounds(tuple(low), tuple(low + rng.random(D) * 10.0 ** rng.integers(-2, 4) + 1e-3))


def partition_from(rng, bounds):
    """A histogram on two features, some of them of one bin, times a tree of any shape on the others."""
    builder, open_ = TreeBuilder(), [(0, ((0.0, 1.0),) * D)]
    for _ in range(rng.integers(0, 9)):
        node, box = open_.pop(rng.integers(len(open_)))
        feature = int(rng.integers(2, D))
        low, high = box[feature]
        middle = high if rng.random() < 0.1 else low + (high - low) * rng.choice([0.5, 0.3])
        left = builder.split(node, feature, middle)
        for child, ends in ((left, (low, middle)), (left + 1, (middle, high))):
            open_.append((child, (*box[:feature], ends, *box[feature + 1 :])))
    bins = tuple(int(t) for t in rng.integers(1, 4, 2))
    return Partition(bounds, (1, 0), bins, builder.build())


def people_from(rng, bounds):
    """Rows on and off the cuts, at both bounds; masks from nobody's to everybody's."""
    n, grid = int(rng.integers(0, 60)), rng.choice([2, 16, 1000])
    unit = np.round(rng.random((n, D)) * grid) / grid
    low, high = np.array(bounds.low), np.array(bounds.high)
    X = np.clip(low + unit * (high - low), low, high)
    mask = rng.random((n, D)) < rng.choice([0.0, 0.3, 1.0])
    return X, np.broadcast_to(rng.random(D) < 0.4, (n, D)) if rng.random() < 0.3 else mask


@STYLE
@given(SEEDS)
def test_a_cut_in_a_feature_s_own_unit_is_reached_exactly_when_the_scaled_value_is(seed):
    rng = np.random.default_rng(seed)
    bounds, points = bounds_from(rng), np.append(1 - rng.random(20), 1.0)
    for times in (1.0, float(rng.integers(1, 8))):
        cuts = bounds.unscale(0, points * times, times)
        for x in (cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)):
            rows = np.tile(bounds.low, (len(x), 1))
            rows[:, 0] = np.where(np.isfinite(x), x, bounds.high[0])
            scaled = bounds.scale(rows)[:, 0] * times >= points * times
            assert ((rows[:, 0] >= cuts) == scaled).all()


@STYLE
@given(SEEDS)
def test_cells_and_candidates_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    bounds = bounds_from(rng)
    partition, (X, mask) = partition_from(rng, bounds), people_from(rng, bounds)
    public, loops = np.where(mask, np.nan, X), loops_of(partition)
    candidates = partition.candidates(public, mask)
    cell = partition.cell(X)
    position = candidates.position(cell)
    assert loops.cells(X).tolist() == cell.tolist()
    assert loops.sizes(public, mask).tolist() == candidates.size.tolist() == partition.count(public, mask).tolist()
    assert [each.tolist() for each in loops.truths(X, mask)] == [candidates.size.tolist(), position.tolist()]
    place = rng.integers(0, candidates.size)
    assert loops.pick(public, mask, place).tolist() == candidates.pick(np.arange(len(X)), place).tolist()
    listed = np.zeros((len(X), partition.n_cells), dtype=bool)
    listed[candidates.cells()] = True
    person, any_cell = (rng.permutation(axis.ravel()) for axis in np.indices(listed.shape))
    assert loops.possible(public, mask, person, any_cell).tolist() == listed[person, any_cell].tolist()


def test_rows_of_any_layout_and_values_beyond_the_bounds_are_looked_at_alike(monkeypatch):
    rng = np.random.default_rng(3)
    bounds = FeatureBounds((0.0,) * D, (1.0,) * D)
    partition = partition_from(np.random.default_rng(8), bounds)
    X = rng.normal(size=(50, D)) * 2
    X[0], X[1] = np.inf, -np.inf
    for rows in (X, np.asfortranarray(X), X[::2], X[:, ::-1]):
        assert loops_of(partition).cells(rows).tolist() == partition.cell(rows).tolist()
    narrow = X.astype(np.float32)
    expected = partition.cell(narrow.astype(np.float64)).tolist()
    monkeypatch.setattr(choosing, "FEWEST", 1)
    assert partition.loops(len(narrow)) is not None
    assert partition.cell(narrow).tolist() == expected
    assert partition.count(narrow, np.zeros(X.shape, dtype=bool)).tolist() == [1] * len(X)


@STYLE
@given(SEEDS)
def test_totals_are_those_of_numpy_whatever_the_marks(seed):
    rng = np.random.default_rng(seed)
    bounds = bounds_from(rng)
    partition, (X, mask) = partition_from(rng, bounds), people_from(rng, bounds)
    enrolled, n = Enrolled(np.where(mask, np.nan, X), mask), len(X)
    labels = rng.integers(-(10**6), 10**6, n)
    count = rng.integers(0, 4, n)
    marks = Marks(count, rng.integers(0, partition.n_cells, int(count.sum())))
    if rng.random() < 0.5:
        marks = Marks.one_each(rng.integers(0, partition.n_cells, n))
    found = loops_of(partition).tallies(enrolled.public, mask, labels, marks.count, marks.value)
    expected = tally_cells(partition, enrolled, labels, marks)
    assert (found is None) == (n == 0)
    if found is None:
        return
    marked, could = found
    for k, tally in enumerate((expected.people, expected.labels)):
        assert marked[k::2].tolist() == [tally.known.tolist(), tally.marks.tolist(), tally.sized_marks.tolist()]
        assert could[k].tolist() == tally.candidates.tolist()
    assert could[2].tolist() == expected.sized_candidates.tolist()


def test_sums_that_could_wrap_around_and_marks_that_are_no_cells_are_left_to_numpy():
    bounds = FeatureBounds((0.0,) * D, (1.0,) * D)
    loops = loops_of(Partition(bounds, (0,), (2,), Tree()))
    rows, mask = np.zeros((2, D)), np.zeros((2, D), dtype=bool)
    one, cells = np.ones(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    assert loops.tallies(rows, mask, one, one, cells) is not None
    assert loops.tallies(rows, mask, np.array([2**59, 1]), one, cells) is None
    assert loops.tallies(rows, mask, one, one, cells + 2) is None
    assert loops.tallies(rows, mask, one, one, cells - 1) is None
    wide = loops_of(Partition(bounds, (0, 1), (128, 128), Tree()))
    assert wide.tallies(rows, mask, one, one, cells) is None


@STYLE
@given(SEEDS)
def test_codes_and_sums_by_node_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    X, hidden = people_from(rng, FeatureBounds((0.0,) * D, (1.0,) * D))
    n, features = len(X), np.array([3, 1, 4])
    cuts = [
        np.sort(rng.choice(np.arange(1, 255) / 255, size, replace=False)) for size in rng.choice([0, 1, 2, 7, 254], 3)
    ]
    first = np.cumsum([0, *map(len, cuts)])
    labels, node = rng.integers(-(10**4), 10**4, n), rng.integers(-1, 4, n).astype(np.int32)
    chosen, digit, shift = rng.integers(0, 3, 4), int(rng.integers(0, 8)), int(rng.integers(0, 5))
    results = []
    for loops in (plain, compiled):
        codes, moved = np.empty((n, 3), dtype=np.uint8), node.copy()
        loops.places(np.where(hidden, np.nan, X), hidden, features, first, np.concatenate(cuts), codes)
        loops.descend(codes, moved, chosen, digit)
        sums = np.ones((8, 6, 3), dtype=np.int64)
        loops.side_sums(codes, moved, labels, 17, shift, digit, sums)
        results.append((codes.tolist(), moved.tolist(), sums.tolist()))
    assert results[0] == results[1]


@STYLE
@given(SEEDS)
def test_misfits_are_counted_alike(seed):
    rng = np.random.default_rng(seed)
    X, hidden = rng.normal(size=(30, 3)), rng.random((30, 3)) < 0.5
    X[rng.random(X.shape) < 0.3] = np.nan
    X[rng.random(X.shape) < 0.1] = rng.choice([np.inf, -np.inf, 1.0, -0.5])
    low, high = np.full(3, -0.5), np.full(3, 1.0)
    found = [np.zeros(4, dtype=np.int64) for _ in range(3)]
    for loops, counts in zip((plain, compiled), found, strict=False):
        loops.misfits(X, hidden, low, high, counts)
    for row, side in zip(X, hidden, strict=True):
        for x, is_hidden in zip(row, side, strict=True):
            found[2][2 * is_hidden] += np.isnan(x)
            found[2][2 * is_hidden + 1] += x < -0.5 or x > 1.0
    assert found[0].tolist() == found[1].tolist() == found[2].tolist()


def test_the_loops_are_right_before_they_are_compiled():
    """The same source, run by the interpreter."""
    rng = np.random.default_rng(5)
    X, hidden = rng.random((20, D)), rng.random((20, D)) < 0.3
    first, cuts = np.array([0, 1, 4]), np.array([0.5, 0.25, 0.5, 0.75])
    codes = [np.empty((20, 2), dtype=np.uint8) for _ in range(2)]
    for places, out in zip((plain.places, compiled.places.py_func), codes, strict=True):
        places(X, hidden, np.array([2, 0]), first, cuts, out)
    assert codes[0].tolist() == codes[1].tolist()


@pytest.mark.parametrize("depth", [0, 3, 7, 9])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_tree_grows_alike_in_any_threads_slices_and_batches(many_threads, depth, share, monkeypatch):
    rng = np.random.default_rng(depth)
    n, features = 300, (0, 2, 3)
    unit, mask, labels = rng.random((n, 4)), rng.random((n, 4)) < share, rng.integers(-500, 900, n)
    unit[:9] = 1.0
    batches = [Samples(unit[s], mask[s], labels[s], s.start) for s in threads.slices(n, 110)]
    batches.append(Samples(unit[:0], mask[:0], labels[:0], n))
    grown = grow_tree("max-edge", scan_over(*batches), features, depth, SeededSource(0))
    monkeypatch.setenv(choosing.COMPILED, "0")
    alone = scan_over(Samples(unit, mask, labels))
    assert grown == grow_tree("max-edge", alone, features, depth, SeededSource(0))


def test_numpy_is_used_where_the_compiled_loops_cannot_be_had(monkeypatch):
    for problem in (ImportError, RuntimeError):
        choosing._loops.cache_clear()
        monkeypatch.setattr(choosing, "import_module", mock.Mock(side_effect=problem))
        assert choosing.compiled(choosing.ENOUGH) is None
    choosing._loops.cache_clear()


def test_numpy_is_used_for_few_people_and_where_it_is_asked_for(monkeypatch):
    assert choosing.compiled(1) is None
    assert choosing.compiled(choosing.FEWEST - 1) is None
    assert choosing.compiled(choosing.ENOUGH) is compiled
    assert choosing.compiled(choosing.FEWEST) is compiled  # once loaded, it pays sooner
    monkeypatch.setenv(choosing.COMPILED, "0")
    assert choosing.compiled(choosing.ENOUGH) is None


def test_results_come_in_the_order_of_slices(many_threads):
    assert threads.over_slices(lambda s: (s.start, s.stop), 17) == [(0, 7), (7, 14), (14, 17)]
    assert threads.over_slices(lambda s: s, 0) == []
    inner = threads.over_slices(lambda s: threads.over_slices(lambda t: t.start, 30), 30)
    assert inner == [[0, 7, 14, 21, 28]] * 5


def test_a_failing_slice_is_heard(many_threads):
    def fail(s):
        if s.start == 14:
            raise ValueError("fourteen")

    with pytest.raises(ValueError, match="fourteen"):
        threads.over_slices(fail, 30)


@pytest.mark.parametrize(("wanted", "used"), [("1", 1), ("0", 1), ("10000", None), ("many", None), ("", None)])
def test_an_environment_variable_limits_threads(wanted, used, monkeypatch):
    monkeypatch.delenv(threads.THREADS, raising=False)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    allowed = threads.n_threads()
    monkeypatch.setenv(threads.THREADS, wanted)
    assert threads.n_threads() == (allowed if used is None else used)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert threads.n_threads() == (used if used is not None else 1 if not wanted else allowed)


@pytest.mark.parametrize("index", [[2, 3, 4], [0], [], [3, 2], [0, 2], [1, 1], [-1, 0], [2, 4, 3, 5]])
def test_a_range_of_indices_is_a_slice(index):
    array, data = np.array(index, dtype=np.int64), np.arange(10)
    assert data[as_slice(array)].tolist() == data[array].tolist()
    assert isinstance(as_slice(array), slice) == (index in ([2, 3, 4], [0]))
