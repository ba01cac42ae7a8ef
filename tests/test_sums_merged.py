"""Sums of sums at the edge of 64 bits, held against Python's whole numbers: right or refused, never wrapped."""

from __future__ import annotations

from contextlib import suppress
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp._checks import SMALLEST_EPSILON
from semildp.curator import Tally, Totals, estimate, tally_cells
from semildp.curator.tallies import HistogramTotals
from semildp.domains import LabelGrid
from semildp.errors import InputError
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse
from semildp.wire.columns import Enrolled, Marks
from tests.asking import PARTITION

STYLE = settings(deadline=None, max_examples=100)
CAPACITY = 2**62
REFUSED = r"must stay below 2\*\*62"
NUMBERS = st.integers(0, 62).flatmap(lambda digits: st.integers(-(2**digits) + 1, 2**digits - 1))
VECTORS = st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=1, max_size=4)  # of people: two cells, twice


def close(size: int) -> bool:
    """Whether a size is so near the capacity that floating point decides; both answers are right there."""
    return abs(size - CAPACITY) <= CAPACITY * 1e-9


@STYLE
@given(st.lists(VECTORS, min_size=1, max_size=5))
def test_histograms_in_batches_are_exact_or_refused(batches):
    """Each batch may fit and all of them together not."""
    people = [vector for batch in batches for vector in batch]
    exact = [sum(column) for column in zip(*people, strict=True)]
    sizes = [sum(abs(x) for x in column) for column in zip(*people, strict=True)]

    def total() -> list[int]:
        parts = [HistogramTotals.of(np.array(batch, dtype=np.int64).reshape(-1, 2, 2)) for batch in batches]
        return reduce(add, parts).sums.reshape(-1).tolist()

    if max(sizes) < CAPACITY and not any(map(close, sizes)):
        assert total() == exact
        return
    with suppress(InputError):
        assert total() == exact  # signs may cancel within a batch


def test_five_full_batches_of_histograms_are_refused():
    """Two of them fit; of five the sum would wrap around."""
    batch = HistogramTotals.of(np.full((1, 2, 2), 2**61 - 2**20))
    assert (batch + batch).sums.tolist() == [[2**62 - 2**21] * 2] * 2
    with pytest.raises(InputError, match=REFUSED):
        reduce(add, [batch] * 5)


def totals_of(labels: list[int]) -> Totals:
    """Totals in which every cell has ten people who are known to be there, and a sum of labels."""
    nothing, ten = np.zeros(12, dtype=np.int64), np.full(12, 10)
    return Totals(
        120,
        sum(labels),
        Tally(ten, nothing, nothing, nothing),
        Tally(np.array(labels, dtype=np.int64), nothing, nothing, nothing),
        nothing,
    )


@STYLE
@given(st.lists(NUMBERS, min_size=12, max_size=12))
def test_the_sum_over_all_cells_is_right_or_refused(labels):
    """A cell too thin for its own mean falls back to the nodes above it: at last to the root, the mean of all."""
    grid, identity = LabelGrid(-1.0, 1.0, 2), GeneralisedResponse.weights(700.0)

    def value() -> float:
        found = estimate(PARTITION, totals_of(labels), identity, grid, 1e9, lambda steps: np.asarray(steps))
        return float(found.values[0])

    size = sum(map(abs, labels))
    if size >= CAPACITY and not close(size):
        with pytest.raises(InputError, match=REFUSED):
            value()
    elif not close(size):
        assert value() == pytest.approx(min(max(sum(labels) / 120 - 1.0, -1.0), 1.0))


@pytest.mark.parametrize("people", [2**10, 2**16, 2**20])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_farthest_labels_at_the_least_epsilon_are_added_up_or_refused(people, sign):
    """A report may then be some 4 * 10**13 steps away: 2**17 people who all send that do not fit."""
    mechanism = DiscreteLaplace(SMALLEST_EPSILON, 1)
    farthest = sign * mechanism.farthest
    public = Enrolled(np.full((people, 3), 0.3), np.zeros((people, 3), dtype=np.bool_))
    cell = PARTITION.cell(public.public)
    labels = np.full(people, farthest)
    if people * abs(farthest) >= CAPACITY:
        with pytest.raises(InputError, match=REFUSED):
            tally_cells(PARTITION, public, labels, Marks.one_each(cell))
    else:
        totals = tally_cells(PARTITION, public, labels, Marks.one_each(cell))
        assert totals.label_sum == people * farthest
        assert int(totals.labels.known[cell[0]]) == people * farthest
