"""The noise that sums of residuals are taken to have: reports that tell nothing are not taken for effects."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chi2

from semildp.curator.effects.reports import EffectReports
from semildp.mechanisms import PairResponse, best_pair_response
from semildp.sources import SeededSource
from semildp.wire.columns import Marks

STUDIES, QUANTILE = 400, 0.99
MOST = int(binom.ppf(1 - 1e-4, STUDIES, 1 - QUANTILE))  # so many studies are beyond the quantile; more once in 10,000
REACH = 0.75

CASES = [((6, 6), 4.0, 678), ((6, 6), 4.0, 170), ((6,), 4.0, 100), ((8,), 2.0, 500), ((4, 4), 2.0, 500)]


def reports_of(bins: tuple[int, ...], epsilon: float, residual: NDArray[np.float64], seed: int) -> EffectReports:
    """Let people in cells drawn evenly send their cell with the residual."""
    cells, n = int(np.prod(bins)), len(residual)
    response: PairResponse = best_pair_response(epsilon, cells, 0.5)
    rng = np.random.default_rng(seed)
    place = (np.clip(residual, -REACH, REACH) / REACH + 1) / 2 * (response.levels - 1)
    below = np.minimum(place.astype(np.int64), response.levels - 2)
    level = below + (rng.random(n) < place - below)
    person, value = response.send(rng.integers(cells, size=n), level, SeededSource(seed))
    marks = Marks(np.bincount(person, minlength=n), value)
    nothing = np.full((n, len(bins)), -1)
    return EffectReports(tuple(range(len(bins))), bins, response, REACH, marks, nothing, np.zeros(n))


def squares(reports: EffectReports) -> NDArray[np.float64]:
    """Return the squares of all sums."""
    return np.asarray(reports.sums(np.zeros(len(reports), dtype=np.int64), 1)[:, 0] ** 2)


@pytest.mark.parametrize(("bins", "epsilon", "n"), CASES)
def test_sums_of_nothing_are_as_large_as_noise_makes_them(bins, epsilon, n):
    """Squares of sums over their noise add up to chi-squared at most, in its tail too. False alarms: 1 in 10,000."""
    studies = (reports_of(bins, epsilon, np.random.default_rng([7, k]).normal(size=n), k) for k in range(STUDIES))
    total = np.array([float((squares(each) / each.cell_noise).sum()) for each in studies])
    assert np.sum(total > chi2.ppf(QUANTILE, int(np.prod(bins)))) <= MOST


def test_it_would_be_seen_if_each_sum_s_own_square_were_taken_off():
    """Power: the noise around each cell's own mean, as a sample's variance has it, fails the test above."""
    bins, epsilon, n = CASES[0]
    alarms = 0
    for k in range(STUDIES):
        reports = reports_of(bins, epsilon, np.random.default_rng([7, k]).normal(size=n), k)
        square = squares(reports)
        own = np.maximum(reports.cell_noise - square / np.maximum(reports.people, n / 72), 0.1 * reports.cell_noise)
        alarms += (square / own).sum() > chi2.ppf(QUANTILE, int(np.prod(bins)))
    assert alarms > MOST


def test_what_is_clearly_an_effect_does_not_count_as_noise():
    """All residuals at the reach: each sum is known far better than the squares of its marks say."""
    reports = reports_of((2,), 8.0, np.full(2_000, REACH), 0)
    assert (reports.cell_noise < 0.2 * REACH**2 * 1_000).all()
