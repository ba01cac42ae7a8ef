"""Plans: made-up people are as assumed, searches end where they should, and the same plan gives the same numbers."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from semildp import BudgetAccountant, InputError, plan
from semildp.planning import Assumptions, Expected, Needed, Plan, Row
from semildp.planning.conducting import n_studies
from semildp.planning.made_up import draw_people, draw_truth
from semildp.planning.needing import FEWEST, MOST, people_needed
from semildp.planning.noticing import FOUND, _information, _needed, _planned, smallest_effects
from semildp.planning.spread import bins_of_line, laws_of

DRAWN = 200_000
SMALL = {"n_people": 60, "n_features": 3, "n_private": 1, "epsilon": 4.0, "replications": 2}
CASES = [
    Assumptions(6, 2),
    Assumptions(6, 2, 0.5, 0.3, bend=1.0),
    Assumptions(5, 1, 0.2, 0.4, "steps"),
    Assumptions(7, 3, 0.4, 0.2, together=0.5),
    Assumptions(7, 3, 0.4, 0.2, matter=(2, 1)),
    Assumptions(4, 4, 0.3, 0.6, together=0.3),
    Assumptions(4, 0, 0.3, 0.6),
    Assumptions(6, 2, 0.5, 0.3, bend=0.3, together=0.2, spread=0.18),
    Assumptions(5, 2, 0.2, 0.4, "steps", spread=0.1),
]


@pytest.mark.parametrize("assumed", CASES, ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_made_up_functions_explain_the_assumed_shares(assumed, seed):
    """What private features add is half the mean squared change if they are drawn anew. Six standard errors."""
    rng = np.random.default_rng(seed)
    truth = draw_truth(assumed, rng)
    X, other = truth.draw(DRAWN, rng), truth.draw(DRAWN, rng)
    other[:, assumed.n_private :] = X[:, assumed.n_private :]
    f, again = truth(X), truth(other)
    for each, expected in (((f - f.mean()) ** 2, assumed.most), ((f - again) ** 2 / 2, assumed.explained[1])):
        assert abs(each.mean() - expected) <= 6 * each.std() / np.sqrt(DRAWN) + 1e-12
    assert len({j for part in truth.parts for j in part[0]}) <= sum(assumed.mattering)


def test_made_up_people_have_labels_of_variance_one_and_masks_as_assumed():
    """Six standard errors."""
    assumed, rng = Assumptions(5, 2, hide=0.7, width=20.0), np.random.default_rng(0)
    X, y, mask = draw_people(assumed, draw_truth(assumed, rng), DRAWN, rng)
    assert abs(y.var() - 1) < 6 * np.sqrt(2 / DRAWN)
    assert X.shape == mask.shape == (DRAWN, 5)
    assert not mask[:, 2:].any()
    assert np.abs(mask[:, :2].mean(axis=0) - 0.7).max() < 6 * np.sqrt(0.21 / DRAWN)
    narrow = draw_people(replace(assumed, width=1.0), draw_truth(assumed, rng), 1000, rng)[1]
    assert np.abs(narrow).max() == 0.5


def test_bends_of_public_and_private_features_are_told_apart():
    """The first feature is private: a line here; the second has the bend of public ones. The text says so."""
    assumed, rng = Assumptions(2, 1, 0.5, 0.5, bend=(0.3, 0.0)), np.random.default_rng(0)
    truth, grid = draw_truth(assumed, rng), (np.arange(4000) + 0.5) / 4000
    for j, bend in enumerate((0.0, 0.3)):
        x = np.full((4000, 2), 0.5)
        x[:, j] = grid
        assert np.corrcoef(grid, truth(x))[0, 1] ** 2 == pytest.approx(1 - bend, abs=1e-3)
    made = plan(60, 2, 1, epsilon=4.0, replications=1, bend=[0.3, 0.0])
    assert "30 % (public) and 0 % (private) of that is bends" in made.as_text()


@pytest.mark.parametrize(
    ("together", "explain"),  # what products of public, and of private features explain
    [((0.0, 0.4), {True: 0.12}), ((0.4, 0.0), {False: 0.2}), (0.4, {False: 0.2, True: 0.12})],
)
def test_products_of_public_and_private_features_are_told_apart(together, explain):
    """The first two features are private. What private ones explain has products of one of these. The text says so."""
    assumed = Assumptions(5, 2, 0.5, 0.3, together=together)
    for seed in range(10):
        parts = draw_truth(assumed, np.random.default_rng(seed)).parts
        twos = {features[0] < 2: factor**2 for features, factor, _ in parts if len(features) == 2}
        assert twos == pytest.approx(explain)
    made = plan(60, 3, 1, epsilon=4.0, replications=1, together=[0.0, 0.2])
    assert "0 % (public) and 20 % (private) of it is of two features together" in made.as_text()


@pytest.mark.parametrize("spread", [0.29, 0.18])
@pytest.mark.parametrize("bend", [0.0, 0.2, 1.0])
def test_bends_are_what_no_line_explains(bend, spread):
    assumed, rng = Assumptions(1, 1, 0.0, 1.0, bend=bend, spread=spread), np.random.default_rng(0)
    truth = draw_truth(assumed, rng)
    x = beta.ppf((np.arange(10_000) + 0.5) / 10_000, *truth.laws[0])
    assert np.corrcoef(x, truth(x[:, None]))[0, 1] ** 2 == pytest.approx(1 - bend, abs=1e-4)


@pytest.mark.parametrize("spread", [0.01, 0.05, 0.18, 0.28])
def test_features_lie_as_widely_as_assumed(spread):
    low, high, hill = laws_of(spread)
    for law in (low, high, hill):
        assert beta.std(*law) == pytest.approx(spread)
    assert beta.mean(*low) < 0.5
    assert beta.mean(*high) == pytest.approx(1 - beta.mean(*low))
    assert beta.mean(*hill) == pytest.approx(0.5)


def test_features_are_even_by_default():
    assert laws_of(Assumptions(1, 1).spread) == laws_of(0.5) == ((1.0, 1.0),)


@pytest.mark.parametrize("law", [(1.0, 1.0), (2.0, 4.0), (3.0, 3.0)])
def test_bins_of_a_line_are_its_means(law):
    """Six standard errors of drawn people."""
    x = np.random.default_rng(0).beta(*law, size=DRAWN)
    line = (x - beta.mean(*law)) / beta.std(*law)
    share, mean = bins_of_line(law, 3)
    for k in range(3):
        inside = line[np.minimum((x * 3).astype(int), 2) == k]
        assert abs(len(inside) / DRAWN - share[k]) < 6 * np.sqrt(share[k] / DRAWN)
        assert abs(inside.mean() - mean[k]) < 6 * inside.std() / np.sqrt(len(inside))


def test_effects_of_features_that_crowd_are_harder_to_find():
    even, crowded = (smallest_effects(Assumptions(8, 2, spread=s), 4_000, 2.0) for s in (0.29, 0.12))
    assert all(crowded[size] > even[size] for size in (1, 2))


@pytest.mark.parametrize("start", [200, 5_000, 200_000])
@pytest.mark.parametrize("needed", [400, 3_000, 60_000])
def test_people_needed_are_found_where_the_error_is_a_power_of_their_number(start, needed):
    found = people_needed(lambda n: (n / needed) ** -0.7, 1.0, start)
    assert found.about == pytest.approx(needed, rel=0.01)
    assert len(found.tried) <= 10


def test_people_needed_between_two_numbers_of_an_error_that_is_no_power():
    found = people_needed(lambda n: 0.01 + 100 / n, 0.03, 1000)
    assert found.about == pytest.approx(5000, rel=0.1)


def test_a_target_that_is_never_or_always_reached():
    assert people_needed(lambda n: 0.1 + 1 / n, 0.1, 1000).about is None
    assert people_needed(lambda n: 0.1 + 1 / n, 0.1, 1000).tried[-1][0] == MOST
    assert people_needed(lambda n: 1e-3, 0.1, 1000).about == FEWEST
    assert people_needed(lambda n: 0.0 if n > 700 else 1.0, 0.1, 1000).about == 707


def test_effects_of_the_smallest_size_are_found_as_often_as_said():
    """A shift of sqrt(I S) standard errors passes the threshold in 80 of 100 draws; five standard errors."""
    told, likely = 300.0, 0.3
    share = _needed(told, likely)
    z = np.sqrt(told * share) + np.random.default_rng(0).normal(size=20_000)
    size = np.array([0.01, 0.03, 0.1, 0.3])[:, None] * told  # the prior of the estimator, written out
    evidence = np.mean((1 + size) ** -0.5 * np.exp(0.5 * z**2 * size / (1 + size)), axis=0)
    found = np.mean(evidence * likely / (1 - likely) >= 1)
    assert abs(found - FOUND) < 5 * np.sqrt(FOUND * (1 - FOUND) / 20_000)


def test_smaller_effects_are_found_with_more_people_and_more_epsilon():
    by_people = [smallest_effects(Assumptions(8, 2), n, 2.0) for n in (1_000, 4_000, 16_000)]
    by_epsilon = [smallest_effects(Assumptions(8, 2), 4_000, e) for e in (1.0, 2.0, 4.0)]
    for found in (by_people, by_epsilon):
        for size in (1, 2):
            assert found[0][size] > found[1][size] > found[2][size] > 0
    assert by_people[0][2] > by_people[0][1]


def test_information_counts_people_over_noise():
    assumed = Assumptions(4, 1)
    _, asked = _planned(assumed, 6_000, 2.0)
    one, two = (_information(asked, (0,), n, 2.0, laws_of(0.29)) for n in (1_000.0, 2_000.0))
    assert two == pytest.approx(2 * one)
    assert _information(asked, (3,), 1_000.0, 2.0, laws_of(0.29)) == 0


def test_no_effect_is_sought_where_nobody_hides_or_most_people_show():
    assert smallest_effects(Assumptions(4, 0), 1000, 1.0) == {}
    assert smallest_effects(Assumptions(4, 2, hide=0.5), 1000, 1.0) == {}
    assert smallest_effects(Assumptions(10, 4), 200, 0.1)[1] == math.inf


def test_the_same_plan_gives_the_same_numbers_and_counts_its_studies():
    calls = []
    first = plan(**SMALL, wide=True, progress=calls.append)
    assert first.as_dict() == plan(**SMALL, wide=True).as_dict()
    assert len(calls) == n_studies(4.0, 2, True) == 8
    assert first.as_dict() != plan(**SMALL, wide=True, random_state=1).as_dict()
    assert json.loads(json.dumps(first.as_dict(), allow_nan=False))["assumed"]["n_private"] == 1


def test_a_plan_asks_nobody():
    with BudgetAccountant(limit=0.5) as accountant:
        plan(**SMALL)
    assert accountant.spent == 0


def test_epsilons_are_sorted_and_each_is_planned_once():
    made = plan(60, 2, 0, [2, 1, np.float64(2.0)], replications=1)
    assert [row.epsilon for row in made.rows] == [1.0, 2.0]
    assert made.rows[0].errors["SemiPrivateRegressor"].standard_error is None
    assert "±" not in made.as_text().split("By simulation")[0]


def planned(*errors, target=0.1, needed=None):
    rows = tuple(
        Row(float(2**k), {"SemiPrivateRegressor": Expected(e, 0.01)}, 0.5, {1: 0.02, 2: 3.0}, needed)
        for k, e in enumerate(errors)
    )
    return Plan(1000, Assumptions(5, 2), rows, 2.0, target, {1.0: Expected(0.1, 0.01), 2.0: Expected(0.2, 0.01)})


def test_which_epsilon_is_enough():
    assert planned(0.4, 0.2, 0.05).enough == pytest.approx(2 * math.sqrt(2))
    assert planned(0.05, 0.02).enough == 1.0
    assert planned(0.4, 0.2).enough is None
    assert planned(0.4, 0.0).enough == 2.0
    assert planned(0.4, 0.0, target=None).enough is None


def test_what_a_plan_prints():
    text = str(planned(0.4, 0.1, target=0.2, needed=Needed(12_345, ((12_345, 0.2),))))
    for said in (
        "1,000 people and 5 features, 2 of them private",
        "30 % of the label's variance is explained by 3 public features, 10 % by 2 private features",
        "0.4 ± 0.01",
        "1.26",  # 2 sqrt(0.4), in the label's units
        "The mean alone has 0.4.",
        "none",
        "12,000",
        "epsilon 1.4 is enough",
        "give bounds as narrow as is honest",
        "By simulation",
        "By a formula",
    ):
        assert said in text, said
    never = str(planned(0.4, 0.3, needed=Needed(None, ())))
    assert "more than 256,000, or never" in never
    assert "none of these epsilons reaches it" in never
    assert "the smallest of these" in str(planned(0.05, target=0.1, needed=Needed(700, ())))


def test_a_target_is_searched_for_from_the_people_planned():
    made = plan(**{**SMALL, "n_private": 0}, target=0.35)
    assert made.rows[0].needed.tried
    assert made.enough in (4.0, None)


@pytest.mark.parametrize(
    ("bounds", "deviation", "width", "expected"),
    [
        (None, None, None, (6.0, None)),
        (None, 2.0, 8.0, (8.0, 2.0)),
        ((0, 12), None, None, (6.0, 2.0)),
        ((0, 12), 3.0, None, (4.0, 3.0)),
        ([0, 12], None, 4.0, (4.0, 3.0)),
    ],
)
def test_two_of_bounds_deviation_and_width_tell_the_third(bounds, deviation, width, expected):
    given = {"label_bounds": bounds, "label_deviation": deviation, "width": width}
    made = plan(30, 2, 0, 1.0, replications=1, **given)
    assert (made.assumed.width, made.deviation) == expected


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"n_people": 0}, "`n_people` must be a whole number"),
        ({"n_features": 0}, "`n_features` must be a whole number"),
        ({"n_private": 4}, "`n_private` must be a whole number from 0 to 3"),
        ({"epsilon": -1}, "`epsilon` must be"),
        ({"epsilon": []}, "`epsilon` must be one number, or several. Got none"),
        ({"epsilon": "2"}, "`epsilon` must be"),
        ({"public_share": 1.2}, "`public_share` must be a number from 0 to 1. Got 1.2"),
        ({"public_share": 0.8, "private_share": 0.4}, "must add up to 1 at most. Got 0.8 and 0.4"),
        ({"shape": "wild"}, "`shape` must be one of 'smooth', 'steps'"),
        ({"bend": -0.1}, "`bend` must be a number from 0 to 1, or two: for public and for private features. Got -0.1"),
        ({"bend": (0.1, 2)}, "`bend` must be"),
        ({"bend": [0.1, 0.1, 0.1]}, "`bend` must be"),
        ({"together": math.nan}, "`together` must be"),
        ({"together": (0.1, 1.5)}, "`together` must be a number from 0 to 1, or two: for public and for private"),
        ({"together": [0.1, 0.1, 0.1]}, "`together` must be"),
        ({"matter": 3}, "`matter` must be two whole numbers, up to 2 public and 1 private"),
        ({"matter": (3, 1)}, r"`matter \(public\)` must be a whole number from 0 to 2"),
        ({"hide": 2}, "`hide` must be"),
        ({"width": 0}, "`width` must be"),
        ({"label_bounds": (1, 0)}, "`label_bounds` must be two finite numbers, low < high"),
        ({"label_bounds": 3}, "`label_bounds` must be two finite numbers, low < high"),
        ({"label_bounds": (0, 1), "label_deviation": 1, "width": 2}, "two tell the third"),
        ({"target": 0}, "`target` must be"),
        ({"wide": "yes"}, "`wide` must be True or False"),
        ({"replications": 0}, "`replications` must be"),
        ({"random_state": -1}, "`random_state` must be"),
    ],
)
def test_what_cannot_be_planned_is_refused_before_anything_is_simulated(changed, says):
    calls = []
    with pytest.raises(InputError, match=says):
        plan(**{**SMALL, **changed}, progress=calls.append)
    assert calls == []
