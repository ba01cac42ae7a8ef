"""A partition travels as part of a question without loss; what is no partition is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from numpy.testing import assert_array_equal

from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.partition import MAX_CELLS, Partition
from semildp.wire import messages
from semildp.wire.codec import decode, encode
from semildp.wire.forms import partition_message, read_partition
from semildp.wire.messages import AskCell, Question
from semildp.wire.problems import WireError
from tests.partitions import EXAMPLE, partitions

STYLE = settings(deadline=None, max_examples=100)
Fields = dict[str, Any]


def sent(partition: Partition) -> bytes:
    """A question about the cell, as it travels."""
    return encode(Question("0" * 64, 1, (AskCell(partition_message(partition), {}, 1.0),)))


def received(raw: bytes, bounds: FeatureBounds = EXAMPLE.bounds) -> Partition:
    """The partition of a question, read back; what is no partition is refused on the way."""
    ask = decode(raw, Question).asks[0]
    assert isinstance(ask, AskCell)
    return read_partition(ask.partition, bounds)


@STYLE
@given(partitions())
def test_a_message_brings_back_the_same_partition_bit_for_bit(partition: Partition) -> None:
    again = received(sent(partition), partition.bounds)
    assert again == partition
    assert hash(again) == hash(partition)
    assert sent(again) == sent(partition)
    assert_array_equal(again.tree.leaf, partition.tree.leaf)
    assert again.tree.depth == partition.tree.depth


@pytest.mark.parametrize("version", [0, 2, -1, "1", None, 1.5, True, 1.0])
def test_another_version_is_refused(version: object) -> None:
    with pytest.raises(InputError, match="version 1"):
        received(json.dumps({**json.loads(sent(EXAMPLE)), "version": version}).encode())


@pytest.mark.parametrize("field", ["features", "bins", "tree"])
def test_a_missing_field_is_refused(field: str) -> None:
    data = json.loads(sent(EXAMPLE))
    del data["asks"][0]["partition"][field]
    with pytest.raises(WireError, match="missing") as refused:
        received(json.dumps(data).encode())
    assert refused.value.problem == "missing-field"


def test_an_unknown_field_is_refused() -> None:
    for change in ({"colour": "red"}, {"tree": {**EXAMPLE.tree.to_dict(), "colour": []}}):
        with pytest.raises(WireError) as refused:
            received(changed(**change))
        assert refused.value.problem == "unknown-field"


@pytest.mark.parametrize(
    "fields",
    [
        {"bins": [0]},
        {"bins": [2.5]},
        {"bins": [True]},
        {"bins": ["2"]},
        {"bins": 3},
        {"bins": []},
        {"bins": [3, 3]},
        {"bins": [MAX_CELLS + 1]},
        {"bins": [MAX_CELLS]},  # times three leaves
        {"features": [3]},
        {"features": [-1]},
        {"features": [1, 1], "bins": [3, 3]},
        {"features": [0]},  # in the tree already
        {"features": []},
        {"features": None},
        {"tree": 5},
    ],
)
def test_fields_that_make_no_partition_are_refused(fields: Fields) -> None:
    with pytest.raises(InputError):
        received(changed(**fields))


def test_bounds_are_the_study_s_and_bad_ones_are_refused() -> None:
    for low, high in (((0.0, -1.0), (1.0, 1.0, 10.0)), ((0.0, -1.0, 10.0), (1.0, 1.0, 10.0)), (5, (1.0, 1.0, 10.0))):
        with pytest.raises(InputError):
            FeatureBounds(low, high)
    with pytest.raises(InputError):
        received(sent(EXAMPLE), FeatureBounds((0.0, 0.0), (1.0, 1.0)))  # one feature short
    wider = FeatureBounds((0.0, -2.0, 0.0), (1.0, 2.0, 10.0))
    assert received(sent(EXAMPLE), wider) != EXAMPLE


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
        received(changed(tree={**EXAMPLE.tree.to_dict(), **arrays}))


def changed(**fields: object) -> bytes:
    data = json.loads(sent(EXAMPLE))
    data["asks"][0]["partition"].update(fields)
    return json.dumps(data).encode()


def test_text_that_is_not_json_or_names_a_field_twice_is_refused() -> None:
    for raw, problem in (
        (b"{", "not-json"),
        (sent(EXAMPLE).replace(b'"bins"', b'"bins":[3],"bins"'), "duplicate-field"),
    ):
        with pytest.raises(WireError) as refused:
            received(raw)
        assert refused.value.problem == problem


def test_a_message_is_a_plain_copy() -> None:
    tree = messages.Tree(EXAMPLE.tree.feature, EXAMPLE.tree.threshold, EXAMPLE.tree.child)
    assert partition_message(EXAMPLE) == messages.Partition((1,), (3,), tree)
