"""What is unknown of an effect: its variance over people, who are not at coarse places, by every case there is."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from semildp.curator.effects.doubts import Doubt, doubt_of, either, merged
from semildp.curator.effects.evidence import Posterior
from semildp.curator.effects.functions import Functions
from semildp.curator.wave_plan import Known, plan_question

PLACES, COARSE, FINE = 64, 16, 8  # places; coarse ones of one private feature; of each of two
PUBLIC = 2


def steps(cuts: tuple[int, ...]) -> np.ndarray:
    """Return a step at each cut, with mean 0."""
    each = (np.arange(PLACES) >= np.array(cuts)[:, None]).astype(float)
    return each - each.mean(axis=1, keepdims=True)


def functions(**cuts: tuple[int, ...]) -> Functions:
    """Return steps of each feature as the only functions there are."""
    values = {int(name[1:]): steps(each) for name, each in cuts.items()}
    prior = {j: dict.fromkeys((1, 2), np.full(len(v), 1 / len(v))) for j, v in values.items()}
    return Functions(values, prior, {j: (v**2).mean(axis=1) for j, v in values.items()})


def cases(known: Functions, family: tuple[int, ...]) -> np.ndarray:
    """Return the tables that are as likely as each other: one function of each feature, with coefficient 1."""
    if len(family) == 1:
        return known.values[family[0]]
    return np.array([np.outer(a, b) for a, b in itertools.product(*(known.values[j] for j in family))])


def posterior(known: Functions, family: tuple[int, ...]) -> Posterior:
    every = cases(known, family)
    square = np.full([len(known.values[j]) for j in family], 1 / len(every))
    return Posterior(family, 0.0, every.mean(axis=0), every.var(axis=0), square)


def even(family: tuple[int, ...]) -> dict[int, np.ndarray]:
    return {j: np.full(PLACES, 1 / PLACES) for j in family}


FAMILIES = [(0,), (0, 1), (0, PUBLIC)]
NEAR = {"x0": (17, 18, 19), "x1": (41, 42, 43), "x2": (33, 34)}  # all within one coarse place each
FAR = {"x0": (16, 32, 48), "x1": (16, 32), "x2": (16, 48)}  # between coarse places


@pytest.mark.parametrize("chance", [1.0, 0.6])
@pytest.mark.parametrize("cuts", [NEAR, FAR])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_variance_is_that_over_people_of_all_cases(family, cuts, chance):
    known = functions(**cuts)
    doubt = doubt_of(posterior(known, family), known, even(family), [0, 1], chance)
    every = cases(known, family)
    chances = [*np.full(len(every), chance / len(every)), 1 - chance]
    every = np.concatenate([every, np.zeros_like(every[:1])])
    mean = np.average(every, axis=0, weights=chances)
    assert doubt.total == pytest.approx(np.average((every - mean) ** 2, axis=0, weights=chances).mean())


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_unknown_within_coarse_places_alone_is_worth_more(family):
    near, far = (
        doubt_of(posterior(known, family), known, even(family), [0, 1], 1.0)
        for known in (functions(**NEAR), functions(**FAR))
    )
    assert near.worth > 1.5
    assert near.average == pytest.approx(near.total / near.worth)
    if PUBLIC not in family:  # of public features places are not coarse
        assert far.worth == pytest.approx(1.0)


def test_of_one_effect_or_another_the_variance_is_that_of_both_and_between_them():
    known, other = functions(x0=(17, 18, 19)), functions(x0=(40, 42))
    p, q = posterior(known, (0,)), posterior(other, (0,))
    one, two = (doubt_of(each, of, even((0,)), [0], 1.0) for each, of in ((p, known), (q, other)))
    both = either(one, two, 0.3, q.mean - p.mean, [np.full(PLACES, 1 / PLACES)])
    every = np.concatenate([cases(known, (0,)), cases(other, (0,))])
    chances = [*np.full(3, 0.7 / 3), *np.full(2, 0.3 / 2)]
    mean = np.average(every, axis=0, weights=chances)
    assert both.total == pytest.approx(np.average((every - mean) ** 2, axis=0, weights=chances).mean())


def near_a_cut(deviation: float, fine: int = 128) -> Doubt:
    """Return what is unknown of a step amid a coarse place of so many places, by a normal law of where it is."""
    places, first = np.arange(COARSE * fine), 5 * fine
    cuts = np.arange(first + 1, first + fine)
    values = (places >= cuts[:, None]) - 0.5
    weight = np.exp(-(((cuts - first - fine / 2) / deviation) ** 2) / 2)
    weight /= weight.sum()
    mean = weight @ values
    p = Posterior((0,), 0.0, mean, weight @ values**2 - mean**2, weight)
    known = Functions({0: values}, {0: dict.fromkeys((1, 2), weight)}, {0: np.full(len(cuts), 0.25)})
    return doubt_of(p, known, {0: np.full(len(places), 1 / len(places))}, [0], 1.0)


def test_of_a_step_in_a_coarse_place_half_the_worth_is_told():
    """Slightly more is known: the variance over people falls by `telling` times what the averages' falls."""
    before, after = near_a_cut(12.0), near_a_cut(11.5)
    fallen = before.average - after.average
    assert before.worth > 4
    assert before.total - after.total == pytest.approx(before.telling * fallen, rel=0.05)
    left = before.with_left(after.covariance)
    assert left.average == pytest.approx(after.average)
    assert left.total == pytest.approx(after.total, rel=0.01)


def test_variances_add_up():
    known, other = functions(x0=(17, 18, 19), x2=(16, 48)), functions(x0=(16, 48), x2=(33, 34))
    one, two = (doubt_of(posterior(f, (0, PUBLIC)), f, even((0, PUBLIC)), [0], 1.0) for f in (known, other))
    assert (one + two).total == pytest.approx(one.total + two.total)
    assert merged([one, two]).total == pytest.approx(one.total + two.total)
    assert (one * 0.25).total == pytest.approx(one.total / 4)


def asked(doubt: Doubt) -> float:
    """Return the share of many people who are asked about the one feature."""
    told, unclear = {(0,): 1000.0}, {(0,): 1e-4}
    known = Known({(0,): doubt}, {0: None}, 2, 2e4, explained=0.5, likely={0: 1.0}, told=told, unclear=unclear)
    return sum(share for asking, share in plan_question(known, 50_000, 4.0).asks if asking.features)


def test_people_are_asked_until_a_step_is_known_within_a_coarse_place():
    """Coarse averages alone seem to be known: the residual alone is then thought to tell more."""
    known = functions(x0=(17, 18, 19))
    doubt = doubt_of(posterior(known, (0,)), known, even((0,)), [0], 1.0)
    assert asked(doubt) > asked(replace(doubt, worth=1.0)) + 0.2
