"""Sums made from residual reports are right on average: counts, sums of residuals, shifts, and products.

The mean of 400 batches is compared with the truth by the batches' own standard error; beyond 5 of these a test fails.
That is 1 in 10^6 for each of the 87 numbers compared, so fewer than 1 in 10,000 for the whole file where all is right.
"""

from __future__ import annotations

import numpy as np
import pytest

from semildp.curator.effects.reports import EffectReports
from semildp.domains import LabelGrid
from semildp.mechanisms import PairResponse
from semildp.sources import SeededSource
from semildp.wire.columns import Marks

BATCHES, SIZE, REACH, BINS = 400, 120, 2.0, (2, 3)
RESPONSES = [("generalised", 3), ("subset", 4), ("paired", 2)]
PERSON = np.arange(SIZE)
CELL, PLACE = PERSON % 6, PERSON % 4 // 2
RESIDUAL = np.where(CELL == 1, 5.0, 0.7) * np.where(PERSON % 5 == 0, -0.5, 1.0)  # some are beyond the reach
SHIFT = 1.2 * (PERSON % 3) - 0.8
COLUMN = np.linspace(-1.0, 2.0, SIZE)


def batches(kind, levels):
    """Yield the reports of the same people, drawn anew each time."""
    response, source = PairResponse(4.0, 6, levels, kind), SeededSource(7)
    known = np.zeros((SIZE, 0), dtype=np.int64)
    for _ in range(BATCHES):
        level = LabelGrid(-REACH, REACH, levels - 1).encode_at_random(RESIDUAL, source.words(SIZE))
        marks = Marks.sets(*response.send(CELL, level, source), SIZE)
        yield EffectReports((0, 1), BINS, response, REACH, marks, known, SHIFT)


def agree(found, truth):
    found = np.array(found)
    error = found.std(axis=0) / np.sqrt(BATCHES)
    return (np.abs(found.mean(axis=0) - truth) < 5 * error + 1e-9).all()


def by_cell(values):
    return np.bincount(CELL, weights=values, minlength=6)


@pytest.mark.parametrize(("kind", "levels"), RESPONSES)
def test_residuals_cut_at_the_reach_less_the_shift_add_up_by_cell_and_place(kind, levels):
    found = [each.sums(PLACE, 2) for each in batches(kind, levels)]
    cut = np.clip(RESIDUAL, -REACH, REACH)
    truth = np.stack([by_cell((cut - SHIFT) * (place == PLACE)) for place in range(2)], axis=1)
    assert agree(found, truth)
    uncut = np.stack([by_cell((RESIDUAL - SHIFT) * (place == PLACE)) for place in range(2)], axis=1)
    assert not agree(found, uncut), "The test would not see a bias as large as that of cutting."
    assert not agree(found, truth + np.stack([by_cell(SHIFT * (p == PLACE)) for p in range(2)], axis=1))


@pytest.mark.parametrize(("kind", "levels"), RESPONSES)
def test_a_product_with_any_public_factor_is_the_same_sum(kind, levels):
    factor = np.outer(COLUMN, np.arange(6.0))
    truth = float((factor[PERSON, CELL] * (np.clip(RESIDUAL, -REACH, REACH) - SHIFT)).sum())
    assert agree([each.product(factor) for each in batches(kind, levels)], truth)


@pytest.mark.parametrize(("kind", "levels"), RESPONSES)
def test_each_person_s_residual_is_right_on_average(kind, levels):
    found = np.array([each.residuals() for each in batches(kind, levels)])
    groups = [found[:, cell == CELL].mean(axis=1) for cell in range(6)]
    cut = np.clip(RESIDUAL, -REACH, REACH)
    assert agree(np.stack(groups, axis=1), by_cell(cut) / by_cell(np.ones(SIZE)))


@pytest.mark.parametrize(("kind", "levels"), RESPONSES)
@pytest.mark.parametrize("feature", [0, 1])
def test_public_columns_times_indicators_of_bins(kind, levels, feature):
    own = np.unravel_index(CELL, BINS)[feature]
    columns = np.stack([COLUMN, np.ones(SIZE)], axis=1)
    truth = np.array([np.bincount(own, weights=column, minlength=BINS[feature]) for column in columns.T])
    assert agree([each.products(feature, columns) for each in batches(kind, levels)], truth)
