"""From sums to effects: posteriors by integration, evidence that adds up, effects that share what they explain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semildp.curator.effects.adding import added as what_is_added
from semildp.curator.effects.evidence import SHARES, posterior
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.functions import Functions
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.weighing import Weighed, weigh
from semildp.mechanisms import PairResponse
from semildp.wire.columns import Marks
from tests.readings import LEAST, PLACES, functions, reading, weight_of

UNIT = 0.7


def integrated(h: Functions, num: np.ndarray, den: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return log odds, mean and variance of the effect of feature 0, by sums over a fine grid of coefficients."""
    total, mean, square = 0.0, np.zeros(PLACES), np.zeros(PLACES)
    for k, share in itertools.product(range(len(num)), SHARES):
        size = share * UNIT / h.variance[0][k]
        grid = np.linspace(-12, 12, 40_001) * np.sqrt(size)
        density = np.exp(-(grid**2) / (2 * size)) / np.sqrt(2 * np.pi * size) * (grid[1] - grid[0])
        weight = density * np.exp(num[k] * grid - den[k] * grid**2 / 2) * h.prior[0][1][k] / len(SHARES)
        total += weight.sum()
        mean += weight @ grid * h.values[0][k]
        square += weight @ grid**2 * h.values[0][k] ** 2
    mean = mean / total
    return float(np.log(total)), mean, square / total - mean**2


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("strength", "told"), [(0.0, 3.0), (1.0, 20.0), (-4.0, 5.0), (0.5, 0.0)])
def test_the_posterior_is_the_integral(count, strength, told):
    rng = np.random.default_rng(count)
    h = functions(rng, count)
    den = told * (1 + rng.random(count))
    num = strength * den + np.sqrt(den) * rng.normal(size=count)
    found = posterior(h, (0,), Weighed(num, den, 0.0, 10), UNIT)
    log_odds, mean, variance = integrated(h, num, den)
    assert found.log_odds == pytest.approx(log_odds, abs=1e-6)
    np.testing.assert_allclose(found.mean, mean, atol=1e-6)
    np.testing.assert_allclose(found.variance, variance, atol=1e-6)
    assert found.fit == pytest.approx(fitted(h, num, den), abs=1e-9)


def fitted(h: Functions, num: np.ndarray, den: np.ndarray) -> float:
    """Return num c - den c^2 / 2 of expected coefficients c, on average over functions and sizes."""
    weights, fits = [], []
    for k, share in itertools.product(range(len(num)), SHARES):
        size = share * UNIT / h.variance[0][k]
        c = size * num[k] / (1 + size * den[k])
        weights.append(h.prior[0][1][k] * np.exp(c * num[k] / 2) / np.sqrt(1 + size * den[k]))
        fits.append(num[k] * c - den[k] * c**2 / 2)
    return float(np.average(fits, weights=weights))


def test_the_posterior_of_two_features_is_that_of_their_products():
    """Written out as one feature whose places are all pairs of places."""
    rng = np.random.default_rng(0)
    h = functions(rng, 2, (0, 1))
    num, den = rng.normal(size=(2, 2)), 1 + rng.random((2, 2))
    found = posterior(h, (0, 1), Weighed(num, den, 0.0, 10), UNIT)
    pairs = [np.outer(g, k).ravel() for g, k in itertools.product(h.values[0], h.values[1])]
    flat = Functions(
        {0: np.array(pairs)}, {0: {1: np.full(4, 0.25)}}, {0: np.outer(h.variance[0], h.variance[1]).ravel()}
    )
    expected = posterior(flat, (0,), Weighed(num.ravel(), den.ravel(), 0.0, 10), UNIT)
    assert found.log_odds == pytest.approx(expected.log_odds, abs=1e-12)
    np.testing.assert_allclose(found.mean.ravel(), expected.mean, atol=1e-12)
    np.testing.assert_allclose(found.variance.ravel(), expected.variance, atol=1e-12)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize(
    ("features", "family"), [((0,), (0,)), ((0,), (0, 2)), ((0, 1), (1,)), ((0, 1), (0, 1)), ((0, 1), (1, 2))]
)
def test_evidence_adds_up_over_questions_as_over_people(features, family, personal, signed):
    """The same reports as two questions, or as one question to twice as many people."""
    h = functions(np.random.default_rng(1), 3, (0, 1, 2), terms=2)
    line = {features[0]: h.values[features[0]][0]}
    half, whole = (reading(50, features, copies=c, personal=personal, signed=signed) for c in (1, 2))
    half.__dict__["cells"] = whole.cells  # more people tell shares of cells and noise better: here both know the same
    half.reports.__dict__["cell_noise"] = whole.reports.cell_noise / 2
    parts, one = Explained([half, half], line), Explained([whole], line)
    added = weigh(h, parts, 0, family) + weigh(h, parts, 1, family)
    expected = weigh(h, one, 0, family)
    for name in ("num", "den", "centre", "shared", "gram"):
        np.testing.assert_allclose(getattr(added, name), getattr(expected, name), rtol=1e-9, atol=1e-9)
    assert added.people == expected.people == 100
    np.testing.assert_allclose(parts.system()[0], one.system()[0], rtol=1e-9)
    np.testing.assert_allclose(parts.system()[1], one.system()[1], rtol=1e-9)


def _normal_equations(
    reads: list[Reading], effects: list[tuple[tuple[int, ...], np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return q and G of effects, person by person and cell by cell."""
    q, gram = np.zeros(len(effects)), np.zeros((len(effects), len(effects)))
    for read in reads:
        n = len(read.reports)
        weight = weight_of(read)
        each = [what_is_added(read, family, effect) for family, effect in effects]
        residual = read.reports.sums(np.arange(n), n).T  # person x cell
        chances = 0.7 * read.chances
        for a, b in itertools.product(range(len(effects)), repeat=2):
            gram[a, b] += float((chances * each[a] * each[b] * weight).sum())
        q += [float((each[a] * residual * weight).sum()) for a in range(len(effects))]
    return q, gram


@pytest.mark.parametrize("families", [((0,), (1,)), ((0,), (0, 2)), ((0,), (0, 1))])
def test_effects_found_one_after_the_other_are_the_ridge_solution_of_both(families):
    """Sizes solve (G + P) a = q; P makes a size right when it is found, beside the others, or is least."""
    rng = np.random.default_rng(3)
    reads = [reading(300, (0, 1), personal=True, seed=s) for s in (1, 2)]
    tables = [0.3 * rng.normal(size=[PLACES] * len(f)) for f in families]
    sums = Explained(reads, {})
    sums.add(families[0], tables[0], LEAST)
    ((_, factor),) = sums.balance()
    q, gram = _normal_equations(reads, [(families[0], tables[0])])
    first = max(float(q[0] - gram[0, 0]), LEAST)
    assert factor == pytest.approx(float(q[0] / (gram[0, 0] + first)), rel=1e-9)
    sums.add(families[1], tables[1], LEAST)
    found = dict(sums.balance())
    q, gram = _normal_equations(reads, [(families[0], factor * tables[0]), (families[1], tables[1])])
    before = first * factor**2
    beside = [each[1] - gram[0, 1] * each[0] / (gram[0, 0] + before) for each in (q, gram[1])]  # what the first leaves
    penalty = np.diag([before, max(beside[0] - beside[1], LEAST)])
    np.testing.assert_allclose([found[f] for f in families], np.linalg.solve(gram + penalty, q), rtol=1e-8)


def test_people_are_expected_in_cells_as_often_as_there_are_people():
    """Features that public ones tell much of: by their bins alone, people would be expected where nobody is."""
    read = reading(2_000, (0, 1), personal=True)
    steep = np.linspace(0.02, 0.98, 2_000)
    read.expected[0][:, :] = np.column_stack([steep, 1 - steep])
    read.expected[1][:, :] = np.column_stack([0.5 * steep, 0.5 * steep, 1 - steep])
    read.__dict__["cells"] = np.array([0.24, 0.24, 0.02, 0.01, 0.01, 0.48])
    np.testing.assert_allclose(read.chances.mean(axis=0), read.cells, rtol=0.05)
    np.testing.assert_allclose(read.chances.sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("personal", [False, True])
def test_sizes_are_fitted_in_the_end_by_where_people_report_to_be(personal):
    """Sizes solve (G + P) a = q, G with unbiased indicators of cells; P and q are as before."""
    rng = np.random.default_rng(6)
    read, n = reading(4_000, (0, 1), personal=personal), 4_000
    family, table = (0, 2), 0.3 * rng.normal(size=(PLACES, PLACES))
    sums = Explained([read], {})
    sums.add(family, table, LEAST)
    ((_, factor),) = sums.balance()
    resized = dict(sums.resize())
    (q,), ((gram,),) = _normal_equations([read], [(family, table)])
    prior, table = factor**2 * max(q - gram, LEAST), factor * table
    (q,), ((gram,),) = _normal_equations([read], [(family, table)])
    told = read.reports.weight
    share = told / (told + 100 * (1 - told / n))
    weight = weight_of(read)
    marks = np.zeros((n, 6))
    marks[np.arange(n), read.reports.marks.value // 3] = 1
    cells = read.reports.response.per_mark * marks + read.reports.response.per_person
    added = what_is_added(read, family, table)
    reported = float((0.7 * (share * cells + (1 - share) * read.chances) * added**2 * weight).sum())
    assert reported != pytest.approx(gram, rel=1e-3)
    assert resized[family] == pytest.approx(q / (reported + prior), rel=1e-6)


def test_no_effect_grows_beyond_what_effects_are():
    """However little reports tell of it, a size stays within two standard deviations of the largest before."""
    read = reading(300, (0,), personal=True)
    table = np.where(np.arange(PLACES) == 0, 1.0, 0.0)
    sums = Explained([read], {})
    sums.add((0,), table, 400.0)  # twenty standard deviations
    ((_, factor),) = sums.balance()
    assert abs(factor) <= 2 / 20 + 1e-12


def test_an_effect_that_no_report_tells_of_becomes_nothing():
    """Everybody is in one cell and expected there: nothing can be learnt, and nothing is divided by 0."""
    response = PairResponse(2.0, 2, 2, "generalised")
    reports = EffectReports((0,), (2,), response, 1.0, Marks.one_each(np.array([0])), np.full((1, 1), -1), np.zeros(1))
    read = Reading(reports, {0: np.full(PLACES, 1 / PLACES)}, {}, {0: np.array([[1.0, 0.0]])}, frozenset({0}))
    sums = Explained([read], {})
    sums.add((0,), np.ones(PLACES), 0.0)
    assert dict(sums.balance()) == {(0,): 0.0}
