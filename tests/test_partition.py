"""A partition cannot be changed, and answers which cells a person could be in."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.partition import MAX_CELLS, Candidates, Partition, Samples, Shape, Tree, grow_tree, scan_over
from semildp.sources import SeededSource
from tests.partitions import EXAMPLE, Crowd, crowds

STYLE = settings(deadline=None, max_examples=100)


def written_out(candidates: Candidates) -> list[list[int]]:
    sets: list[list[int]] = [[] for _ in range(candidates.n_people)]
    for person, cell in zip(*(column.tolist() for column in candidates.cells()), strict=True):
        sets[person].append(cell)
    return sets


def test_a_partition_cannot_be_changed() -> None:
    for thing in (EXAMPLE, EXAMPLE.tree, EXAMPLE.bounds):
        for field in dataclasses.fields(thing):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(thing, field.name, None)
    for array in (getattr(EXAMPLE.tree, name) for name in ("leaf", "_feature", "_threshold", "_child")):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@STYLE
@given(crowds())
def test_the_cell_of_a_person_is_one_of_their_candidates(crowd: Crowd) -> None:
    partition, X, mask = crowd
    cell = partition.cell(X)
    assert ((cell >= 0) & (cell < partition.n_cells)).all()
    for own, possible in zip(cell.tolist(), written_out(partition.candidates(X, mask)), strict=True):
        assert own in possible


@STYLE
@given(crowds())
def test_count_is_the_length_of_the_written_out_set(crowd: Crowd) -> None:
    partition, X, mask = crowd
    sets = written_out(partition.candidates(X, mask))
    assert partition.count(X, mask).tolist() == [len(possible) for possible in sets]
    assert all(possible == sorted(set(possible)) for possible in sets)


@STYLE
@given(crowds())
def test_private_entries_are_never_read(crowd: Crowd) -> None:
    partition, X, mask = crowd
    for filler in (np.nan, 1e300):
        assert written_out(partition.candidates(np.where(mask, filler, X), mask)) == written_out(
            partition.candidates(X, mask)
        )


@STYLE
@given(crowds())
def test_hiding_nothing_leaves_one_candidate_and_hiding_all_leaves_every_cell(
    crowd: Crowd,
) -> None:
    partition, X, mask = crowd
    assert written_out(partition.candidates(X, np.zeros_like(mask))) == [[c] for c in partition.cell(X).tolist()]
    everything = list(range(partition.n_cells))
    assert written_out(partition.candidates(X, np.ones_like(mask))) == [everything] * len(X)


@STYLE
@given(crowds())
def test_pick_and_position_undo_each_other(crowd: Crowd) -> None:
    partition, X, mask = crowd
    candidates = partition.candidates(X, mask)
    people = np.arange(len(X))
    for fraction in (0.0, 0.3, 0.999):
        position = (fraction * candidates.size).astype(np.int64)
        assert_array_equal(candidates.position(candidates.pick(people, position)), position)
    cell = partition.cell(X)
    assert_array_equal(candidates.pick(people, candidates.position(cell)), cell)


@STYLE
@given(crowd=crowds(), data=st.data())
def test_tally_equals_a_loop(crowd: Crowd, data: st.DataObject) -> None:
    partition, X, mask = crowd
    candidates = partition.candidates(X, mask)
    largest = data.draw(st.sampled_from([1, 1000, 2**55]))
    weights = data.draw(st.lists(st.integers(-largest, largest), min_size=len(X), max_size=len(X)))
    expected = [0] * partition.n_cells
    for weight, possible in zip(weights, written_out(candidates), strict=True):
        for cell in possible:
            expected[cell] += weight
    assert candidates.tally(np.array(weights, dtype=np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("shape", "advice"),
    [((1, 20, 2), "Lower `depth` first"), ((20, 1, 2), "Lower `bins` or `n_histogram_features` first")],
)
def test_too_many_cells_are_refused_with_the_numbers_and_what_to_lower(
    shape: tuple[int, int, int], advice: str
) -> None:
    with pytest.raises(InputError) as refused:
        Shape(*shape)
    assert f"at most {MAX_CELLS} cells" in str(refused.value)
    assert str(2 * MAX_CELLS) in str(refused.value)
    assert advice in str(refused.value)


def test_shapes_up_to_the_limit_are_allowed_and_odd_numbers_refused() -> None:
    for s, depth, bins in [(0, 20, 1), (20, 0, 2), (1, 0, MAX_CELLS), (0, 0, 1)]:
        assert Shape(s, depth, bins).n_cells <= MAX_CELLS
    for bins in (0, -1, 1.0, True):
        with pytest.raises(InputError, match="`bins` must be a whole number"):
            Shape(1, 0, bins)
    for depth in (-1, 21, 2.0):
        with pytest.raises(InputError, match="`depth` must be a whole number"):
            Shape(1, depth, 1)


@STYLE
@given(crowds())
def test_cells_are_mixed_radix_numbers(crowd: Crowd) -> None:
    """Bin by bin in plain loops, the first histogram feature most significant; one number stands for all features."""
    partition, X, _ = crowd
    unit = partition.bounds.scale(X)
    for row, cell, leaf in zip(unit.tolist(), partition.cell(X).tolist(), partition.tree.apply(unit), strict=True):
        number = int(leaf)
        for feature, bins in zip(partition.histogram_features, partition.bins, strict=True):
            number = number * bins + min(int(row[feature] * bins), bins - 1)
        assert cell == number


@pytest.mark.parametrize("bins", [(2, 3, 5), (5, 1, 2), (1, 1, 4), (4, 4, 4)])
def test_candidates_are_all_numbers_with_the_public_digits(bins: tuple[int, ...]) -> None:
    """Of a histogram with bins of its own per feature, for every mask, against all products of digits."""
    partition = Partition(FeatureBounds((0.0,) * 3, (1.0,) * 3), (2, 0, 1), bins, Tree())
    order = dict(zip(partition.histogram_features, bins, strict=True))
    X = np.random.default_rng(0).random((8, 3))
    masks = np.array(list(itertools.product((False, True), repeat=3)))
    for row, mask, found in zip(X, masks, written_out(partition.candidates(X, masks)), strict=True):
        digits = [range(b) if mask[f] else [min(int(row[f] * b), b - 1)] for f, b in order.items()]
        assert found == [(i * bins[1] + j) * bins[2] + k for i, j, k in itertools.product(*digits)]


def test_one_number_of_bins_is_that_of_every_feature() -> None:
    bounds = FeatureBounds((0.0,) * 3, (1.0,) * 3)
    assert Partition(bounds, (0, 2), 3, Tree()) == Partition(bounds, (0, 2), (3, 3), Tree())
    assert Partition(bounds, (), 3, Tree()).bins == ()
    for bins in ((3,), (3, 3, 3), (3, 0), (3, 1.5), (2**11, 2**10), 0, 1.0):
        with pytest.raises(InputError):
            Partition(bounds, (0, 2), bins, Tree())  # type: ignore[arg-type]


def test_a_tree_with_shared_children_is_refused_at_once() -> None:
    """Walked without a limit, 60 nodes like these would be visited some 10**12 times."""
    m = 60
    data = {"feature": [1] * (m - 2) + [-1, -1], "threshold": [0.5] * m, "child": [*range(1, m - 1), 0, 0]}
    with pytest.raises(InputError):
        Tree.from_dict(data, 3)


@pytest.mark.parametrize("s", [-1, 1.5, True])
def test_a_shape_needs_a_whole_number_of_histogram_features(s: Any) -> None:
    with pytest.raises(InputError, match="`n_histogram_features` must be a whole number"):
        Shape(s, 0, 2)


def test_a_label_of_someone_who_hides_everything_cannot_sway_the_tree() -> None:
    """A huge label makes the squares drop their low bits; only labels that are scored may do so."""
    unit = np.array([[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]] * 2 + [[0.5, 0.5]])
    mask = np.zeros((9, 2), dtype=bool)
    mask[8] = True
    labels = np.array([0, 0, 1, 1] * 2 + [2**30])
    samples = Samples(np.where(mask, np.nan, unit), mask, labels)
    assert grow_tree("max-edge", scan_over(samples), (0, 1), 1, SeededSource(0)).feature[0] == 1
