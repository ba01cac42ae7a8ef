"""Tables of four means: their evidence against joint normal laws; where steps are shared, errors fall."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from semildp.curator.effects import fitting
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.parts import products
from semildp.curator.effects.quadrants import ALONE, BOTH, FIRST_STEP, quadrants
from semildp.curator.effects.weighing import weigh
from tests.readings import functions, reading
from tests.test_effects_fitting import PRODUCTS, TOGETHER, error, learnt

UNIT, COUNT = 0.7, 5
PAIR = (0, 1)


def told():
    """Return functions at random, and reports about both features, with cells and with signs, and about one."""
    names = functions(np.random.default_rng(3), COUNT, (0, 1, 2))
    asked = [reading(60, PAIR, seed=1), reading(50, PAIR, seed=2, signed=True), reading(40, (0,), seed=3)]
    lines = {j: names.values[j][0] for j in PAIR}
    return names, Explained(asked, lines)


def literal(names, explained):
    """Return log odds and expected coefficients of every table: sums are normal, with covariance G + G P^-1 G."""
    one, two, both = (sum_of(names, explained, family) for family in ((0,), (1,), PAIR))
    steps = range(FIRST_STEP, COUNT)
    log_odds, means = [], []
    for s, t in itertools.product(steps, steps):
        num = np.array([one[0][s], two[0][t], both[0][s, t]])
        gram = crossed(names, explained, s, t)
        np.testing.assert_allclose(np.diag(gram), [one[1][s], two[1][t], both[1][s, t]], rtol=1e-9)
        spread = names.variance[0][s], names.variance[1][t]
        for alone, together in itertools.product(ALONE, BOTH):
            before = UNIT * np.array([alone / spread[0], alone / spread[1], together / np.prod(spread)])
            there = multivariate_normal(np.zeros(3), gram + gram @ np.diag(before) @ gram).logpdf(num)
            log_odds.append(there - multivariate_normal(np.zeros(3), gram).logpdf(num))
            means.append(((s, t), np.linalg.solve(gram + np.diag(1 / before), num)))
    return log_odds, means


def sum_of(names, explained, family):
    seen = [k for k, each in enumerate(explained.asked) if each.sees(family)]
    each = [weigh(names, explained, k, family) for k in seen]
    return sum(w.num for w in each), sum(w.den for w in each)


def crossed(names, explained, s, t):
    """Return the products of three functions with each other, cell by cell."""
    h, g = names.values[0][s], names.values[1][t]
    gram = np.zeros((3, 3))
    for read in explained.asked:
        reports, n = read.reports, len(read.reports)
        rows = np.zeros((3, len(read.cells)))
        for c in range(len(read.cells)):
            rows[0, c] = read.within[0][c] @ h
            if len(reports.features) == 2:
                rows[1, c] = read.within[1][c] @ g
                rows[2, c] = rows[0, c] * rows[1, c]  # apart within a cell
        rows[2] -= rows[2] @ read.cells
        for axis, j in enumerate(reports.features):
            rows[axis] -= sum(share * np.mean(inside) for share, inside in bins_of(read, j, (h, g)[axis]))
        if reports.signs is not None:
            told = reports.kept * n * rows @ (reports.signs * read.cells)
            gram += np.outer(told, told) / reports.cell_noise[0]
        else:
            for c, share in enumerate(read.cells):
                gram += np.outer(rows[:, c], rows[:, c]) * (reports.kept * n * share) ** 2 / reports.cell_noise[c]
    return gram


def bins_of(read, j, function):
    """Return the share of each bin that is expected of people, and the function in it; people are even."""
    bins = read.expected[j].shape[1]
    return zip(read.expected[j][0], np.repeat(function, bins).reshape(bins, -1), strict=True)


def test_tables_are_weighed_as_joint_normal_laws_say():
    names, explained = told()
    found = quadrants(names, explained, PAIR, UNIT)
    log_odds, means = literal(names, explained)
    total = logsumexp(log_odds)
    steps = (COUNT - FIRST_STEP) ** 2
    assert found.log_odds == pytest.approx(total - np.log(steps * len(ALONE) * len(BOTH)), rel=1e-9)
    effect = np.zeros(len(names.values[0][0]))
    for odds, ((s, _), mean) in zip(log_odds, means, strict=True):
        effect += np.exp(odds - total) * mean[0] * names.values[0][s]
    np.testing.assert_allclose(found.effects[0,].mean, effect, rtol=1e-9, atol=1e-12)


def test_no_table_where_features_are_shown_or_told_by_others():
    names, explained = told()
    asked = [*explained.asked, reading(30, (1,), personal=True, seed=5)]
    assert quadrants(names, Explained(asked, {}), PAIR, UNIT) is None
    assert quadrants(names, explained, (0, 2), UNIT) is None
    alone = [each for each in explained.asked if len(each.reports.features) == 1]
    assert quadrants(names, Explained(alone, {}), PAIR, UNIT) is None


def either(X):
    return 1.0 * ((X[:, 0] > 0.3) ^ (X[:, 1] > 0.65)) - 0.5


def lines(X):
    return 2.0 * (X[:, 0] - 0.5) + 2.0 * (X[:, 1] - 0.5)


def errors(shape, monkeypatch, likely: float) -> np.ndarray:
    monkeypatch.setattr(fitting, "FOUR", likely)
    asked = (TOGETHER[0], *PRODUCTS)
    return np.array([error(learnt(shape, asked, seed, epsilon=2.0, n=8000), shape) for seed in range(8)])


def test_steps_that_are_shared_are_found_better_and_lines_stay_lines(monkeypatch):
    """Of eight, an exclusive or errs less by a tenth, lines by 1 % of their size more at most."""
    usual, never = fitting.FOUR, 1e-300
    assert errors(either, monkeypatch, usual).mean() < 0.9 * errors(either, monkeypatch, never).mean()
    assert errors(lines, monkeypatch, usual).mean() < errors(lines, monkeypatch, never).mean() + 0.01 * 2 / 3


def test_what_effects_gain_is_the_fall_of_squares_beside_the_others():
    """Of effects with products q with reports and G with each other: q 1 - 1' G 1 / 2, less that of the others."""
    names, explained = told()
    for a, family in enumerate([(0,), (1,)]):
        explained.add(family, 0.1 * (1 + a) * names.values[a][2], 1.0)
    explained.system()
    every = explained.gain([(0,), (1,)])
    assert explained.gain([]) == 0
    one, other = (explained.gain([family]) for family in ((0,), (1,)))
    shared = products_of(explained, (0,), (1,))
    assert every == pytest.approx(one + other + shared, rel=1e-9)


def products_of(explained, one, other):
    """Return the products of two effects with each other, added up over questions that tell of both."""
    total = 0.0
    for read in explained.asked:
        effects = [(family, explained._found[family]) for family in (one, other) if read.sees(family)]
        if len(effects) == 2:
            sums = np.zeros((len(read.cells) if read.reports.signs is None else 1, 1))
            total += products(read, effects, lambda features, sums=sums: sums).gram[0, 1]
    return total
