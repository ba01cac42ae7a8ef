"""Sums over joint reports: to the last digit those of tests/reference, mergeable, unbiased."""

from __future__ import annotations

import itertools
from dataclasses import fields

import numpy as np
import pytest

from semildp.audit.person import BOUNDS, TREE
from semildp.client import report_joint
from semildp.curator import tally_joint
from semildp.partition import Partition
from semildp.sources import SeededSource
from semildp.wire import JointQuestion, JointReports
from tests.battery.joint_pairs import (
    CENTRES,
    KINDS,
    MASKS,
    PARTITION,
    ROWS,
    candidates,
    crowd,
    crowd_question,
    joint_law,
    sent_by,
)
from tests.reference import joint


def worth_of(asked):
    def worth(k):
        code = asked.code(k)
        numbers = code.per_mark, code.per_person, code.per_score, code.per_square, code.noise(asked.spread)
        return joint.Worth(code.levels, *numbers)

    return worth


@pytest.mark.parametrize(("epsilon", "spread"), [*KINDS, (0.01, 0.35), (1e-6, 0.35), (64.0, 0.2)])
def test_sums_equal_the_reference_to_the_last_digit(epsilon, spread):
    n, asked = 300, crowd_question(epsilon, spread)
    X, y, mask = crowd(n)
    reports = report_joint(asked, X, y, mask, SeededSource(0))
    found = tally_joint(asked, np.where(mask, np.nan, X), mask, reports)
    possible = [candidates(row, hidden) for row, hidden in zip(X, mask, strict=True)]
    expected = joint.tally(PARTITION.n_cells, possible, sent_by(reports, n), worth_of(asked))
    assert found.weight.tolist() == [expected.weight]
    for name in ("people", "scores", "squares"):
        array = getattr(found, name)
        assert array.dtype == np.int64
        assert array.tolist() == list(getattr(expected, name).values()), name


def test_sums_merge_in_any_order_to_the_same_bits():
    n, asked = 500, crowd_question()
    X, y, mask = crowd(n)
    public = np.where(mask, np.nan, X)
    reports = report_joint(asked, X, y, mask, SeededSource(0))
    parts = []
    for start, stop in ((0, 200), (200, 201), (201, n)):
        mine = (reports.person >= start) & (reports.person < stop)
        part = JointReports(reports.person[mine] - start, reports.cell[mine], reports.level[mine])
        parts.append(tally_joint(asked, public[start:stop], mask[start:stop], part))
    whole = tally_joint(asked, public, mask, reports)
    for a, b, c in itertools.permutations(parts):
        for f in fields(whole):
            assert getattr(a + b + c, f.name).tolist() == getattr(whole, f.name).tolist()


@pytest.mark.parametrize("mask", MASKS[:3])
@pytest.mark.parametrize(("epsilon", "spread"), KINDS)
def test_people_and_sums_are_unbiased(epsilon, spread, mask):
    """One person: the mean over all reports is their weight, and weight times residual, in their cell only.

    And the noise of sums elsewhere is the stated one. Exact up to rounding to 2**-32; a residual is cut at the reach.
    """
    asked, hidden = crowd_question(epsilon, spread), np.array([mask])
    unit = asked.code(1).per_score
    for row, y in ((ROWS[3], 0.37), (ROWS[6], 5.0)):
        cells = candidates(row, mask)
        code = asked.code(len(cells))
        weight = asked.code(1).noise(spread) / code.noise(spread)
        people, sums, noise, exact = np.zeros((4, PARTITION.n_cells))
        for sent, chance in joint_law(asked, cells, row, y).items():
            marks = np.array(sent, dtype=np.int64).reshape(-1, 2).T
            reports = JointReports(np.zeros(len(sent), dtype=np.int64), *marks)
            totals = tally_joint(asked, np.where(hidden, np.nan, row), hidden, reports)
            score = unit * totals.scores / 2**32
            people += chance * totals.people / 2**32
            sums += chance * score
            exact += chance * score**2
            noise += chance * unit**2 * totals.squares / 2**32
        cell = PARTITION.cell(row[None])[0]
        own = np.arange(PARTITION.n_cells) == cell
        residual = np.clip(y - CENTRES[cell // 2], -0.9, 0.9) / 0.9
        np.testing.assert_allclose(people, own * weight, atol=1e-7)
        np.testing.assert_allclose(sums, own * weight * residual, atol=1e-7)
        np.testing.assert_allclose(noise[~own], exact[~own], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("k", [2**12, 2**14, 2**16])
def test_people_with_very_many_candidates_are_not_lost_in_rounding(k):
    """Their weight, and the noise of a mark of theirs, are small but not 0 in the units of the sums."""
    partition = Partition(BOUNDS, (0, 1), int(k**0.5), TREE.pruned(0))
    asked = JointQuestion(partition, np.zeros(1), 1.0, 0.35, 1.0)
    hidden = np.ones((1, 3), dtype=np.bool_)
    reports = report_joint(asked, np.full((1, 3), 0.5), np.zeros(1), hidden, SeededSource(0))
    totals = tally_joint(asked, np.full((1, 3), np.nan), hidden, reports)
    assert totals.weight[0] > 0
    assert (totals.squares[reports.cell] > 0).all()
