"""Skewed labels: cut residuals lean to one side, labels may be one of two, and few may lie far from the others."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from semildp import SemiPrivateRegressor
from semildp.curator.effects.doubts import unknown
from semildp.curator.label_law import LabelLaw, label_law, place_ask
from semildp.curator.leaning import Leaning
from semildp.curator.pair_plan import cut_normal
from semildp.curator.wave_plan import Known, plan_question
from semildp.sources import SeededSource
from semildp.wire.forms import read_mechanism

CERTAIN = 1e12  # precision


def law_of(labels: np.ndarray, doubt: float = 0.001) -> LabelLaw:
    """Return the law that lies at these labels, ascending, in equal parts."""
    return LabelLaw(labels[0], labels[-1], labels, np.full(len(labels), 1 / len(labels)), len(labels), doubt)


NORMAL = law_of(np.sort(np.concatenate([x := np.linspace(0.01, 3, 500), -x])))
WAITING = law_of(-np.log(1 - (np.arange(2000) + 0.5) / 2000))  # exponential


@pytest.mark.parametrize("reach", [0.75, 1.5, 3.0])
@pytest.mark.parametrize("variance", [0.5, 2.0])
def test_what_is_known_of_the_law_tells_how_far_cut_residuals_lean(reach, variance):
    draws = np.random.default_rng(1).exponential(size=400_000) - 1
    expected = np.clip(draws, -reach, reach).mean() / cut_normal(reach)[0]
    assert Leaning(WAITING, CERTAIN).at(reach, variance) == pytest.approx(expected, abs=0.01)
    assert Leaning(NORMAL, CERTAIN).at(reach, variance) == pytest.approx(0.0, abs=1e-9)


def test_what_chance_makes_of_it_is_taken_off():
    sure = Leaning(WAITING, CERTAIN).at(1.0, 2.0)
    some = Leaning(WAITING, 2 / (2.0 * sure**2)).at(1.0, 2.0)  # chance makes half of its square
    assert some == pytest.approx(sure / 2)
    assert Leaning(WAITING, 0.9 / (2.0 * sure**2)).at(1.0, 2.0) == 0.0


def test_residuals_that_lean_are_cut_less():
    """At epsilon 1 noise says to cut them at less than one deviation."""
    family = (0,)
    known = Known({family: unknown(family, {0: None}, 0.5)}, {0: None}, 2, 20.0)
    even = plan_question(known, 4000, 1.0)
    leaning = Leaning(WAITING, CERTAIN)
    leaned = plan_question(replace(known, leans=partial(leaning.at, variance=1.0)), 4000, 1.0)
    assert even.reach < 1.0
    assert leaned.reach > 1.0


@pytest.mark.parametrize("window", [(0.0, 2.0), (0.5, 1.5), (0.0, 4.0)])
def test_what_a_window_cuts_off_is_added_again(window):
    """Labels cut at the window, stretched around its middle, and moved by what is lost have the mean of all."""
    low, high = window
    kept, middle = WAITING.inside(low, high), sum(window) / 2
    stretched = middle + (np.clip(WAITING.points, low, high) - middle) / kept
    lost = WAITING.lost(low, high, kept, 0.0)
    assert stretched.mean() + lost == pytest.approx(WAITING.mean)
    assert WAITING.lost(low, high, kept, lost**2) == pytest.approx(lost / 2)  # chance may make as much


def test_few_far_from_the_others_count_if_shares_are_known():
    """One in twenty lies at 1, all others at 0: a tenth of people beyond 0 is nobody, but that share is known well."""
    labels, mass = np.linspace(0, 1, 33), np.zeros(33)
    mass[0], mass[-1] = 0.95, 0.05
    known, unknown_share = (LabelLaw(0.0, 1.0, labels, mass, 5000, doubt) for doubt in (0.004, 0.04))
    assert known.deviation == pytest.approx(np.sqrt(0.05 * 0.95))
    assert known.window(4.0, 5000) == (0.0, 1.0)
    assert unknown_share.deviation < 0.1


@pytest.mark.parametrize("share", [0.1, 0.25])
def test_labels_that_are_0_or_1_are_found_to_be(share):
    """At epsilon 1 600 reports know the mean to 0.05 or so; of 20 laws the means' average is within three errors."""
    means, between = [], []
    for seed in range(20):
        labels = (np.random.default_rng(seed).uniform(size=600) < share).astype(np.float64)
        ask = place_ask(0.0, 1.0, 1.0)
        response, source = read_mechanism(ask.mechanism, 1.0), SeededSource(seed)
        law = label_law([(ask, response.randomise((labels * (response.n_values - 1)).astype(np.int64), source))])
        means.append(law.mean)
        between.append(law.mass[1:-1].sum())
    assert np.mean(means) == pytest.approx(share, abs=0.06)
    assert np.median(between) < 0.35


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_labels_that_are_all_at_one_end_are_not_taken_for_rare_events(epsilon):
    """Of a hundredth of the bounds' width at most: the mean of 10,000 labels sent as one bit each has as much error."""
    X = np.random.default_rng(0).uniform(size=(10_000, 3))
    model = SemiPrivateRegressor(
        epsilon, label_bounds=(0.0, 50.0), feature_bounds=(0.0, 1.0), private_features=[0], random_state=1
    )
    assert model.fit(X, np.zeros(len(X))).predict(X).max() < 0.5


@pytest.mark.parametrize("kind", ["rare", "waiting", "none"])
def test_the_mean_of_skewed_labels_is_learnt(kind):
    """Were residuals taken to be even, it would be 0.06, 0.24 and 0.95 too small (0.20, 1.49 and 2.42)."""
    rng = np.random.default_rng(7)
    X = rng.uniform(size=(10_000, 4))
    if kind == "rare":
        y, high, tolerance = (rng.uniform(size=len(X)) < 0.05 + 0.3 * X[:, 2]).astype(float), 1.0, 0.02
    elif kind == "waiting":
        y, high, tolerance = np.clip((0.5 + 2 * X[:, 2]) * rng.exponential(size=len(X)), 0, 20), 20.0, 0.17
    else:
        some = rng.uniform(size=len(X)) < 0.3
        y, high, tolerance = np.clip(some * (4 + 8 * X[:, 2]) * rng.gamma(2, 0.5, size=len(X)), 0, 40), 40.0, 0.5
    model = SemiPrivateRegressor(
        4.0, label_bounds=(0.0, high), feature_bounds=(0.0, 1.0), private_features=[0], random_state=1
    )
    assert model.fit(X, y).predict(X).mean() == pytest.approx(y.mean(), abs=tolerance)
