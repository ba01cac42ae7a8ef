"""How two private numbers go together: in any way that shares of cells show; and how far that is clear."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.curator.effects.density import whereabouts_of
from semildp.curator.effects.together import Cells, correlation, strength, tilted, together_of
from semildp.models.places import membership

PLACES = 64
EVEN = np.full(PLACES, 1 / PLACES)


def clusters() -> np.ndarray:
    """Shares over pairs of places: half of the people low in both features, half high in the first, anywhere above."""
    found = np.zeros((PLACES, PLACES))
    found[:20, :32] = 0.5 / (20 * 32)
    found[40:, 20:] += 0.5 / (24 * 44)
    return found


def asked(together: np.ndarray, noise: float, seed: int, sizes=((3, 3), (8, 2), (2, 8), (4, 4))) -> list[Cells]:
    """Return the shares of cells, with noise of this deviation."""
    rng, found = np.random.default_rng(seed), []
    for bins in sizes:
        one, two = (membership(b, PLACES) for b in bins)
        shares = one @ together @ two.T + noise * rng.normal(size=bins)
        found.append(Cells(shares, np.full(bins, noise**2), 0.25 / noise**2))
    return found


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the total difference of shares of 8 x 8 cells."""
    eighths = membership(8, PLACES)
    return float(np.abs(eighths @ (one - other) @ eighths.T).sum())


def test_two_clusters_are_found_which_no_correlation_tells():
    """The shares of features are kept; the best correlation is twice as far off."""
    truth = clusters()
    first, second = truth.sum(axis=1), truth.sum(axis=0)
    told = asked(truth, 0.003, 0)
    found, _ = together_of(told, first, second)
    rho, _ = correlation([(each.shares, each.weight) for each in told], first, second)
    np.testing.assert_allclose(found.sum(axis=1), first, atol=1e-4)
    np.testing.assert_allclose(found.sum(axis=0), second, atol=1e-4)
    assert apart(found, truth) < 0.25
    assert apart(tilted(first, second, rho), truth) > 2 * apart(found, truth)
    assert strength(found) > 0.5


def test_normal_scores_that_go_together_are_told_by_their_correlation():
    found, _ = together_of(asked(tilted(EVEN, EVEN, 0.8), 0.005, 1), EVEN, EVEN)
    assert apart(found, tilted(EVEN, EVEN, 0.8)) < 0.1


@pytest.mark.parametrize("noise", [0.005, 0.03, 0.1])
def test_features_that_are_apart_are_seldom_thought_to_go_together(noise):
    """100 draws each: at most one in twenty is taken to go together, at any noise; clusters are at the least noise."""
    found = [together_of(asked(np.outer(EVEN, EVEN), noise, seed), EVEN, EVEN)[0] for seed in range(100)]
    assert sum(each is not None for each in found) <= 5
    first, second = clusters().sum(axis=1), clusters().sum(axis=0)
    if noise == 0.005:
        assert all(together_of(asked(clusters(), noise, seed), first, second)[0] is not None for seed in range(20))


def test_it_gets_clear_that_features_are_apart_but_not_where_clusters_end():
    """Waves that are too short for the bins asked about stay unclear where longer ones are there."""
    even = [together_of(asked(np.outer(EVEN, EVEN), noise, 2), EVEN, EVEN)[1] for noise in (0.1, 0.02, 0.004)]
    assert even[0] > 2 * even[1] > 4 * even[2]
    assert even[2] < 0.01
    first, second = clusters().sum(axis=1), clusters().sum(axis=0)
    assert together_of(asked(clusters(), 0.004, 2), first, second)[1] > 0.05


@pytest.mark.parametrize(("power", "least", "most"), [(1.0, 0.0, 0.01), (3.0, 0.1, np.inf)])
def test_where_people_are_is_clear_if_they_are_spread_evenly(power, least, most):
    """Where most people are at one end of the axis, bins do not tell where within the first of them."""
    people = np.random.default_rng(0).random(50_000) ** power
    told = []
    for bins in (3, 4, 8):
        shares = np.bincount(np.minimum((people * bins).astype(int), bins - 1), minlength=bins) / len(people)
        told.append((shares, np.full(bins, 0.004**2)))
    assert least <= whereabouts_of(told, PLACES).unclear <= most


def test_people_at_a_few_values_are_where_these_are():
    told = [(np.r_[0.4, np.zeros(bins - 2), 0.6], np.full(bins, 0.01**2)) for bins in (3, 4, 8)]
    assert whereabouts_of(told, PLACES).unclear < 1e-6
