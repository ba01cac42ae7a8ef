"""Where people lie on the axis of a private number, from noisy shares of bins: anywhere, or at a few values."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.curator.effects.density import whereabouts_of
from semildp.curator.effects.reports import EffectReports
from semildp.mechanisms import PairResponse
from semildp.models.places import membership
from semildp.wire.columns import Marks

PLACES = 64


def told(people: np.ndarray, sizes: tuple[int, ...], noise: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the shares of bins, with noise of this deviation, and their variances."""
    rng, found = np.random.default_rng(0), []
    for bins in sizes:
        inside = np.minimum((people * bins).astype(int), bins - 1)
        shares = np.bincount(inside, minlength=bins) / len(people)
        found.append((shares + noise * rng.normal(size=bins), np.full(bins, noise**2)))
    return found


@pytest.mark.parametrize("values", [2, 3, 5])
def test_few_values_are_recognised_and_lie_where_they_are(values):
    """Evenly spaced from end to end: 0 and 1, or a scale from 1 to 5. Each value's share is found to 0.05."""
    shares = np.arange(1, values + 1) / np.arange(1, values + 1).sum()
    people = np.random.default_rng(1).choice(np.arange(values) / (values - 1), p=shares, size=20_000)
    found = whereabouts_of(told(people, (3, 4, 6, 8), 0.005), PLACES).shares
    at = np.minimum(np.ceil(np.arange(values) / (values - 1) * PLACES), PLACES - 1).astype(int)
    np.testing.assert_allclose(found[at], shares, atol=0.05)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_people_who_lie_anywhere_are_not_taken_to_have_few_values(power):
    """Even or drawn to the lower end: no place holds more than twice what its eighth of the axis does."""
    people = np.random.default_rng(2).random(20_000) ** power
    found = whereabouts_of(told(people, (3, 4, 6, 8), 0.005), PLACES).shares
    eighths = membership(8, PLACES) @ found
    assert (found.reshape(8, 8).max(axis=1) < 2 * eighths / 8).all()
    np.testing.assert_allclose(eighths, np.bincount((people * 8).astype(int)) / len(people), atol=0.03)


def test_shares_that_tell_nothing_leave_people_about_even():
    """As noisy as can be: every eighth of the axis keeps between a twentieth and a third of the people."""
    eighths = membership(8, PLACES) @ whereabouts_of(told(np.linspace(0, 1, 100), (2, 3), 10.0), PLACES).shares
    assert eighths.min() > 0.05
    assert eighths.max() < 0.34


@pytest.mark.parametrize("values", [2, 3, 5])
def test_a_line_stands_for_its_average_near_a_value_where_there_are_few(values):
    """Of 0 and 1: for a quarter and three quarters, which is what two bins tell; not for 0 and 1."""
    people = np.random.default_rng(1).integers(values, size=20_000) / (values - 1)
    found, line = whereabouts_of(told(people, (3, 4, 6, 8), 0.005), PLACES), (np.arange(PLACES) + 0.5) / PLACES
    at = np.minimum(np.ceil(np.arange(values) / (values - 1) * PLACES), PLACES - 1).astype(int)
    nearest = np.abs(np.arange(PLACES)[:, None] - at).argmin(axis=1)
    average = [np.average(line[nearest == v], weights=found.shares[nearest == v]) for v in range(values)]
    np.testing.assert_allclose((found.levelled @ line)[at], average, atol=0.02)
    np.testing.assert_allclose(found.levelled.sum(axis=1), 1.0)
    special = [min(np.ceil(v / (m - 1) * PLACES), PLACES - 1) for m in range(2, 7) for v in range(m)]
    rest = np.setdiff1d(np.arange(PLACES), special)
    np.testing.assert_array_equal((found.levelled @ line)[rest], line[rest])


def test_functions_stand_for_themselves_where_people_lie_anywhere():
    people = np.random.default_rng(2).random(20_000)
    found = whereabouts_of(told(people, (3, 4, 6, 8), 0.005), PLACES)
    np.testing.assert_allclose(found.levelled, np.eye(PLACES), atol=0.01)


def test_a_person_at_the_end_of_an_axis_tells_that_there_may_be_few_values():
    """Halves do not tell whether a number is always 0 or 1: then more than half of those at its ends have such ones."""
    found = whereabouts_of(told(np.linspace(0, 1, 100), (2,), 0.01), PLACES)
    line = (np.arange(PLACES) + 0.5) / PLACES
    low, high = (found.levelled @ line)[[0, -1]]
    assert 0.125 < low < 0.3
    assert low + high == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("kind", ["generalised", "paired"])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_a_few_people_do_not_empty_a_half_of_the_axis(kind, epsilon):
    """Four people all report the upper half, of two bins: the lower half may hold a tenth of all people, or more."""
    response, n = PairResponse(epsilon, 2, 2, kind), 4
    upper = Marks(np.ones(n, dtype=np.int64), np.full(n, 3))  # of each the second bin, the higher number
    reports = EffectReports((0,), (2,), response, 1.0, upper, np.full((n, 1), -1), np.zeros(n))
    assert (reports.share_noise > 0).all()
    shares = reports.bin_counts(0) / n
    np.testing.assert_allclose(shares, [0, 1], atol=1e-12)
    lower = whereabouts_of([(shares, reports.bin_noise(0))], PLACES).shares[: PLACES // 2].sum()
    assert 0.1 < lower < 0.5
