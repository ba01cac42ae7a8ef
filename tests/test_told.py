"""The account of waves in plain words: every sentence that can be in it, every case in which there is little to say."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import SemiPrivateRegressor
from semildp.client import enrol
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.estimators.told import Told, percent, tell, within
from semildp.estimators.wave_records import LabelWave, ResidualWave, effect_shares, share_of, wave_records
from semildp.mechanisms import PairResponse
from semildp.models import Effect
from tests.asking import ask_pair, ask_signed, crowd, marks_of, question_of, study_of
from tests.people import BOUNDS, simulate

NAMES = ("age", "income", "smokes", "region")
FIRST, NARROW = LabelWave(300, 0.0, 100.0, 2.0), LabelWave(700, 20.04, 59.96, 2.0)
PROBE = ResidualWave(500, (((0, 1), 500),), 12.0, 2.0, 25.0)
MAIN = ResidualWave(1500, (((), 100), ((0,), 1400)), 12.0, 2.0, 25.0, (((0,), 0.2), ((0, 3), 0.004)))
EFFECTS = (((0,), 0.21), ((0, 3), 0.012), ((0, 1), 0.0004))


def story(**changed):
    usual = {
        "names": NAMES,
        "hidden": (1.0, 0.9, 0.2, 0.0),
        "bounds": (0.0, 100.0),
        "epsilon": 2.0,
        "n_people": 3000,
        "both": False,
        "waves": (FIRST, NARROW, PROBE, MAIN),
        "effects": EFFECTS,
    }
    return tell(Told(**{**usual, **changed}))


def test_the_whole_story_word_for_word():
    assert story().splitlines() == [
        "How people were asked:",
        "1,000 people were asked for their label. The window follows where labels seem to lie:",
        "  300 between 0 and 100 (the label bounds)",
        "  700 between 20.0 and 60.0",
        "To probe, 500 people were asked how far their label lies from the public prediction, cut at 12 on either "
        "side:",
        "  500 with where their age and income lie, jointly",
        "That showed: age alone 20 %, age together with region (public) 0.4 % of the variance that the public "
        "prediction leaves.",
        "Then 1,500 people were asked how far their label lies from the public prediction, cut at 12 on either side:",
        "  100 for that alone",
        "  1,400 with where their age lies",
        "",
        "What mattered:",
        "Of the variance that the public prediction leaves (standard deviation 5), this explains:",
        "  age alone: 21 %",
        "  age together with region (public): 1.2 %",
        "  age together with income: less than 0.1 %",
        "Not asked about, because nobody hides: region.",
        "Not asked about, because most people show: smokes.",
        "Not asked about again, because nothing showed: income.",
    ]


def test_one_window_is_one_sentence():
    waves = (FIRST, LabelWave(50, 0.0, 100.0, 2.0), MAIN)
    assert "350 people were asked for their label, between 0 and 100 (the label bounds)." in story(waves=waves)


def test_where_everyone_is_asked_for_both_each_part_says_what_it_costs():
    text = story(both=True, waves=(LabelWave(900, 0.0, 100.0, 0.5), ResidualWave(900, (((0,), 900),), 3.0, 1.5, 4.0)))
    assert "between 0 and 100 (the label bounds), and spent 0.5 each." in text
    assert "Then 900 people were asked" in text
    assert "on either side, and spent 1.5 each:" in text


def test_residuals_whose_sign_features_change_are_told_apart_and_count_as_asked_about():
    asked = (((), 100), ((0,), 1400), ((0, 1), 50), ((1,), 30))
    wave = ResidualWave(1580, asked, 12.0, 2.0, 25.0, None, (((0,), 1000), ((0, 1), 50)))
    text = story(waves=(FIRST, wave), effects=())
    assert text.splitlines()[3:9] == [
        "  100 for that alone",
        "  400 with where their age lies",
        "  1,000 for that with its sign changed or not by where their age lies",
        "  50 for that with its sign changed or not by where their age and income lie",
        "  30 with where their income lies",
        "",
    ]
    assert "No effect was found of age and income." in text
    assert "not expected to pay" not in text


def test_nothing_private():
    text = story(hidden=(0.0, 0.0, 0.5, 0.0), waves=(FIRST, ResidualWave(10, (((), 10),), 3.0, 2.0, 4.0)), effects=())
    assert "  10 for that alone" in text
    assert "No feature is hidden by most people" in text
    assert "because nobody hides: age, income and region." in text
    assert "because most people show: smokes." in text
    assert "expected to pay" not in text


def test_a_probe_that_shows_nothing():
    main = ResidualWave(90, (((), 90),), 3.0, 2.0, 4.0, ())
    text = story(waves=(FIRST, PROBE, main), effects=())
    assert "That showed: no effect of a private feature." in text
    assert "No effect was found of age and income." in text
    assert "Not asked about again, because nothing showed: age and income." in text


def test_what_showed_but_is_not_worth_more_is_said_to_be_so():
    main = ResidualWave(90, (((), 90),), 3.0, 2.0, 4.0, (((0,), 0.3),))
    text = story(waves=(FIRST, PROBE, main), effects=(((0,), 0.3),))
    assert "Not asked about again, because not expected to pay at epsilon 2 with 3,000 people: age." in text
    assert "Not asked about again, because nothing showed: income." in text


def test_nobody_asked_about_features():
    waves = (FIRST, ResidualWave(9, (((), 9),), 3.0, 2.0, 4.0), ResidualWave(30, (((), 30),), 3.0, 2.0, 4.0, ()))
    text = story(waves=waves, effects=(), epsilon=0.5, n_people=339)
    assert "No private feature is in the model: nobody was asked about one." in text
    assert "because not expected to pay at epsilon 0.5 with 339 people: age and income." in text


def test_nobody_left_for_residuals():
    text = story(waves=(LabelWave(1, 0.0, 100.0, 2.0),), effects=(), n_people=1)
    assert "1 person was asked for their label, between 0 and 100" in text
    assert "Nobody was asked about features: everyone was needed for labels." in text
    assert "with 1 person: age and income." in text


def test_many_features_are_counted_and_not_listed():
    names = tuple(f"v{j}" for j in range(40))
    text = story(names=names, hidden=(1.0,) + (0.0,) * 39)
    assert "because nobody hides: v1, v2, v3, v4, v5, v6, v7, v8 and 31 more." in text


@pytest.mark.parametrize("share", [1e-12, 1e-4, 0.00099, 0.001, 0.0049, 0.04, 0.0996, 0.5, 0.9949, 1.0, 7.0])
def test_no_share_is_rounded_to_nothing_or_beyond_all(share):
    text = percent(share)
    if "%" not in text:
        assert text == "nearly all"
        return
    shown = float(text.removeprefix("less than ").removesuffix(" %"))
    assert 0 < shown < 100
    assert text.startswith("less") or abs(shown - 100 * share) <= max(0.5, 0.05 * share)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 47.0, 3e5, 1e18])
def test_ends_of_a_window_differ_and_are_near(size):
    window = LabelWave(1, -0.2 * size, 0.7 * size, 1.0)
    low, high = (float(within(end, window).replace(",", "")) for end in (window.low, window.high))
    assert low < high
    assert [low, high] == pytest.approx([window.low, window.high], abs=0.01 * size)
    nearly = within(-1e-9 * size, window)
    assert nearly == "0" or float(nearly.replace(",", "")) < 0  # never "-0.00"


def test_the_share_of_an_effect_counts_places_by_their_people():
    line = Effect((1,), ((0.5,),), ((0.25, 0.75),), (3.0, -1.0), (0.1, 0.1))
    pair = Effect((1, 0), ((0.5,), (0.5,)), ((0.25, 0.75), (0.5, 0.5)), (3.0, -3.0, 1.0, -1.0), (0.1,) * 4)
    assert share_of(line, 12.0) == pytest.approx((0.25 * 9 + 0.75) / 12)
    assert share_of(pair, 12.0) == pytest.approx((0.25 * 9 + 0.75) / 12)
    larger = Effect((2,), ((0.5,),), ((0.5, 0.5),), (9.0, -9.0), (0.1, 0.1))
    assert [features for features, _ in effect_shares((line, larger), 1.0)] == [(2,), (1,)]


@pytest.mark.parametrize(("n", "participation"), [(1, "split"), (1, "both"), (5, "split"), (60, "both")])
def test_a_fit_with_few_people_tells_how_many_were_asked(n, participation):
    X, y, _ = simulate(n, seed=1)
    parameters = {**BOUNDS, "participation": participation, "private_features": [0, 1], "random_state": 0}
    model = SemiPrivateRegressor(2.0, **parameters).fit(X, y)
    label, residual = ([w.n_people for w in model.waves_ if isinstance(w, kind)] for kind in (LabelWave, ResidualWave))
    assert sum(label) + sum(residual) == (n if participation == "split" else 2 * n)
    text = model.report()
    assert f"{sum(label):,} {'person was' if sum(label) == 1 else 'people were'} asked for their label" in text
    assert "nan" not in text


def test_records_count_residuals_turned_round_as_asked_about_these_features():
    study = study_of(2.0)
    enrolled = enrol(crowd(study, 10))
    asks = [
        ask_signed(study, (2, 0), 1.0),
        ask_signed(study, (0,), 1.0),
        ask_pair(study, 0, PairResponse(1.0, 4, 3, "subset")),
    ]
    people = np.split(np.arange(10), [5, 8])
    asked = tuple(Asked(question_of(study, ask), who) for ask, who in zip(asks, people, strict=True))
    wave = Wave("pair", asked, None, {"unit": 4.0, "found": None})
    answers = tuple((marks_of([[0]] * len(who)),) for who in people)
    (record,) = wave_records(State(study, enrolled, {}, [Collected(wave, answers)]))
    assert record.n_people == 10
    assert record.asked == (((0,), 5), ((0, 2), 5))
    assert record.turned == (((0,), 3), ((0, 2), 5))
    assert record.features == {0, 2}
    assert (record.reach, record.epsilon, record.variance, record.shown) == (0.5, 1.0, 4.0, None)


def test_a_fit_counts_whom_it_asked_and_names_features():
    X, y, _ = simulate(3000, seed=2)
    mask = np.zeros(X.shape, dtype=bool)
    mask[:, 0], mask[:2000, 1], mask[:900, 2] = True, True, True
    model = SemiPrivateRegressor(4.0, **BOUNDS, random_state=0).fit(X, y, mask=mask)
    text = model.report()
    asked = [wave for wave in model.waves_ if isinstance(wave, ResidualWave)]
    assert all(sum(count for _, count in wave.asked) == wave.n_people for wave in asked)
    assert all(n <= dict(wave.asked)[features] for wave in asked for features, n in wave.turned)
    assert sum(wave.n_people for wave in model.waves_) == 3000
    assert len({q.wave for q in model.questions_}) == len(asked)
    assert "because most people show: x2." in text
    assert "because nobody hides: x3 and x4." in text
    for effect in model.effects_:
        assert f"  x{effect.features[0]} " in text
