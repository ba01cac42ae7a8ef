"""Where people lie on the axis of a private number, from noisy shares of bins: anywhere, or at a few values."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.curator.effects.density import pooled_shares
from semildp.models.places import membership

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
    found = pooled_shares(told(people, (3, 4, 6, 8), 0.005), PLACES)
    at = np.minimum(np.ceil(np.arange(values) / (values - 1) * PLACES), PLACES - 1).astype(int)
    np.testing.assert_allclose(found[at], shares, atol=0.05)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_people_who_lie_anywhere_are_not_taken_to_have_few_values(power):
    """Even or drawn to the lower end: no place holds more than twice what its eighth of the axis does."""
    people = np.random.default_rng(2).random(20_000) ** power
    found = pooled_shares(told(people, (3, 4, 6, 8), 0.005), PLACES)
    eighths = membership(8, PLACES) @ found
    assert (found.reshape(8, 8).max(axis=1) < 2 * eighths / 8).all()
    np.testing.assert_allclose(eighths, np.bincount((people * 8).astype(int)) / len(people), atol=0.03)


def test_shares_that_tell_nothing_leave_people_about_even():
    """As noisy as can be: every eighth of the axis keeps between a twentieth and a third of the people."""
    eighths = membership(8, PLACES) @ pooled_shares(told(np.linspace(0, 1, 100), (2, 3), 10.0), PLACES)
    assert eighths.min() > 0.05
    assert eighths.max() < 0.34
