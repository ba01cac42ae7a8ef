"""Boosting of small trees on noisy labels: some people say where to cut, the others how far to believe it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.tables import leaf_sums, subtract_leaves, sums_of_leaves
from semildp.curator.learning.folds import Folds
from semildp.curator.learning.pair_search import PairSearch
from semildp.curator.learning.steps import Steps
from semildp.curator.learning.trees import Sample, Tree, find_cuts
from semildp.models.learned import Block

# Guesses, tried on six functions at epsilon 1, 2 and 4 with 10^4 people: rates of .08 to .15 are alike, .3 is worse.
_TREES, _RATE = 40, 0.15
# With many people fewer trees: a quarter of the time is saved, and errors at 10^5 people are about 5 % larger.
_MANY, _TREES_OF_MANY, _RATE_OF_MANY = 10_000, 25, 0.25
_PATIENCE = 10  # trees in a row without evidence after which there are no more
_LOOKING = 2 / 3  # share of people who say where to cut; 1/2 is worse
_MOST_LOOKING = 10_000
_LEAST_SHARE, _LEAST_PEOPLE = 0.02, 10  # of those, in a leaf

Targets = Sequence[Callable[[], Floats]]  # per fold, makes what there is to predict for the people outside it


def cross_boost(
    steps: Steps, left: Targets, w: Floats, folds: Folds, seed: int, outside: Floats
) -> list[Callable[[], list[Block]]]:
    """Return, for each fold, a job that boosts on all others, returns its trees, and writes the fold's predictions.

    `left` is what there is to predict for the people outside each fold. Trees have a factor: their sum over folds is
    the mean of what is boosted. Jobs do not depend on each other.
    """
    return [partial(_boost_outside, steps, target, w, folds, k, seed, outside) for k, target in enumerate(left)]


def _boost_outside(
    steps: Steps, left: Callable[[], Floats], w: Floats, folds: Folds, k: int, seed: int, outside: Floats
) -> list[Block]:
    fold, rest = folds.inside[k], folds.rest[k]
    trees = boost(steps.some(rest), left(), w[rest], np.random.default_rng([seed, k]))
    held_out, total = steps.fine[:, fold], outside[fold]
    total[:] = 0.0
    for tree in trees:
        tree.add_to(total, held_out)
    return [tree.block(steps, 1 / len(folds.inside)) for tree in trees]


def boost(steps: Steps, left: Floats, w: Floats, rng: np.random.Generator) -> list[Tree]:
    """Return trees whose sum predicts `left`.

    With S the sum of weight * what is left over some people of total weight W, the variance of S is taken to be
    noise * W, noise being sum of (weight * what is left)^2 / sum of weights: right for weights that are precisions,
    and on average for any others.
    """
    n_people = len(left)
    looking = min(int(n_people * _LOOKING), _MOST_LOOKING)
    numbers, trees = np.empty((2, n_people)), list[Tree]()
    moved = np.multiply(left, w, out=numbers[0])
    numbers[1] = w
    del left
    noise, least = float(moved @ moved) / float(w.sum()), max(_LEAST_SHARE, _LEAST_PEOPLE / max(looking, 1))
    search = PairSearch.of(steps, moved, w, noise, least)
    if search is None:
        return trees
    in_vain = 0
    n_trees, rate = (_TREES, _RATE) if n_people < _MANY else (_TREES_OF_MANY, _RATE_OF_MANY)
    for turn in range(n_trees):
        start = int(rng.integers(n_people - looking + 1))
        rows = slice(start, start + looking)  # people are in random order
        sample = Sample(rows, steps.some(rows), numbers[:, rows])
        cuts = find_cuts(search, sample, noise, least, third=turn % 2 == 1)
        columns, at = [column for column, _ in cuts], [step for _, step in cuts]
        leaf, everyone = leaf_sums(steps.fine, columns, at, numbers, compiled=steps.compiled)
        looked = sums_of_leaves(leaf[rows], sample.numbers, everyone.shape[1])
        tree = Tree(cuts, rate * leaf_values(everyone, everyone - looked, noise))
        in_vain = 0 if tree.values.any() else in_vain + 1
        if in_vain == _PATIENCE:
            break
        if not in_vain:
            subtract_leaves(moved, w, tree.values, leaf, compiled=steps.compiled)
            trees.append(tree)
    return trees


def leaf_values(everyone: Floats, others: Floats, noise: float) -> Floats:
    """Return everyone's mean per leaf, times max(0, 1 - df * noise / sum over leaves of weight * mean^2) of the others.

    The others did not choose the cuts, so the factor is that of James and Stein. Means of the first four leaves and
    what a third cut adds to them have a factor each. Both arguments are (sum, weight) by leaf.
    """
    values = np.zeros(everyone.shape[1])
    n_leaves = everyone.shape[1]
    freedom = (n_leaves - 1,) if n_leaves < 8 else (3, 4)
    for part, check, df in zip(_parts(everyone), _parts(others), freedom, strict=True):
        evidence = float(others[1] @ check**2)
        if evidence > df * noise:
            values += (1 - df * noise / evidence) * part
    return values


def _parts(sums: Floats) -> Floats:
    """Return means per leaf; of eight leaves, the means of four pairs, and what is left."""
    means = _ratio(sums)
    if len(means) < 8:
        return means[None]
    outer = np.repeat(_ratio(sums.reshape(2, 4, 2).sum(axis=2)), 2)
    return np.array([outer, means - outer])


def _ratio(sums: Floats) -> Floats:
    return np.asarray(np.divide(sums[0], sums[1], out=np.zeros(sums.shape[1]), where=sums[1] > 0))
