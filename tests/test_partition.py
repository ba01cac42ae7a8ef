"""A partition travels as JSON without loss, cannot be changed, and answers which cells a person could be in."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.partition import MAX_CELLS, SPLITTERS, Candidates, Partition, Samples, Shape, Tree, grow_tree
from semildp.partition.tree import TreeBuilder
from semildp.sources import SeededSource

STYLE = settings(deadline=None, max_examples=100)
EXAMPLE = Partition(
    FeatureBounds((0.0, -1.0, 0.0), (1.0, 1.0, 10.0)),
    (1,),
    3,
    Tree((2, -1, 0, -1, -1), (0.5, 0.0, 0.25, 0.0, 0.0), (1, 0, 3, 0, 0)),
)
Fields = dict[str, Any]
Crowd = tuple[Partition, NDArray[np.float64], NDArray[np.bool_]]


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Any histogram, and any tree on the other features: splits are put on leaves drawn one after the other."""
    d = draw(st.integers(1, 4))
    histogram = draw(st.permutations(range(d)))[: draw(st.integers(0, d))]
    rest = sorted(set(range(d)) - set(histogram))
    builder, boxes = TreeBuilder(), {0: dict.fromkeys(rest, (0.0, 1.0))}
    for _ in range(draw(st.integers(0, 6)) if rest else 0):
        leaf, feature = draw(st.sampled_from(sorted(boxes))), draw(st.sampled_from(rest))
        box = boxes.pop(leaf)
        low, high = box[feature]
        threshold = draw(st.floats(low, high, exclude_min=True))
        left = builder.split(leaf, feature, threshold)
        boxes[left] = {**box, feature: (low, threshold)}
        if threshold == high:  # the right side is one point: no further split there
            continue
        boxes[left + 1] = {**box, feature: (threshold, high)}
    ends = [sorted(draw(st.tuples(st.floats(-1e6, 0.0), st.floats(1e-3, 1e6)))) for _ in range(d)]
    bounds = FeatureBounds(tuple(low for low, _ in ends), tuple(high for _, high in ends))
    return Partition(bounds, tuple(histogram), draw(st.integers(1, 3)), builder.build())


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    """A partition, people and their masks."""
    partition = draw(partitions())
    d, n = partition.bounds.n_features, draw(st.integers(0, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, high = np.array(partition.bounds.low), np.array(partition.bounds.high)
    unit = rng.choice([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0, rng.random()], (n, d))
    return partition, low + unit * (high - low), rng.random((n, d)) < draw(st.sampled_from([0.5, 0.0, 0.2, 1.0]))


def written_out(candidates: Candidates) -> list[list[int]]:
    sets: list[list[int]] = [[] for _ in range(candidates.n_people)]
    for person, cell in zip(*(column.tolist() for column in candidates.cells()), strict=True):
        sets[person].append(cell)
    return sets


@STYLE
@given(partitions())
def test_json_brings_back_the_same_partition_bit_for_bit(partition: Partition) -> None:
    again = Partition.from_json(partition.to_json())
    assert again == partition
    assert hash(again) == hash(partition)
    assert again.to_json() == partition.to_json()
    assert_array_equal(again.tree.leaf, partition.tree.leaf)
    assert again.tree.depth == partition.tree.depth


@pytest.mark.parametrize("version", [0, 2, -1, "1", None, 1.5])
def test_another_version_is_refused(version: object) -> None:
    with pytest.raises(InputError, match="version 1"):
        Partition.from_json(changed(version=version))


@pytest.mark.parametrize("field", ["version", "low", "high", "histogram_features", "bins", "tree"])
def test_a_missing_field_is_refused(field: str) -> None:
    data = json.loads(EXAMPLE.to_json())
    del data[field]
    with pytest.raises(InputError, match=r"version|missing"):
        Partition.from_json(json.dumps(data))


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(InputError, match="unknown"):
        Partition.from_json(changed(colour="red"))
    with pytest.raises(InputError, match="an object with feature, threshold and child"):
        Partition.from_json(changed(tree={**EXAMPLE.tree.to_dict(), "colour": []}))


@pytest.mark.parametrize(
    "fields",
    [
        {"low": [0.0, -1.0]},
        {"low": [0.0, -1.0, 10.0]},
        {"high": [1.0, 1.0, "10"]},
        {"bins": 0},
        {"bins": 2.0},
        {"bins": True},
        {"histogram_features": [3]},
        {"histogram_features": [-1]},
        {"histogram_features": [1, 1]},
        {"histogram_features": [0]},
        {"bins": MAX_CELLS + 1},
        {"bins": MAX_CELLS},  # times three leaves
        {"low": 5},
        {"histogram_features": None},
        {"tree": 5},
        {"version": True},
        {"version": 1.0},
    ],
)
def test_fields_that_make_no_partition_are_refused(fields: Fields) -> None:
    with pytest.raises(InputError):
        Partition.from_json(changed(**fields))


@pytest.mark.parametrize(
    "arrays",
    [
        {"child": [0, 0, 3, 0, 0]},  # a node is its own child
        {"child": [1, 0, 1, 0, 0]},  # a node above is a child
        {"child": [1, 0, 4, 0, 0]},  # a child past the end
        {"child": [3, 0, 3, 0, 0]},  # two nodes are not reached
        {"child": [1, 0, 3, 0, -1]},
        {"child": [1.0, 0, 3, 0, 0]},
        {"child": [1, 0, 3, 0]},
        {"feature": [2, 0, 0, -1, -1], "child": [1, 2, 3, 0, 0]},  # a node is reached twice
        {"feature": [2, -1, 0, -1]},
        {"feature": [3, -1, 0, -1, -1]},
        {"feature": [-2, -1, 0, -1, -1]},
        {"feature": [2, -1, True, -1, -1]},
        {"feature": [], "threshold": [], "child": []},
        {"threshold": [1.5, 0.0, 0.25, 0.0, 0.0]},
        {"threshold": [-0.1, 0.0, 0.25, 0.0, 0.0]},
        {"threshold": [float("nan"), 0.0, 0.25, 0.0, 0.0]},
        {"threshold": [0.5, 0.0, 0.25, 0.0]},
        {"threshold": ["0.5", 0.0, 0.25, 0.0, 0.0]},
        {"threshold": [None, 0.0, 0.25, 0.0, 0.0]},
        {"threshold": [0.5, 0.1, 0.25, 0.0, 0.0]},  # a leaf with a threshold
        {"child": [1, 1, 3, 0, 0]},  # a leaf with a child
        {"threshold": [0.5, 0.0, 0.25, 0.0, 0.0], "feature": [2, -1, 2, -1, -1]},  # a split outside its box
    ],
)
def test_broken_trees_are_refused(arrays: Fields) -> None:
    with pytest.raises(InputError):
        Partition.from_json(changed(tree={**EXAMPLE.tree.to_dict(), **arrays}))


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


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(EXAMPLE.to_json()), **fields})


def test_text_that_is_not_json_or_names_a_field_twice_is_refused() -> None:
    with pytest.raises(InputError, match="must be JSON"):
        Partition.from_json("{")
    with pytest.raises(InputError, match="twice"):
        Partition.from_json(EXAMPLE.to_json().replace('{"version": 1,', '{"version": 1, "version": 1,', 1))


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
    assert grow_tree("max-edge", samples, (0, 1), 1, SeededSource(0)).feature[0] == 1


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a_pruned_tree_is_the_tree_of_that_depth(splitter: str) -> None:
    rng = np.random.default_rng(0)
    samples = Samples(rng.random((500, 4)), rng.random((500, 4)) < 0.2, rng.integers(0, 100, 500))
    deep = grow_tree(splitter, samples, (0, 1, 3), 5, SeededSource(0))
    for depth in range(6):
        assert deep.pruned(depth) == grow_tree(splitter, samples, (0, 1, 3), depth, SeededSource(0))
