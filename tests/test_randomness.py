"""Noise comes from the source that is passed, nothing else; and no float whose low digits are private is sent."""

from __future__ import annotations

import ast
import json
import os
import random
from dataclasses import fields, is_dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semildp
from semildp import HistOfTreeRegressor, SemiPrivateRegressor, client, masks, mechanisms
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.estimators.inputs import read_sources
from semildp.mechanisms import WindowResponse
from semildp.sources import SystemSource
from semildp.wire.codec import encode
from semildp.wire.people import write_enrolment, write_report
from tests.people import BOUNDS, simulate
from tests.reports import GROUP, MASK, PRIVATES, PUBLIC, QUESTIONS, REPORTS, people
from tests.test_mechanisms import mechanism_classes
from tests.witness import seeded

ON_DEVICE = sorted(
    p for room in ("client", "mechanisms", "wire") for p in (Path(semildp.__file__).parent / room).glob("*.py")
)
OTHER_SOURCES = {"random", "secrets", "time", "uuid", "datetime", "scipy"}
FORBIDDEN_NAMES = {
    "urandom",
    "getrandom",
    "default_rng",
    "RandomState",
    "random",
    "SystemSource",
    "SeededSource",
    "hash",
}
ESTIMATORS = {
    "HistOfTree": HistOfTreeRegressor,
    "the paper": HistOfTreeRegressor.paper,
    "SemiPrivate": SemiPrivateRegressor,
    "ParDT": PublicTreeRegressor,
    "KRR": RandomizedFeatureTreeRegressor,
    "Hist": PrivateHistogramRegressor,
    "LabelDT": LabelTreeRegressor,
}


@pytest.mark.parametrize("path", ON_DEVICE, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_other_randomness_and_no_clock_on_a_device(path):
    for node in ast.walk(ast.parse(path.read_text())):
        imported = {a.name.split(".")[0] for a in node.names} if isinstance(node, ast.Import) else set()
        imported |= {str(node.module).split(".")[0]} if isinstance(node, ast.ImportFrom) else set()
        assert not imported & OTHER_SOURCES, f"{path.name} imports {imported & OTHER_SOURCES}"
        names = {a.name for a in node.names} if isinstance(node, ast.ImportFrom) else set()
        names |= {node.attr} if isinstance(node, ast.Attribute) else {node.id} if isinstance(node, ast.Name) else set()
        names -= {"SystemSource"} if path.name == "device.py" else set()  # its default, which is tested below
        assert not names & FORBIDDEN_NAMES, f"{path.name} uses {names & FORBIDDEN_NAMES}"


@pytest.mark.parametrize("name", REPORTS)
def test_reports_follow_from_the_source_and_the_person_alone(name, monkeypatch):
    def refuse(*_):
        raise AssertionError("randomness that was not passed in")

    monkeypatch.setattr(os, "urandom", refuse)
    report, before = REPORTS[name][1], global_states()
    one, same = (report(PRIVATES[2], seeded()) for _ in range(2))
    for a, b in zip(arrays(one), arrays(same), strict=True):
        np.testing.assert_array_equal(a, b)
    assert global_states() == before


def global_states():
    return np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002 the legacy state is what is looked at


def test_without_a_seed_all_sources_are_the_operating_system_s():
    assert all(type(source) is SystemSource for source in read_sources(None, 5))


def test_a_device_draws_from_the_operating_system_unless_told_otherwise(monkeypatch):
    asked = []
    monkeypatch.setattr(os, "urandom", lambda size, own=os.urandom: asked.append(size) or own(size))
    study, question = QUESTIONS["label, window"]
    device = client.Device(study, (0.5, 0.5, 0.5, "red", "one"), 0.5, ("a",), client.Ledger(2))
    assert type(device._source) is SystemSource
    device.enrol()
    before = sum(asked)
    device.answer(encode(question))
    assert sum(asked) - before >= 8 * 4  # rounding, and three words of the window's response


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_draw_from_the_operating_system_unless_seeded(name, monkeypatch):
    class Refused:
        def __init__(self, seed):
            raise AssertionError("a seeded source")

    asked = []
    monkeypatch.setattr("semildp.estimators.inputs.SeededSource", Refused)
    monkeypatch.setattr(os, "urandom", lambda size, own=os.urandom: asked.append(size) or own(size))
    X, y, _ = simulate(60)
    mask = None if name == "LabelDT" else masks.first(60, 5, 2)
    model = ESTIMATORS[name](**BOUNDS).fit(X, y, mask=mask)
    assert sum(asked) >= 60  # a byte per person at least
    assert model.random_state is None
    assert not model.privacy_.simulated


def arrays(report):
    """What was made, as arrays; bytes as they are."""
    if isinstance(report, tuple | list):
        return [array for part in report for array in arrays(part)]
    if is_dataclass(report):
        return [getattr(report, field.name) for field in fields(report)]
    return [np.frombuffer(report, dtype=np.uint8) if isinstance(report, bytes) else report]


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_depends_on_private_data_is_whole_numbers(name):
    """Of what travels: the only floats are public features, bit for bit as they were, and null where private."""
    study, _ = QUESTIONS[name]
    shown = np.column_stack([np.full(6, 0.5), PUBLIC])
    for person in PRIVATES:
        answers = REPORTS[name][1](person, seeded())
        enrolled = client.enrol(people(person, seeded(), study))
        hidden = np.ones_like(MASK) if study.hide_mask else MASK
        for i in range(len(MASK)):
            report = json.loads(encode(write_report("0" * 64, answers, i)), parse_float=refused)
            assert report == {"message": "report", "question": "0" * 64, "answers": report["answers"], "version": 1}
            assert [len(numbers) for numbers in report["answers"]] == [marks.count[i] for marks in answers]
            public = json.loads(encode(write_enrolment(study, enrolled, i)))["public"]
            assert [entry is None for entry in public] == hidden[i].tolist()
            for entry, truth in zip(public, [*shown[i], "green", ("one", "other")[int(GROUP[i])]], strict=True):
                assert entry is None or entry == truth


def refused(number):
    raise AssertionError(f"a float in a report: {number}")


def test_randomised_features_are_one_of_a_few_public_numbers():
    for person in PRIVATES:
        labels, bins = REPORTS["features, laplace"][1](person, seeded())
        assert labels.value.dtype.kind == bins.value.dtype.kind == "i"
        _, feature = np.nonzero(MASK)
        assert ((bins.value >= 0) & (bins.value < 3)).all()  # three bins, or three kinds
        assert bins.count.tolist() == MASK.sum(axis=1).tolist()
        assert len(feature) == len(bins.value)


EXTREMES = [1e-6, 1e-3, 0.1, 1.0, 10.0, 50.0]


CASES = [
    (name, parameter, epsilon)
    for name in mechanism_classes()
    for parameter in (1, 2, 1000, 10**6)
    for epsilon in EXTREMES
    if (name, parameter) != ("WindowResponse", 10**6) or epsilon in (1e-6, 50.0)  # two seconds each
]


@pytest.mark.parametrize(("name", "parameter", "epsilon"), CASES)
def test_rounding_never_takes_more_than_epsilon(name, parameter, epsilon):
    """In exact arithmetic, without tolerance: as a decimal number, epsilon is the float bit for bit."""
    assert 0 <= getattr(mechanisms, name)(epsilon, parameter).realised_epsilon <= Decimal(epsilon)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([name for name in mechanism_classes() if name != "WindowResponse"]),
    st.floats(1e-6, 50),
    st.integers(1, 10**6),
)
def test_rounding_never_takes_more_than_epsilon_anywhere(name, epsilon, parameter):
    assert 0 <= getattr(mechanisms, name)(epsilon, parameter).realised_epsilon <= Decimal(epsilon)


@settings(max_examples=40, deadline=None)
@given(st.floats(1e-6, 50), st.integers(1, 4096))
def test_rounding_of_windows_never_takes_more_than_epsilon(epsilon, steps):
    assert 0 <= WindowResponse(epsilon, steps).realised_epsilon <= Decimal(epsilon)
