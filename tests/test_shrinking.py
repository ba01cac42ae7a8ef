"""Shrinking equals the loops of tests/reference, on trees that stop early too; and it does what it is for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semildp.curator.shrinking import shrink, shrink_along, to_simplex
from semildp.partition import Tree
from semildp.partition.tree import TreeBuilder
from tests.reference import shrinking


def random_tree(rng, depth, stop):
    """Grow level by level; each node stays a leaf with probability `stop`."""
    builder, level = TreeBuilder(), [0]
    for _ in range(depth):
        below = []
        for node in level:
            if rng.random() >= stop:
                left = builder.split(node, 0, 0.5)
                below += [left, left + 1]
        level = below
    return builder.build()


@pytest.mark.parametrize("seed", range(20))
def test_effects_of_groups_equal_the_reference(seed):
    rng = np.random.default_rng(seed)
    people = rng.gamma(1, 10, 12) * (rng.random(12) < 0.8)
    noise = rng.gamma(1, 5, 12) * (rng.random(12) < 0.9)
    excess = people * rng.normal(size=12) * rng.choice([0, 1]) + np.sqrt(noise) * rng.normal(size=12)
    expected = shrinking.effects(people.tolist(), excess.tolist(), noise.tolist())
    np.testing.assert_allclose(shrink(excess, people, noise), expected, rtol=1e-9)


@pytest.mark.parametrize("prior", [0.0, 0.03, np.inf])
@pytest.mark.parametrize(
    "bins", [(), (1, 1), (2,), (4,), (2, 2), (3, 3), (2, 2, 2), (2, 3), (5, 2), (1, 3), (3, 1, 2), (4, 3, 2)], ids=str
)
@pytest.mark.parametrize("stop", [0.0, 0.4])
def test_means_of_cells_equal_the_reference(bins, stop, prior):
    """20 trees each; signal strong or weak, so that levels are taken and left out, which both do happen."""
    rng, own = np.random.default_rng(0), []
    n_codes = math.prod(bins)
    for k in range(20):
        tree = random_tree(rng, int(rng.integers(0, 4)), stop)
        shape = tree.n_leaves, n_codes
        people = rng.gamma(1, 30, shape) * (rng.random(shape) < 0.8)
        noise = rng.gamma(2, 20, shape) * (people > 0)
        signal = [0.0, 0.3, 3.0][k % 3]
        sums = people * (0.2 + signal * rng.normal(size=shape)) + np.sqrt(noise) * rng.normal(size=shape)
        most = [np.inf, 0.05][k % 2]
        means, taken = shrink_along(tree, bins, people, sums, noise, prior, most)
        literal = shrinking.along(
            (tree.feature, tree.child), bins, (people.tolist(), sums.tolist(), noise.tolist()), prior, most
        )
        np.testing.assert_allclose(means, literal[0], rtol=1e-7, atol=1e-9)
        assert taken.tolist() == literal[1]
        own.append(taken.any())
    if n_codes > 1:
        assert 0 < np.mean(own) < 1


def test_nobody_and_no_noise():
    zeros = np.zeros((2, 2))
    tree = Tree((0, -1, -1), (0.5, 0.0, 0.0), (1, 0, 0))
    for prior in (0.0, 1.0, np.inf):
        assert not shrink_along(tree, (2,), zeros, zeros, zeros, prior)[0].any()
    people, sums = np.full((2, 2), 1e6), np.array([[1e6, 2e6], [3e6, 9e6]])
    means, own = shrink_along(tree, (2,), people, sums, zeros, np.inf)
    np.testing.assert_allclose(means, sums / people)
    assert own.all()


@pytest.mark.parametrize(("n_groups", "most"), [(2, 0.2), (8, 0.2), (64, 0.2)])
def test_noise_alone_adds_nothing_most_of_the_time(n_groups, most):
    """A level is kept where a sum of squares is one standard error too large: under 20 %. 2,000 draws, 5 deviations."""
    rng = np.random.default_rng(0)
    noise = np.full(n_groups, 4.0)
    kept = [shrink(2 * rng.normal(size=n_groups), np.full(n_groups, 10.0), noise).any() for _ in range(2000)]
    assert np.mean(kept) < most + 5 * np.sqrt(most * (1 - most) / 2000)


def test_much_signal_is_hardly_shrunk():
    rng = np.random.default_rng(0)
    effect, people, noise = rng.normal(size=50), rng.uniform(50, 100, 50), np.full(50, 30.0)
    found = shrink(people * effect + np.sqrt(noise) * rng.normal(size=50), people, noise)
    np.testing.assert_allclose(found, effect, atol=0.5)
    assert np.mean((found - effect) ** 2) < 0.02


def test_many_groups_of_noise_do_not_pass_for_large_effects():
    """4,096 cells of a few people each and much noise: what is added stays of the size that is believed."""
    rng = np.random.default_rng(0)
    people = rng.exponential(1.0, 4096) * (rng.random(4096) < 0.3)
    noise = np.full(4096, 400.0)
    added = [shrink(20 * rng.normal(size=4096), people, noise, 0.3) for _ in range(50)]
    assert max(np.average(effect**2, weights=people) for effect in added) < 0.3


def test_projection_to_the_simplex():
    np.testing.assert_allclose(to_simplex(np.array([5.0, -3.0, 2.0]), 10), [6.5, 0.0, 3.5])
    np.testing.assert_allclose(to_simplex(np.array([4.0, 6.0]), 10), [4.0, 6.0])
    assert to_simplex(np.zeros(3), 0.0).tolist() == [0.0] * 3
