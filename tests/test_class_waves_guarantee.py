"""All waves that ask for classes keep epsilon together, the choice of what later people are asked included: exact."""

from __future__ import annotations

import importlib
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from semildp.curator.wave_menu import Asking
from semildp.curator.wave_plan import Plan
from semildp.curator.waves import Asked, State, Wave
from semildp.models import Model
from semildp.protocols import SemiPrivateClasses, cohorts
from semildp.study import Classes
from tests.battery.waves import EPSILON, PEOPLE, SETTINGS, Enumeration, Inputs, Lines, private_inputs, small_study
from tests.battery.waves import small_inputs as numbers

PARTICIPATIONS = ("split", "both")
VISITS = {"split": 1, "both": 2}
PROTOCOL = SemiPrivateClasses(learner=Lines())
MODULE = "semildp.protocols.class_semi_private"


@pytest.fixture(autouse=True, scope="module")
def few_are_asked_like_many():
    """So few people would all be asked for the class alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohorts, "FEW", 0)
        yield


@pytest.fixture
def always_asks(monkeypatch):
    """Ask about private features, alone and two at a time; what is asked jumps with the least change of what is known.

    The plan itself would not ask so few people about any. This one sees no more than it does, and depends more on it.
    """

    def plan(evidence, learnt, found, n_people, epsilon) -> Plan:
        shown = [] if found is None else [round(each.found.explained, 12) for each in found]
        bits = hash((tuple(np.round(evidence.prior, 12).tolist()), tuple(shown), n_people))
        asks, values = [], evidence.study.n_values
        for size in (1, 2):
            for together in itertools.combinations(evidence.private, size):
                bins = tuple(values[j] or (2 + bits % 2 if len(evidence.private) == 1 else 2) for j in together)
                asks.append((Asking(together, bins), 1.0))
        asks += [(Asking(), 1.0)] * (bits // 2 % 2)
        first = bits // 4 % max(len(asks), 1)
        return Plan((*asks[first:], *asks[:first]), 1.0, 0.0)

    monkeypatch.setattr(importlib.import_module(MODULE), "plan_classes", plan)


def enumerated(setting, participation, person, n_classes=2, **more) -> Enumeration:
    label = Classes(tuple("abc"[:n_classes]))
    study, inputs = small_study(setting, participation, label), numbers(setting, participation)
    inputs = replace(inputs, labels=np.arange(len(inputs.labels), dtype=float) % n_classes)
    return Enumeration(study, private_inputs(study, inputs, person), person, **{"next": PROTOCOL.next, **more}).run()


def everyone(participation) -> range:
    return range(PEOPLE[participation])


@pytest.mark.usefixtures("always_asks")
@pytest.mark.parametrize("participation", PARTICIPATIONS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_all_waves_together_keep_epsilon_for_everybody(setting, participation):
    """Without tolerance; and someone's report decides what another person is asked, so there is something to test."""
    found = [enumerated(setting, participation, person) for person in everyone(participation)]
    assert 0.99 * EPSILON <= max(each.log_ratio for each in found) <= EPSILON
    others = [len(questions) for each in found for who, questions in each.asked.items() if who != each.person]
    assert max(others) > VISITS[participation]
    raw = [question for each in found for questions in each.asked.values() for question in questions]
    asks = [ask for question in raw for ask in json.loads(question)["asks"]]
    assert {ask["ask"] for ask in asks} == {"class"}
    assert any(ask["partition"]["features"] for ask in asks)


@pytest.mark.parametrize("participation", PARTICIPATIONS)
def test_the_plan_itself_and_three_classes_keep_epsilon_too(participation):
    found = [enumerated("number", participation, person, n_classes=3) for person in everyone(participation)]
    assert 0.99 * EPSILON <= max(each.log_ratio for each in found) <= EPSILON


def waves_by_the_label(state: State, inputs: Inputs) -> Wave | Model:
    """Ask those with the greatest labels last."""
    order = np.argsort(inputs.labels, kind="stable")
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model):
        return wave
    return replace(wave, asked=tuple(replace(asked, people=np.sort(order[asked.people])) for asked in wave.asked))


def features_by_their_values(state: State, inputs: Inputs) -> Wave | Model:
    """Ask about the private feature whose value is larger."""
    larger = np.argmax(inputs.rows[:, :2], axis=1)
    looked = np.array([[True, False, False], [False, True, False]])[larger]
    seen = State(state.study, replace(state.enrolled, mask=state.enrolled.mask & looked), state.sources, state.done)
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model) or not state.done:
        return wave
    return PROTOCOL._ask(seen, wave.facts["stage"], wave.facts["plan"], {})


@pytest.mark.usefixtures("always_asks")
@pytest.mark.parametrize(
    ("peeking", "participation"),
    [(features_by_their_values, "both"), (waves_by_the_label, "split"), (waves_by_the_label, "both")],
)
def test_a_curator_that_peeks_is_seen(peeking, participation):
    setting = "two together" if peeking is features_by_their_values else "number"
    found = (enumerated(setting, participation, p, peeking=peeking) for p in everyone(participation)[::-1])
    assert any(each.log_ratio == np.inf for each in found)


def asks_again(state: State) -> Wave | Model:
    """Ask everybody with all of epsilon, also those who have sent their class."""
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model) or not state.done or len(state.done) > 1:
        return wave
    return replace(wave, asked=(Asked(wave.asked[0].question, state.everyone()),))


def test_a_curator_that_asks_again_is_seen():
    """Where everyone answers once, whoever sent their class and is asked again spends epsilon twice."""
    found = (enumerated("number", "split", person, next=asks_again) for person in everyone("split"))
    assert any(each.log_ratio > 1.9 * EPSILON for each in found)


def test_a_curator_that_does_not_divide_epsilon_is_seen(monkeypatch):
    module = importlib.import_module(MODULE)
    monkeypatch.setattr(module, "epsilons", lambda study, share: (study.epsilon, study.epsilon))
    assert enumerated("number", "both", 0).log_ratio > 1.5 * EPSILON
