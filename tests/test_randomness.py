"""Noise comes from the source that is passed, nothing else; and no float whose low digits are private is sent."""

from __future__ import annotations

import ast
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
from semildp import HistOfTreeRegressor, SemiPrivateRegressor, masks, mechanisms, sources
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.estimators.inputs import read_sources
from semildp.mechanisms import WindowResponse
from semildp.sources import SystemSource
from tests.people import BOUNDS, simulate
from tests.reports import BOUNDS as BOX
from tests.reports import MASK, PRIVATES, PUBLIC, REPORTS
from tests.test_mechanisms import mechanism_classes
from tests.witness import seeded

ON_DEVICE = sorted(p for room in ("client", "mechanisms") for p in (Path(semildp.__file__).parent / room).glob("*.py"))
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


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_draw_from_the_operating_system_unless_seeded(name, monkeypatch):
    class Refused:
        def __init__(self, seed):
            raise AssertionError("a seeded source")

    asked = []

    def counted(self, *shape, own=SystemSource.words):
        asked.append(shape)
        return own(self, *shape)

    monkeypatch.setattr("semildp.estimators.inputs.SeededSource", Refused)
    monkeypatch.setattr(sources.SystemSource, "words", counted)
    X, y, _ = simulate(60)
    mask = None if name == "LabelDT" else masks.first(60, 5, 2)
    model = ESTIMATORS[name](**BOUNDS).fit(X, y, mask=mask)
    assert sum(np.prod(shape) for shape in asked) >= 60
    assert model.random_state is None
    assert not model.privacy_.simulated


def arrays(report):
    if is_dataclass(report):
        return [getattr(report, field.name) for field in fields(report)]
    return list(report) if isinstance(report, tuple) else [report]


SENT = sorted(set(REPORTS) - {"rows made complete", "labels made complete", "features, laplace"})  # made: not sent


@pytest.mark.parametrize("name", SENT)
def test_what_depends_on_private_data_is_whole_numbers(name):
    """The only floats in a report are public features, bit for bit as they were, and NaN where private."""
    for person in PRIVATES:
        report = REPORTS[name][1](person, seeded())
        floats = [a for a in arrays(report) if a.dtype.kind not in "iub"]
        if not name.startswith("label, "):
            assert not floats
            continue
        (public,) = floats
        assert public is report.public
        assert np.isnan(public[report.mask]).all()
        shown = np.column_stack([np.full(6, 0.5), PUBLIC])[~report.mask]
        assert public[~report.mask].tobytes() == shown.tobytes()


def test_randomised_features_are_one_of_a_few_public_numbers():
    for person in PRIVATES:
        sent, labels = REPORTS["features, laplace"][1](person, seeded())
        assert labels.dtype.kind == "i"
        middles = BOX.low[0] + (np.arange(3) + 0.5) / 3 * (BOX.high[0] - BOX.low[0])
        assert np.isin(sent[MASK], middles).all()
        assert sent[~MASK].tobytes() == np.column_stack([np.full(6, 0.5), PUBLIC])[~MASK].tobytes()


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
