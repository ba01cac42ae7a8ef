"""What the next people are asked: sane at the ends, blind where there is nothing to learn; gains by brute force."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from semildp.curator.effects.doubts import COARSE, Doubt
from semildp.curator.wave_greedy import Before
from semildp.curator.wave_menu import Asking, cells_menu, patterns, shown, signs_menu
from semildp.curator.wave_plan import MOST_TOGETHER, REACHES, Known, nothing_known, plan_question
from semildp.curator.wave_telling import FEW, told_by_rows
from semildp.protocols.cohorts import stages
from semildp.sources import SeededSource

PUBLIC = (100, 101, 102)  # indices of public features


def known_of(n_private: int, values: dict[int, int] | None = None, precision: float = 100.0, **more) -> Known:
    """Return what is known before anyone is asked about so many private features."""
    each = {j: (values or {}).get(j) for j in range(n_private)}
    return Known(nothing_known(each, PUBLIC), each, len(PUBLIC), precision, **more)


def probed(n_private: int, **more) -> Known:
    """The same, once cells have been asked about."""
    groups = itertools.chain.from_iterable(itertools.combinations(range(n_private), k) for k in (1, 2))
    return known_of(n_private, told=dict.fromkeys(groups, 100.0), **more)


def without_doubt(known: Known, features: set[int]) -> Known:
    """All that these do, alone and with others, is known to be nothing."""
    doubt = {f: each * 0.0 if features & set(f) else each for f, each in known.doubt.items()}
    return replace(known, doubt=doubt)


@pytest.mark.parametrize(("n", "epsilon"), [(10, 0.5), (10_000, 1.0), (10**6, 8.0)])
def test_without_private_features_none_is_asked_about(n, epsilon):
    plan = plan_question(known_of(0), n, epsilon)
    assert plan.features == ()
    assert [asking for asking, _ in plan.asks] == [Asking()]


def test_signs_are_trusted_as_far_as_it_is_clear_where_people_are():
    """Two features, of which effects are known: asked about by signs if people are known to be even, else by cells."""
    shares = []
    for unclear in (1e-4, 1.0):
        groups = dict.fromkeys([(0,), (1,), (0, 1)], unclear)
        plan = plan_question(replace(probed(2), unclear=groups, explained=0.5), 10**5, 1.0)
        shares.append(sum(share for asking, share in plan.asks if asking.signs is not None))
    assert shares[0] > 0.5
    assert shares[1] < 0.1


@pytest.mark.parametrize("n_private", [1, 2, 4, 8])
@pytest.mark.parametrize(("n", "epsilon"), [(20, 1.0), (3, 1.0), (10_000, 0.01), (1, 0.001)])
def test_few_people_or_a_tiny_epsilon_are_asked_for_the_residual_alone(n, epsilon, n_private):
    """Where labels have told as little: then the public prediction has most to gain."""
    assert plan_question(known_of(n_private, precision=0.1), n, epsilon).features == ()


def test_of_many_features_hardly_any_is_asked_about():
    """Twenty, epsilon 1, a thousand people: each question would tell of a twentieth of what is unknown."""
    assert len(plan_question(known_of(20, precision=10.0), 1000, 1.0).features) <= 5


@pytest.mark.parametrize("n_private", [1, 2, 4])
def test_many_people_and_a_large_epsilon_are_asked_about_all(n_private):
    plan = plan_question(known_of(n_private), 10**6, 8.0)
    assert sorted(plan.features) == list(range(n_private))


@pytest.mark.parametrize("n_private", [1, 2, 3, 4, 5, 8])
def test_a_probe_asks_about_cells_and_of_few_features_about_two_at_a_time(n_private):
    """Signs tell nothing of where people are, nor one feature at a time whether they go together."""
    plan = plan_question(known_of(n_private), 10**6, 8.0)
    sizes = {len(asking.features) for asking, _ in plan.asks if asking.features}
    assert sizes == ({1, 2} if 2 <= n_private <= MOST_TOGETHER else {1})
    assert all(asking.signs is None for asking, _ in plan.asks)


@pytest.mark.parametrize(("n", "epsilon"), [(2_000, 1.0), (10**5, 2.0)])
@pytest.mark.parametrize("n_private", [1, 2, 3, 4])
def test_of_few_features_a_quarter_of_a_probe_tells_where_people_are_on_each(n_private, n, epsilon):
    """Not in halves, as a number may be 0 or 1. A quarter or a third: each of them as often, in twelve parts."""
    plan, often = plan_question(known_of(n_private), n, epsilon), np.zeros(n_private)
    for asking, share in plan.asks:
        if len(asking.features) == 1 and asking.bins[0] > 2:
            often[asking.features[0]] += share
    assert often.sum() >= 0.25 - 1e-9
    if n_private > 1:
        assert often.sum() <= 1 / 3 + 1e-9
        np.testing.assert_allclose(often, often[0])


@pytest.mark.parametrize(("n", "epsilon"), [(2_000, 1.0), (10**5, 2.0)])
@pytest.mark.parametrize("n_private", [3, 4])
def test_a_probe_asks_about_all_pairs_as_often(n_private, n, epsilon):
    """Of a pair that nobody was asked about it is not known whether it goes together. People are in twelve parts."""
    plan, often = plan_question(known_of(n_private), n, epsilon), dict[tuple[int, ...], float]()
    for asking, share in plan.asks:
        often[asking.features] = often.get(asking.features, 0.0) + share
    shares = [often.get(pair, 0.0) for pair in itertools.combinations(range(n_private), 2)]
    assert min(shares) > 0
    assert max(shares) < min(shares) + 1.5 / 12


@pytest.mark.parametrize("told", [{}, {(): 1.0}, {(0,): 50.0, (1,): 50.0, (0, 1): 5.0}])
def test_signs_are_of_features_whose_cells_were_told(told):
    plan = plan_question(known_of(3, told=told), 10**5, 1.0)
    assert all(asking.signs is None or asking.features in told for asking, _ in plan.asks)


@pytest.mark.parametrize("n_private", [5, 8])
def test_signs_wait_until_all_pairs_of_what_is_left_have_been_asked_about(n_private):
    """Nobody has told which of them go together; of many, the likeliest are asked about two at a time first."""
    singles = {(j,): 100.0 for j in range(n_private)}
    likely = dict.fromkeys(range(n_private), 0.5)
    plan = plan_question(known_of(n_private, told=singles, likely=likely), 10**5, 2.0)
    assert {len(asking.features) for asking, _ in plan.asks if asking.features} == {2}
    assert all(asking.signs is None for asking, _ in plan.asks)
    assert len(plan.features) <= MOST_TOGETHER
    after = plan_question(probed(n_private, likely=likely), 10**5, 1.0)
    assert any(asking.signs is not None for asking, _ in after.asks)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_a_small_epsilon_asks_by_signs_and_a_large_one_about_cells(epsilon):
    """One number at a time is told best with much noise; with little, a cell tells all numbers at once."""
    small = plan_question(probed(2), 10**4, epsilon)
    large = plan_question(probed(2), 10**4, 8.0)
    by_signs = [sum(share for asking, share in plan.asks if asking.signs is not None) for plan in (small, large)]
    assert by_signs[0] > max(0.3, by_signs[1])
    assert sum(share for asking, share in large.asks if asking.features and asking.signs is None) > 0.5


@pytest.mark.parametrize(
    ("n_private", "n", "epsilon"),  # every two of them together
    [
        *((2, 1000, 1.0), (2, 10_000, 4.0), (2, 10**6, 8.0)),
        *((4, 1000, 4.0), (4, 10_000, 8.0), (4, 10**6, 1.0)),
        *((6, 1000, 8.0), (6, 10_000, 1.0), (6, 10**6, 4.0)),
    ],
)
def test_a_feature_without_doubt_is_not_asked_about_again(n_private, n, epsilon):
    known = without_doubt(probed(n_private, likely={0: 0.0}), {0})
    assert 0 not in plan_question(known, n, epsilon).features


def test_with_no_doubt_at_all_the_residual_alone_is_asked_for():
    assert plan_question(without_doubt(probed(3), {0, 1, 2}), 10**5, 4.0).features == ()


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_more_people_leave_less_error(epsilon):
    """And never more than is unknown now."""
    known = probed(3)
    errors = [plan_question(known, n, epsilon).error for n in (1, 10, 100, 10**3, 10**4, 10**5, 10**6)]
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(errors))
    alone = plan_question(known_of(0), 1, epsilon).error
    assert errors[0] <= alone + sum(each.total for each in known.doubt.values()) + 1e-12


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
def test_a_larger_epsilon_leaves_less_error(n):
    errors = [plan_question(probed(3), n, epsilon).error for epsilon in (0.1, 0.5, 1, 2, 4, 8)]
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(errors))


def test_of_many_families_each_is_unlikely():
    """What is unknown of one feature alone does not grow with their number."""
    for few, many in ((2, 10), (10, 100)):
        totals = [nothing_known(dict.fromkeys(range(n)), PUBLIC)[0,].total for n in (few, many)]
        assert totals[1] <= totals[0]


def test_many_values_cost():
    """A category of a hundred values is worth less of a question than one of two."""
    two, many = (plan_question(known_of(1, {0: v}), 2000, 2.0).error for v in (2, 100))
    assert two <= many


@pytest.mark.parametrize("known", [known_of, probed])
@pytest.mark.parametrize("n_private", [0, 1, 4])
def test_the_plan_can_be_asked(n_private, known):
    plan = plan_question(known(n_private), 10**5, 4.0)
    assert plan.reach in REACHES
    assert 0 < plan.spread < 1
    assert math.isfinite(plan.error)
    assert sum(share for _, share in plan.asks) == pytest.approx(1.0)


@pytest.mark.parametrize("features", [(0,), (1,), (0, 1), (0, 2)])
def test_questions_on_the_menu_fit_their_features(features):
    """A category has its values for bins; signs are 1 or -1, one per cell; none are alike or opposite."""
    values = {0: None, 1: 6, 2: None}
    for asking in (*cells_menu(features, values), *signs_menu(features, values)):
        assert asking.features == features
        assert all(values[j] in (None, b) for j, b in zip(features, asking.bins, strict=True))
        assert asking.signs is None or (set(asking.signs) == {-1, 1} and len(asking.signs) == math.prod(asking.bins))
    every = [np.array(asking.signs) for asking in signs_menu(features, values)]
    assert all(abs(a @ b) < len(a) for a, b in itertools.combinations(every, 2))


@pytest.mark.parametrize(("n_values", "count"), [(None, 15 + 105), (2, 1), (3, 3), (6, 9)])
def test_patterns_tell_every_place_from_every_other(n_values, count):
    found = patterns(n_values, 1)
    assert len(found) == count
    places = np.array(found).T
    assert len(np.unique(places, axis=0)) == (n_values or COARSE[1])


def doubt_with(covariance: np.ndarray, private: tuple[int, ...], shape: tuple[int, ...]) -> Doubt:
    shares = tuple(np.full(n, 1 / n) for n in shape)
    return Doubt(private, shares, covariance, np.eye(1, 8)[0])


@pytest.mark.parametrize(
    "asking", [Asking((0,), (2,)), Asking((0, 1), (2, 4)), Asking((0,), (16,), (1,) * 5 + (-1,) * 11)]
)
def test_what_a_question_shows_is_what_people_would_send(asking):
    """Mean of every sum, over people even in all places, for an effect of feature 0; sums over other bins are one."""
    effect = np.random.default_rng(0).normal(size=16)
    rows = shown([asking], doubt_with(np.eye(16), (0,), (16,)))
    places = np.repeat(np.arange(16), 3)
    bins = places * asking.bins[0] // 16
    if asking.signs is None:
        expected = [np.mean(effect[places] * (bins == b)) for b in range(asking.bins[0])]
    else:
        expected = [np.mean(effect[places] * np.array(asking.signs)[bins])]
    np.testing.assert_allclose(rows @ effect, expected)


@pytest.mark.parametrize("ways", [[1.0], [0.6, 0.3, 0.1]])
@pytest.mark.parametrize("n_sums", [1, 5, FEW, FEW + 1])
def test_what_sums_leave_is_what_normal_numbers_leave(n_sums, ways):
    """C - C G' (G C G' + N)^-1 G C, of numbers whose covariance is shared out over ways that vary independently."""
    rng = np.random.default_rng(n_sums)
    root, rows = rng.normal(size=(24, 24)), rng.normal(size=(n_sums, 24))
    doubt = replace(doubt_with(root @ root.T, (0,), (24,)), ways=np.array(ways))
    told, kept, noise = told_by_rows(doubt, rows), 0.7, 3.0
    left, seen = np.zeros((24, 24)), kept * rows
    for way in ways:
        before = way * doubt.covariance
        left += before - before @ seen.T @ np.linalg.solve(
            seen @ before @ seen.T + noise * np.eye(n_sums), seen @ before
        )
    np.testing.assert_allclose(told.left(kept, noise), left, atol=1e-10)
    assert told.gain(kept, noise) == pytest.approx(doubt.total - doubt.people @ np.diag(left))
    assert told.n_sums == n_sums


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 50, 666, 667, 5000])
def test_everybody_has_a_place_in_the_waves(n, both):
    """Once, or once among labels and once among residuals; no wave is empty, and labels come first."""
    found = stages(SeededSource(n), n, 1 / 3, both=both)
    kinds = [stage.asks for stage in found]
    assert kinds == sorted(kinds)
    assert kinds[0] == "label"
    assert all(len(stage.people) for stage in found)
    for asks in ("label", "residual"):
        people = np.concatenate([np.zeros(0, dtype=np.int64), *(s.people for s in found if s.asks == asks)])
        assert len(np.unique(people)) == len(people)
        assert not both or len(people) == n
    assert both or sorted(np.concatenate([stage.people for stage in found])) == list(range(n))


@pytest.mark.parametrize(("n", "labels"), [(150, 150), (600, 200), (2000, 500), (10_000, 2000)])
def test_of_few_people_more_are_asked_for_labels(n, labels):
    """A fifth; but at least 500 or a third of them, and all of fewer than 200."""
    found = stages(SeededSource(n), n, 0.2, both=False)
    assert sum(len(stage.people) for stage in found if stage.asks == "label") == labels


@pytest.mark.parametrize(("n", "waves"), [(2000, 3), (10_000, 3), (40_000, 4), (10**6, 4)])
def test_each_wave_of_residuals_is_as_large_as_those_before_it(n, waves):
    """Reports so far plan the next wave; the more people there are, the more often."""
    sizes = [len(stage.people) for stage in stages(SeededSource(n), n, 1 / 3, both=False) if stage.asks == "residual"]
    assert len(sizes) == waves
    assert all(abs(sum(sizes[:k]) - sizes[k]) <= 2 for k in range(1, waves))


@pytest.mark.parametrize("values", [{}, {0: 3, 1: 3, 2: 16}])
@pytest.mark.parametrize("known", [known_of, probed])
@pytest.mark.parametrize("n_private", [3, 8])
def test_features_that_are_alike_are_planned_as_if_each_were_looked_at(n_private, known, values, monkeypatch):
    """What is computed once for all of them is what would be computed for each: the same plan, to the last bit."""
    plan = plan_question(known(n_private, values=values), 20_000, 2.0)
    monkeypatch.setattr(Before, "kinds", property(lambda before: list(range(len(before.doubts)))))
    assert plan_question(known(n_private, values=values), 20_000, 2.0) == plan
    assert plan.features
