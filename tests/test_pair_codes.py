"""Codes for pairs: what marks are worth is exact, the noise is the stated one, and the best code is the best."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import semildp.mechanisms.pairs as pairs_module
from semildp.mechanisms import PairResponse, best_pair_response
from semildp.sources import SeededSource
from tests.battery.pairs import SMALL, as_arrays

EPSILONS = (0.3, 1.0, 3.0)
TRIED = (2, 3, 4, 5, 7, 9)


def second_moments(code):
    """Exact mean square of each candidate's sum of numbers: true value x candidate."""
    marks, chances = as_arrays(code)
    return chances @ (code.per_score * (marks @ code.scores)) ** 2


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("kind", "k", "levels"), SMALL)
def test_people_and_level_sums_are_unbiased(kind, k, levels, epsilon):
    code = PairResponse(epsilon, k, levels, kind)
    marks, chances = as_arrays(code)
    mean = np.einsum("vr,rcl->vcl", chances, marks)
    people = code.per_mark * mean.sum(axis=2) + code.per_person
    sums = code.per_score * (mean @ np.linspace(-1, 1, levels))
    for value in range(k * levels):
        true = np.arange(k) == value // levels
        np.testing.assert_allclose(people[value], true, atol=1e-9)
        np.testing.assert_allclose(sums[value], true * (2 * (value % levels) / (levels - 1) - 1), atol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("kind", "k", "levels"), [case for case in SMALL if case[1] > 1])
def test_noise_per_squared_mark_is_the_variance_where_somebody_is_not(kind, k, levels, epsilon):
    """In expectation over the report, exactly, whatever the true level."""
    code = PairResponse(epsilon, k, levels, kind)
    marks, chances = as_arrays(code)
    stated = code.per_square * chances @ (marks @ np.linspace(-1, 1, levels) ** 2)
    exact = second_moments(code)
    for value in range(k * levels):
        elsewhere = np.arange(k) != value // levels
        np.testing.assert_allclose(stated[value, elsewhere], exact[value, elsewhere], rtol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("kind", "k", "levels"), SMALL)
def test_noise_of_a_report(kind, k, levels, epsilon):
    """Exact but for two guesses.

    With three levels or more, rounding of the true number is off by a quarter of a squared step at most. Marks of a
    subset beside the true one count as beside a false one, which is never too low and at most 10 % too high.
    """
    code = PairResponse(epsilon, k, levels, kind)
    each = second_moments(code).sum(axis=1).reshape(k, levels)[0]
    step = 2 / (levels - 1)
    rounding = 0.0 if levels == 2 else code.per_score * step**2 / 4
    most = 1.1 if kind == "subset" else 1.0
    for number in np.linspace(-1, 1, 9):
        place = (number + 1) / step
        low = min(int(place), levels - 2)
        exact = (1 - place + low) * each[low] + (place - low) * each[low + 1]
        assert exact - rounding - 1e-9 <= code.noise(number**2) <= most * exact + rounding + 1e-9


def literal_noise(kind, epsilon, k, levels, spread):
    """Noise of a report by the definitions of the three laws, without anything of the library."""
    e, scores = math.exp(epsilon), [2 * j / (levels - 1) - 1 for j in range(levels)]
    squares = sum(s * s for s in scores)
    if kind == "paired":
        a, b = (0.5, 2 / (e + 3)) if k > 1 else (1.0, 0.0)
        return (a + (k - 1) * b) / (a * (e - 1) / (e + 1)) ** 2
    n, sizes = k * levels, {}
    for m in range(1, n) if kind == "subset" else (1,):
        p = m * e / (m * e + n - m)
        q = (m - p) / (n - 1)
        sizes[m] = (q * (1 - q) / (p - q) ** 2, p, q)
    m = min(sizes, key=lambda size: sizes[size][0])
    _, p, q = sizes[m]
    pair = (m - 1) * (m - 2 * p) / ((n - 1) * (n - 2)) if n > 2 else 0.0
    step = 2 / (levels - 1)
    own = 1.0 if levels == 2 else min(1.0, spread + min(step * math.sqrt(spread) / 2, step**2 / 4))
    return (1 - pair / q) * ((p - q) * own + q * k * squares) / (p - q) ** 2


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 16, 100])
@pytest.mark.parametrize("spread", [0.1, 0.3, 0.5])
def test_the_best_code_is_the_best_of_all_kinds_and_levels(epsilon, k, spread):
    choices = [("subset", levels) for levels in TRIED] + [("paired", 2)]
    noises = {choice: literal_noise(choice[0], epsilon, k, choice[1], spread) for choice in choices}
    code = best_pair_response(epsilon, k, spread)
    assert code.noise(spread) == pytest.approx(min(noises.values()), rel=1e-9)
    chosen = literal_noise(code.kind, epsilon, k, code.levels, spread)
    assert chosen == pytest.approx(min(noises.values()), rel=1e-9)
    assert (code.epsilon, code.n_candidates) == (epsilon, k)
    assert chosen <= literal_noise("generalised", epsilon, k, 2, spread) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("spread", [0.1, 0.35])
def test_more_candidates_never_mean_less_noise(epsilon, spread):
    """Up to 2 %: the size of a subset is the best for its marks one by one, not quite for sums of numbers."""
    sizes = [*range(1, 40), 64, 100, 256, 1000, 2**12, 2**12 + 1, 2**14, 2**18]
    noises = [best_pair_response(epsilon, k, spread).noise(spread) for k in sizes]
    assert all(after >= 0.98 * before for before, after in itertools.pairwise(noises))


def test_a_number_of_two_levels_is_as_loud_as_any():
    """Its square is 1 whatever was rounded; a small spread must not make two levels look better than they are."""
    for kind in ("generalised", "subset"):
        code = PairResponse(2.0, 3, 2, kind)
        assert code.noise(0.01) == code.noise(0.3) == code.noise(1.0)
    assert best_pair_response(3.0, 1, 0.01).levels > 2


def test_among_very_many_candidates_reports_are_short():
    assert best_pair_response(1.0, 2**12, 0.3).kind != "generalised"
    code = best_pair_response(1.0, 2**12 + 1, 0.3)
    assert (code.kind, code.levels) == ("generalised", 2)
    person, value = code.send(np.arange(50), np.arange(50) % 2, SeededSource(0))
    assert person.tolist() == list(range(50))
    assert value.max() < 2 * (2**12 + 1)


@pytest.mark.parametrize("kind", ["generalised", "subset", "paired"])
def test_the_same_is_sent_whatever_is_held_at_a_time(kind, monkeypatch):
    code, n = PairResponse(1.0, 5, 2, kind), 203
    rng = np.random.default_rng(0)
    candidate, level = rng.integers(0, 5, n), rng.integers(0, 2, n)
    sent = []
    for chunk in (2**22, 1, 70, 10 * (n - 1), 10 * n):
        monkeypatch.setattr(pairs_module, "_CHUNK", chunk)
        source = SeededSource(4)
        sent.append((*code.send(candidate, level, source), source.words(1)))
    for other in sent[1:]:
        for mine, first in zip(other, sent[0], strict=True):
            np.testing.assert_array_equal(mine, first)
    assert (np.diff(sent[0][0]) >= 0).all()
    assert len(code.send(candidate[:0], level[:0], SeededSource(4))[1]) == 0
