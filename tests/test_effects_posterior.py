"""From sums to effects: posteriors by integration, evidence that adds up, effects that share what they explain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semildp.curator.effects.evidence import SHARES, posterior
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.weighing import Functions, Weighed, weigh
from semildp.mechanisms import PairResponse
from semildp.sources import SeededSource
from semildp.wire.columns import Marks

UNIT = 0.7
PLACES = 8


def functions(rng: np.random.Generator, count: int, features: tuple[int, ...] = (0,)) -> Functions:
    values = {j: rng.normal(size=(count, PLACES)) for j in features}
    values = {j: v - v.mean(axis=1, keepdims=True) for j, v in values.items()}
    prior = {j: dict.fromkeys((1, 2), np.full(count, 1 / count)) for j in features}
    return Functions(values, prior, {j: (v**2).mean(axis=1) for j, v in values.items()})


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


def reading(
    n: int,
    features: tuple[int, ...],
    *,
    copies: int = 1,
    personal: bool = False,
    seed: int = 0,
    signed: bool = False,
) -> Reading:
    """Return reports of people at random, all of it so many times over; feature 2 is public, all have eight places."""
    rng = np.random.default_rng(seed)
    bins = (4,) if len(features) == 1 else (2, 3)
    response = PairResponse(2.0, 1 if signed else int(np.prod(bins)), 3, "generalised")
    signs = 1 - 2 * rng.integers(0, 2, int(np.prod(bins))) if signed else None
    sent = response.send(rng.integers(0, response.n_candidates, n), rng.integers(0, 3, n), SeededSource(seed))[1]
    known = np.column_stack([np.full((n, 2), -1), rng.integers(0, PLACES, n)])
    shift = 0.1 * rng.normal(size=n)
    expected = {}
    for j, b in zip(features, bins, strict=True):
        rows = rng.random((n if personal else 1, b)) + 1
        expected[j] = np.tile(rows / rows.sum(axis=1, keepdims=True), (copies if personal else 1, 1))
    marks = Marks.one_each(np.tile(sent, copies))
    people = (marks, np.tile(known, (copies, 1)), np.tile(shift, copies))
    reports = EffectReports(features, bins, response, 1.0, *people, signs, kept=0.7)
    shares = {j: np.full(PLACES, 1 / PLACES) for j in range(3)}
    return Reading(reports, shares, {}, expected, frozenset(features))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize(
    ("features", "family"), [((0,), (0,)), ((0,), (0, 2)), ((0, 1), (1,)), ((0, 1), (0, 1)), ((0, 1), (1, 2))]
)
def test_evidence_adds_up_over_questions_as_over_people(features, family, personal, signed):
    """The same reports as two questions, or as one question to twice as many people."""
    h = functions(np.random.default_rng(1), 3, (0, 1, 2))
    line = {features[0]: h.values[features[0]][0]}
    half, whole = (reading(50, features, copies=c, personal=personal, signed=signed) for c in (1, 2))
    half.__dict__["cells"] = whole.cells  # more people tell the shares of cells better: here both know the same
    parts, one = Explained([half, half], line), Explained([whole], line)
    added = weigh(h, parts, 0, family) + weigh(h, parts, 1, family)
    expected = weigh(h, one, 0, family)
    for name in ("num", "den", "centre", "shared"):
        np.testing.assert_allclose(getattr(added, name), getattr(expected, name), rtol=1e-9, atol=1e-9)
    assert added.people == expected.people == 100
    np.testing.assert_allclose(parts.system()[0], one.system()[0], rtol=1e-9)
    np.testing.assert_allclose(parts.system()[1], one.system()[1], rtol=1e-9)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("personal", [False, True])
def test_one_function_is_weighed_as_in_a_linear_regression(personal, signed):
    """Weighted least squares, person by person and cell by cell; with signs, of one sum S = a D + noise."""
    read = reading(60, (0,), personal=personal, signed=signed)
    h, reports, n = functions(np.random.default_rng(2), 1, (0, 1, 2)), read.reports, 60
    found = weigh(h, Explained([read], {}), 0, (0,))
    cells = h.values[0][0].reshape(4, 2).mean(axis=1)  # eight equal places in four bins
    own = np.broadcast_to(read.expected[0], (n, 4))
    chances = np.broadcast_to(read.chances, (n, 4))
    beyond = [cells - own[i] @ cells for i in range(n)]
    V = reports.cell_noise
    if signed:
        D, S = 0.7 * sum(chances[i] * beyond[i] @ reports.signs for i in range(n)), reports.sums(np.arange(n), n).sum()
        num, den = D * S / V[0], D**2 / V[0]
    else:
        residual, told = reports.sums(np.arange(n), n).T, [0.7 * n * chances[i] for i in range(n)]
        num = sum((told[i] / V * beyond[i]) @ residual[i] for i in range(n))
        den = sum((told[i] ** 2 / V * beyond[i] ** 2).sum() / n for i in range(n))  # V is the noise of n people
    assert found.num[0] == pytest.approx(float(num), rel=1e-9)
    assert found.den[0] == pytest.approx(float(den), rel=1e-9)


def _noise(family: tuple[int, ...], *, likely: bool) -> float:
    """Return the variance of num over den where nobody has an effect; without `likely`, of everyone as if alike."""
    rng, n, bins = np.random.default_rng(8), 300, (2, 2)
    response = PairResponse(1.0, 4, 2, "generalised")
    high = np.clip(0.5 + 0.49 * np.sign(rng.normal(size=n)), 0.01, 0.99)  # public features tell nearly all
    expected = {j: np.column_stack([1 - high, high]) for j in (0, 1)}
    h, shares = functions(rng, 1, (0, 1, 2)), {j: np.full(PLACES, 1 / PLACES) for j in range(3)}
    known, found = np.column_stack([np.full((n, 2), -1), rng.integers(0, PLACES, n)]), []
    for seed in range(400):
        cell = 2 * (rng.random(n) < high) + (rng.random(n) < high)
        sent = response.send(cell, rng.integers(0, 2, n), SeededSource(seed))[1]
        reports = EffectReports((0, 1), bins, response, 1.0, Marks.one_each(sent), known, np.zeros(n))
        read = Reading(reports, shares, {}, expected, frozenset((0, 1)))
        if not likely:
            read.__dict__["lift"] = np.ones((n, 4))
        weighed = weigh(h, Explained([read], {}), 0, family)
        found.append(float(weighed.num.ravel()[0] ** 2 / weighed.den.ravel()[0]))
    return float(np.mean(found))


@pytest.mark.parametrize("family", [(0,), (1, 2)])
def test_noise_is_as_large_as_is_said_where_public_features_tell_of_private_ones(family):
    """Without effects, num has variance den: of 400 draws, a ratio within 1 +- .3 (more than 4 standard errors of .07).

    It is more than twice that if everyone counts alike in all cells, as they did once, and noise was taken for effects.
    """
    assert _noise(family, likely=True) == pytest.approx(1, abs=0.3)
    assert _noise(family, likely=False) > 2


@pytest.mark.parametrize("features", [(0,), (0, 1)])
def test_a_private_with_a_public_feature_is_weighed_person_by_person_beside_other_effects(features):
    """num, den and the products with other effects are those of weighted least squares, written out."""
    rng = np.random.default_rng(5)
    read, n = reading(60, features, personal=True), 60
    h = functions(rng, 2, (0, 1, 2))
    others = [((0,), rng.normal(size=PLACES)), ((0, 2), rng.normal(size=(PLACES, PLACES)))]
    sums = Explained([read], {})
    for family, table in others:
        sums.add(family, table, LEAST)
    found = weigh(h, sums, 0, (0, 2))
    residual, weight = read.reports.sums(np.arange(n), n).T, 0.7 * n * read.chances / read.reports.cell_noise
    added = [read.added(*each) for each in others]
    left = residual - sum(read.sent(each) for each in added)
    for a, b in itertools.product(range(2), repeat=2):
        own = read.added((0, 2), np.outer(h.values[0][a], h.values[2][b]))
        assert found.num[a, b] == pytest.approx(float((own * weight * left).sum()), rel=1e-9)
        assert found.den[a, b] == pytest.approx(float((own * weight * read.sent(own)).sum()), rel=1e-9)
        shared = [float((own * weight * read.sent(each)).sum()) for each in added]
        np.testing.assert_allclose(found.shared[a, b], shared, rtol=1e-9)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("family", [(0, 1), (1, 0)])
def test_two_private_features_are_weighed_person_by_person_beside_other_effects(family, signed):
    """What they are expected to add, by public features, is taken off for each person; the mean over people is 0."""
    rng = np.random.default_rng(9)
    read, n = reading(60, (0, 1), personal=True, signed=signed), 60
    h, other = functions(rng, 2, (0, 1, 2)), ((0,), rng.normal(size=PLACES))
    sums = Explained([read], {})
    sums.add(*other, LEAST)
    found = weigh(h, sums, 0, family)
    taken = read.sent(read.added(*other))
    left = read.reports.sums(np.arange(n), n).T - taken
    weight = 0.7 * n * read.chances / read.reports.cell_noise
    for a, b in itertools.product(range(2), repeat=2):
        own = read.added(family, np.outer(h.values[family[0]][a], h.values[family[1]][b]) - found.centre[a, b])
        assert (read.cells * own).sum() == pytest.approx(0, abs=1e-9)
        if signed:
            D, V = float(read.sent(own).sum()), float(read.reports.cell_noise[0])
            num, den, shared = D * left.sum() / V, D**2 / V, D * taken.sum() / V
        else:
            num, den, shared = ((own * weight * each).sum() for each in (left, read.sent(own), taken))
        assert found.num[a, b] == pytest.approx(float(num), rel=1e-9)
        assert found.den[a, b] == pytest.approx(float(den), rel=1e-9)
        assert found.shared[a, b, 0] == pytest.approx(float(shared), rel=1e-9)


@pytest.mark.parametrize("family", [(0, 2), (1, 2), (0, 1)])
def test_turned_residuals_tell_of_two_features_as_a_literal_sum_says(family):
    """D is the sum over people of what the effect is expected to add to the report: sign by sign, place by place."""
    read, n = reading(40, (0, 1), signed=True), 40
    h = functions(np.random.default_rng(2), 2, (0, 1, 2))
    found = weigh(h, Explained([read], {}), 0, family)
    S = read.reports.sums(np.arange(n), n)[0]
    V = float(read.reports.cell_noise[0])
    for a, b in itertools.product(range(2), repeat=2):
        effect = np.outer(h.values[family[0]][a], h.values[family[1]][b])
        if family == (0, 1):
            effect = effect - effect.mean()  # people are even over all places
        each = read.sent(read.added(family, effect))[:, 0]
        if family == (0, 1):
            num, den = each.sum() * S.sum() / V, each.sum() ** 2 / V
        else:  # by public place, each with its share of the noise
            place = read.place(2)
            count = np.bincount(place, minlength=PLACES)
            D, sums = (np.bincount(place, weights=x, minlength=PLACES) for x in (each, S))
            noise = V * np.maximum(count, 1e-9) / n
            num, den = (D * sums / noise).sum(), (D**2 / noise).sum()
        assert found.num[a, b] == pytest.approx(num, rel=1e-9, abs=1e-12)
        assert found.den[a, b] == pytest.approx(den, rel=1e-9, abs=1e-12)


LEAST = 0.05  # precision of sizes before anyone is asked


def _normal_equations(
    reads: list[Reading], effects: list[tuple[tuple[int, ...], np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return q and G of effects, person by person and cell by cell."""
    q, gram = np.zeros(len(effects)), np.zeros((len(effects), len(effects)))
    for read in reads:
        n = len(read.reports)
        weight = 0.7 * n * read.chances / read.reports.cell_noise
        each = [read.added(family, effect) for family, effect in effects]
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
    weight = 0.7 * n * read.chances / read.reports.cell_noise
    marks = np.zeros((n, 6))
    marks[np.arange(n), read.reports.marks.value // 3] = 1
    cells = read.reports.response.per_mark * marks + read.reports.response.per_person
    added = read.added(family, table)
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
