"""Sums of residuals, people and products are unbiased: exact expectations over every report a person may send."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.curator.effects.reports import EffectReports
from semildp.mechanisms import PairResponse
from semildp.wire.columns import Marks
from tests.battery.pairs import as_arrays, row_at

CODES = [
    PairResponse(epsilon, candidates, levels, kind)
    for epsilon in (0.5, 2.0)
    for kind, candidates, levels in (
        ("generalised", 1, 3),
        ("generalised", 4, 2),
        ("generalised", 4, 3),
        ("subset", 4, 2),
        ("subset", 4, 3),
        ("paired", 1, 2),
        ("paired", 4, 2),
    )
]
REACH = 0.8
SHIFT = 0.3  # of a prediction, since people were asked


def every_report(code: PairResponse, shift: float = SHIFT) -> EffectReports:
    """Return one person for each report that can be sent, in the order of `as_arrays`."""
    marks, _ = as_arrays(code)
    person, candidate, level = np.nonzero(marks)
    sent = Marks.sets(person, candidate * code.levels + level, len(marks))
    features, bins = ((0, 1), (2, 2)) if code.n_candidates == 4 else ((0,), (1,))
    return EffectReports(
        features, bins, code, REACH, sent, np.zeros((len(sent), 0), dtype=np.int64), np.full(len(sent), shift)
    )


@pytest.mark.parametrize("code", CODES, ids=str)
@pytest.mark.parametrize("residual", [-2.0, -0.5, 0.0, 0.27, 0.8])
def test_sums_are_unbiased(code, residual):
    """In the true cell the residual, cut at the reach, less the shift; in all others 0. Rounding is included."""
    reports = every_report(code)
    each = reports.sums(np.arange(len(reports)), len(reports))  # cell x report
    for candidate in range(code.n_candidates):
        chances = row_at(code, candidate, residual, REACH)
        expected = np.zeros(code.n_candidates)
        expected[candidate] = np.clip(residual, -REACH, REACH) - SHIFT
        np.testing.assert_allclose(each @ chances, expected, atol=1e-12)
        assert reports.residuals() @ chances == pytest.approx(np.clip(residual, -REACH, REACH), abs=1e-12)


@pytest.mark.parametrize("code", CODES, ids=str)
def test_products_with_any_factor_are_unbiased(code):
    rng, reports = np.random.default_rng(0), every_report(code)
    for candidate in range(code.n_candidates):
        factor, chances = rng.normal(size=code.n_candidates), row_at(code, candidate, 0.27, REACH)
        found = reports.product(chances[:, None] * factor)
        assert found == pytest.approx(factor[candidate] * (0.27 - SHIFT), abs=1e-12)


@pytest.mark.parametrize("code", CODES, ids=str)
def test_indicators_of_bins_are_unbiased(code):
    """For someone with public columns x, the products have expectation x in the true bin, and 0 in the others."""
    reports, column = every_report(code), 1.7
    for candidate in range(code.n_candidates):
        chances = row_at(code, candidate, -0.5, REACH)
        for j, bins in zip(reports.features, reports.bins, strict=True):
            expected = column * (np.arange(bins) == reports.bin_of_cell(j)[candidate])
            np.testing.assert_allclose(reports.products(j, column * chances[:, None])[0], expected, atol=1e-12)


@pytest.mark.parametrize("code", [code for code in CODES if code.n_candidates > 1], ids=str)
def test_the_noise_of_a_cell_is_its_variance_where_nobody_is(code):
    """Exactly: the squares of marks on it have the variance of its sum as their expectation."""
    reports = every_report(code, shift=0.0)
    each, chances = reports.sums(np.arange(len(reports)), len(reports)), row_at(code, 0, 0.27, REACH)
    marks, _ = as_arrays(code)
    square = REACH**2 * code.per_square * (marks**2 @ code.scores**2)  # report x cell
    np.testing.assert_allclose((chances @ square)[1:], (each**2 @ chances)[1:], rtol=1e-9)


@pytest.mark.parametrize("code", [PairResponse(1.0, 2, 3, "generalised"), PairResponse(1.0, 2, 2, "paired")], ids=str)
def test_reports_that_say_nothing_are_not_taken_for_sure(code):
    """Of three people all marks stand for 0, or there is none: the noise is no less than false marks must leave."""
    sent = (
        Marks.one_each(np.array([1, 4, 1]))
        if code.levels == 3
        else Marks(np.zeros(3, dtype=int), np.zeros(0, dtype=int))
    )
    nothing = np.zeros((3, 0), dtype=np.int64)
    reports = EffectReports((0,), (2,), code, REACH, sent, nothing, np.zeros(3))
    chances = row_at(code, 0, 0.0, REACH)
    marks, _ = as_arrays(code)
    expected = float(chances @ (marks[:, 1] ** 2 @ code.scores**2))  # of a cell the person is not in
    assert (reports.cell_noise >= 3 * REACH**2 * code.per_square * expected * 0.999).all()
