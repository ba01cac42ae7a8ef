"""All waves together keep epsilon, the choice of what later people are asked included: exact, for a few people."""

from __future__ import annotations

import importlib
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from semildp.curator.wave_menu import Asking
from semildp.curator.wave_plan import Known, Plan
from semildp.curator.waves import Asked, State, Wave
from semildp.models import Model
from semildp.protocols import cohorts
from tests.battery.waves import (
    EPSILON,
    PEOPLE,
    PROTOCOL,
    SETTINGS,
    Enumeration,
    Inputs,
    private_inputs,
    small_inputs,
    small_study,
)


@pytest.fixture(autouse=True, scope="module")
def few_are_asked_like_many():
    """So few people would all be asked for labels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohorts, "FEW", 0)
        yield


PARTICIPATIONS = ("split", "both")
VISITS = {"split": 1, "both": 2}
SPENT = {"split": 0.99, "both": 0.7}  # the worst ratio found is so much of epsilon: few labels put centres at the ends


@pytest.fixture
def always_asks(request, monkeypatch):
    """Ask about private features, alone and two at a time: for bins and residual, or for the residual turned by them.

    What is asked, bins and reach jump with the least change of what is known.

    The plan itself would not ask so few people about any. This one sees no more than it does, and depends more on it.
    """
    kinds = getattr(request, "param", ("pair", "signed"))

    def plan(known: Known, n_people: int, epsilon: float, last: Plan | None) -> Plan:
        features = tuple(known.values)
        likely = tuple(round(p, 9) for p in known.likely.values())
        doubt = round(sum(each.total for each in known.doubt.values()), 12)
        before = None if last is None else (last.asks, last.reach)
        bits = hash((round(known.precision, 9), round(known.explained, 9), likely, doubt, n_people, before))
        asks = []
        for together in (*itertools.combinations(features, 1), *itertools.combinations(features, 2)):
            # More bins would be too many reports to enumerate.
            bins = tuple(known.values[j] or (2 + bits % 2 if len(features) == 1 else 2) for j in together)
            signs = tuple(1 if cell % 2 else -1 for cell in range(int(np.prod(bins))))
            asks += [(Asking(together, bins, signs if kind == "signed" else None), 1.0) for kind in kinds]
        first = bits // 4 % max(len(asks), 1)
        return Plan((*asks[first:], *asks[:first]), 1 + bits // 2 % 97 / 194, 0.0)

    monkeypatch.setattr(importlib.import_module("semildp.protocols.semi_private"), "plan_question", plan)
    return kinds


def enumerated(setting: str, participation: str, person: int, **more) -> Enumeration:
    study, inputs = small_study(setting, participation), small_inputs(setting, participation)
    return Enumeration(study, private_inputs(study, inputs, person), person, **more).run()


def everyone(participation: str) -> range:
    return range(PEOPLE[participation])


@pytest.mark.parametrize("always_asks", [("pair",), ("signed",)], indirect=True, ids=["bins", "signs"])
@pytest.mark.parametrize("participation", PARTICIPATIONS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_all_waves_together_keep_epsilon_for_everybody(setting, participation, always_asks):
    """Without tolerance; and someone's report decides what another person is asked, so there is something to test.

    Not so with hidden masks, two visits and signs: one report by signs is 1 or -1, of which a plan uses the size alone;
    and three labels put all centres at an end.
    """
    planned = {}
    found = [enumerated(setting, participation, person, planned=planned) for person in everyone(participation)]
    assert SPENT[participation] * EPSILON <= max(each.log_ratio for each in found) <= EPSILON
    others = [len(questions) for each in found for who, questions in each.asked.items() if who != each.person]
    if (setting, participation, always_asks) != ("hidden masks", "both", ("signed",)):
        assert max(others) > VISITS[participation]
    raw = [question for each in found for questions in each.asked.values() for question in questions]
    assert {ask["ask"] for question in raw for ask in json.loads(question)["asks"]} >= {"label", *always_asks}


@pytest.mark.parametrize("participation", PARTICIPATIONS)
@pytest.mark.parametrize("setting", ["number", "hidden masks"])
def test_the_plan_itself_keeps_epsilon_too(setting, participation):
    """It asks so few people for residuals alone; centre and reach follow from the reports before."""
    planned = {}
    found = [enumerated(setting, participation, person, planned=planned) for person in everyone(participation)]
    assert SPENT[participation] * EPSILON <= max(each.log_ratio for each in found) <= EPSILON


def _changed(state: State, change) -> Wave | Model:
    """Change every question about residuals; others go out as they are."""
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model) or wave.stream != "pair":
        return wave
    return replace(wave, asked=tuple(change(asked) for asked in wave.asked))


def centre_from_the_label(state: State, inputs: Inputs) -> Wave | Model:
    def change(asked: Asked) -> Asked:
        return replace(asked, centres=asked.centres + 1e-6 * inputs.labels[asked.people])

    return _changed(state, change)


def reach_from_the_labels(state: State, inputs: Inputs) -> Wave | Model:
    def change(asked: Asked) -> Asked:
        (ask,) = asked.question.asks
        ask = structs.replace(ask, reach=ask.reach * (1 + 1e-6 * float(inputs.labels.std())))
        return replace(asked, question=structs.replace(asked.question, asks=(ask,)))

    return _changed(state, change)


def features_by_their_values(state: State, inputs: Inputs) -> Wave | Model:
    """Ask about the private feature whose value is larger."""
    larger = np.argmax(inputs.rows[:, :2], axis=1)
    looked = np.array([[True, False, False], [False, True, False]])[larger]
    seen = State(state.study, replace(state.enrolled, mask=state.enrolled.mask & looked), state.sources, state.done)
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model) or wave.stream != "pair":
        return wave
    people = np.concatenate([asked.people for asked in wave.asked])
    asked = PROTOCOL._questions(seen, np.sort(people), np.zeros(len(people)), wave.facts["plan"], 0.5)
    return replace(wave, asked=asked)


def waves_by_the_label(state: State, inputs: Inputs) -> Wave | Model:
    """Ask those with the greatest labels last."""
    order = np.argsort(inputs.labels)
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model):
        return wave
    return replace(wave, asked=tuple(replace(asked, people=np.sort(order[asked.people])) for asked in wave.asked))


@pytest.mark.usefixtures("always_asks")
@pytest.mark.parametrize("participation", PARTICIPATIONS)
@pytest.mark.parametrize(
    "peeking", [centre_from_the_label, reach_from_the_labels, features_by_their_values, waves_by_the_label]
)
def test_a_curator_that_peeks_is_seen(peeking, participation):
    setting = "two together" if peeking is features_by_their_values else "number"
    found = (enumerated(setting, participation, p, peeking=peeking) for p in everyone(participation)[::-1])
    assert any(each.log_ratio == np.inf for each in found)


def asks_again(state: State) -> Wave | Model:
    """Ask everybody for residuals with all of epsilon, also those who have sent a label."""
    wave = PROTOCOL.next(state)
    if isinstance(wave, Model) or wave.stream != "pair" or len(state.done) > 1:
        return wave
    everybody = state.everyone()
    question = wave.asked[0].question
    return replace(wave, asked=(Asked(question, everybody, np.zeros(len(everybody))),))


def test_a_curator_that_asks_again_is_seen():
    """Where everyone answers once, whoever sent a label and is asked again spends epsilon twice."""
    planned = {}
    found = (enumerated("number", "split", p, next=asks_again, planned=planned) for p in everyone("split"))
    assert any(each.log_ratio > 1.9 * EPSILON for each in found)


def test_a_curator_that_does_not_divide_epsilon_is_seen(monkeypatch):
    module = importlib.import_module("semildp.protocols.semi_private")
    monkeypatch.setattr(module, "epsilons", lambda study, share: (study.epsilon, study.epsilon))
    assert enumerated("number", "both", 0).log_ratio > 1.5 * EPSILON
