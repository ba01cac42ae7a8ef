"""What reports tell of every function, person by person and cell by cell; its noise is as large as is said."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semildp.curator.effects.adding import added as what_is_added
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.weighing import weigh
from semildp.mechanisms import PairResponse
from semildp.sources import SeededSource
from semildp.wire.columns import Marks
from tests.readings import LEAST, PLACES, functions, noise_of, reading, weight_of


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
        residual, noise = reports.sums(np.arange(n), n).T, noise_of(read)
        told = [0.7 * chances[i] * beyond[i] for i in range(n)]
        num = sum((told[i] / noise[i]) @ residual[i] for i in range(n))
        den = sum((told[i] ** 2 / noise[i]).sum() for i in range(n))
    assert found.num[0] == pytest.approx(float(num), rel=1e-9)
    assert found.den[0] == pytest.approx(float(den), rel=1e-9)


def _noise(family: tuple[int, ...], epsilon: float, *, alike: bool = False) -> float:
    """Return the variance of num over den where nobody has an effect; `alike`, if everyone counts as others do."""
    rng, n, bins = np.random.default_rng(8), 300, (2, 2)
    response = PairResponse(epsilon, 4, 2, "generalised")
    high = np.clip(0.5 + 0.49 * np.sign(rng.normal(size=n)), 0.01, 0.99)  # public features tell nearly all
    expected = {j: np.column_stack([1 - high, high]) for j in (0, 1)}
    h, shares = functions(rng, 1, (0, 1, 2)), {j: np.full(PLACES, 1 / PLACES) for j in range(3)}
    known, found = np.column_stack([np.full((n, 2), -1), rng.integers(0, PLACES, n)]), []
    for seed in range(400):
        cell = 2 * (rng.random(n) < high) + (rng.random(n) < high)
        sent = response.send(cell, rng.integers(0, 2, n), SeededSource(seed))[1]
        reports = EffectReports((0, 1), bins, response, 1.0, Marks.one_each(sent), known, np.zeros(n))
        read = Reading(reports, shares, {}, expected, frozenset((0, 1)))
        if alike:
            read.__dict__["lift"] = np.ones((n, 4))
        weighed = weigh(h, Explained([read], {}), 0, family)
        found.append(float(weighed.num.ravel()[0] ** 2 / weighed.den.ravel()[0]))
    return float(np.mean(found))


@pytest.mark.parametrize("epsilon", [1.0, 8.0])
@pytest.mark.parametrize("family", [(0,), (1, 2)])
def test_noise_is_as_large_as_is_said_where_public_features_tell_of_private_ones(family, epsilon):
    """Without effects, num has variance den: of 400 draws, a ratio within 1 +- .3 (more than 4 standard errors of .07).

    Where false marks are many, everyone adds the same noise to all cells; counted alike there, noise was taken for
    effects. Where there are none, only who is in a cell adds noise to it.
    """
    assert _noise(family, epsilon) == pytest.approx(1, abs=0.3)
    if epsilon == 1:
        assert _noise(family, epsilon, alike=True) > 2


def test_one_person_in_a_cell_does_not_tell_how_far_residuals_vary_there():
    """99 people at random in one of two cells and one in the other: their sum is no surer than that of any one."""
    rng, response = np.random.default_rng(4), PairResponse(12.0, 2, 3, "generalised")
    levels = rng.choice([0, 2], 100)
    sent = response.send((np.arange(100) == 0).astype(int), levels, SeededSource(0))[1]
    reports = EffectReports((0,), (2,), response, 1.0, Marks.one_each(sent), np.full((100, 1), -1), np.zeros(100))
    assert reports.cell_noise[0] == pytest.approx(99, rel=0.15)
    assert reports.cell_noise[1] == pytest.approx(1, rel=0.15)


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
    residual, weight = read.reports.sums(np.arange(n), n).T, weight_of(read)
    added = [what_is_added(read, *each) for each in others]
    left = residual - sum(read.sent(each) for each in added)
    for a, b in itertools.product(range(2), repeat=2):
        own = what_is_added(read, (0, 2), np.outer(h.values[0][a], h.values[2][b]))
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
    taken = read.sent(what_is_added(read, *other))
    left = read.reports.sums(np.arange(n), n).T - taken
    weight = weight_of(read)
    for a, b in itertools.product(range(2), repeat=2):
        own = what_is_added(read, family, np.outer(h.values[family[0]][a], h.values[family[1]][b]) - found.centre[a, b])
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
        each = read.sent(what_is_added(read, family, effect))[:, 0]
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
