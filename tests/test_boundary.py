"""Raw rows and labels stay behind the boundary: only the device's code, and what forwards to it, has them in hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import semildp.simulate
from semildp import HistOfTreeDensity, HistOfTreeRegressor, SemiPrivateRegressor, masks
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.client import People, ready
from semildp.protocols import PROTOCOLS, PublicTree
from semildp.simulate import simulate
from semildp.wire.columns import Enrolled
from tests.programs.studies import Case, cases
from tests.watching import Raw, raw, watched

SPLITTERS = ("max-edge", "random", "cart")
# Semi-private takes long: every mask once, and both ways to take part; what follows fits it with personal masks.
SEMI_PRIVATE = (("split", "aligned"), ("both", "personal"), ("split", "hidden"))
CASES = [case for case in cases() if case.protocol != "semi-private" or (case.how, case.mask) in SEMI_PRIVATE]
PUBLIC = Case("public-tree", "both", "personal")
ESTIMATORS = [
    *(HistOfTreeRegressor(4, splitter=splitter) for splitter in SPLITTERS),
    *(HistOfTreeRegressor.paper(4, splitter=splitter) for splitter in SPLITTERS),
    HistOfTreeRegressor.paper(4, cell_mechanism="rr", hide_mask=True),
    HistOfTreeRegressor(4, participation="both", hide_mask=True),
    SemiPrivateRegressor(4),
    SemiPrivateRegressor(4, participation="both"),
    PublicTreeRegressor(4),
    RandomizedFeatureTreeRegressor(4),
    PrivateHistogramRegressor(4),
    LabelTreeRegressor(4),
    HistOfTreeDensity(4),
    HistOfTreeDensity(4, cell_mechanism="rr", hide_mask=True),
]


@pytest.fixture
def gates(monkeypatch):
    """Make arrays raw again where validation and the device's first step have copied them; count what went through."""
    passed = []

    def simulated(study, X, y, mask, **rest):
        passed.append("simulate")
        return simulate(study, raw(X), raw(y), mask, **rest)

    def readied(study, X, y, mask, source, *, clip=True):
        passed.append("ready")
        assert isinstance(X, Raw)
        assert isinstance(y, Raw)
        people = ready(study, X, y, mask, source, clip=clip)
        return People(raw(people.rows), raw(people.labels), people.mask)

    monkeypatch.setattr(semildp.simulate, "simulate", simulated)
    monkeypatch.setattr(semildp.simulate, "ready", readied)
    return passed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_simulation_shows_raw_rows_to_the_device_alone(case, gates):
    X, y, mask = case.people()
    with watched() as seen:
        simulate(case.study, raw(X), raw(y), mask)
    assert set(seen) == set()
    assert gates == ["ready"]


@pytest.mark.filterwarnings("ignore::semildp.errors.WideBoundsWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: " ".join(str(estimator).split()))
def test_a_fit_shows_raw_rows_to_the_device_alone(estimator, gates):
    X, y, _ = PUBLIC.people()
    bounds = {} if isinstance(estimator, HistOfTreeDensity) else {"label_bounds": (-1, 4)}
    estimator.set_params(**bounds, feature_bounds=[(0, 1), (0, 1), (0, 2), (-1, 1)])
    mask = {} if isinstance(estimator, LabelTreeRegressor) else {"mask": masks.heavy_tail(len(X), 4, 1.0)}
    with watched() as seen:
        estimator.fit(raw(X), raw(y), **mask)
    assert set(seen) == set()
    assert gates == ["simulate", "ready"]


def test_every_protocol_is_watched():
    assert {case.protocol for case in CASES} == set(PROTOCOLS)


@dataclass(frozen=True)
class Peeking(PublicTree):
    """Has found a way to the labels, and reads one."""

    found: tuple[Raw, ...] = ()

    def next(self, state):
        float(self.found[0][0])
        return super().next(state)


def test_a_protocol_that_peeks_is_caught(gates):
    X, y, mask = PUBLIC.people()
    labels = raw(y)
    with watched() as seen:
        simulate(PUBLIC.study, raw(X), labels, mask, protocol=Peeking(found=(labels,)))
    assert "semildp.protocols.conduct" in seen


@pytest.mark.parametrize("strip", [lambda rows: rows, np.asarray, lambda rows: np.asarray(rows)[::-1]])
def test_rows_that_leave_as_though_they_were_public_are_caught(strip, gates, monkeypatch):
    def leak(people):
        return Enrolled(strip(people.rows), people.mask)

    monkeypatch.setattr(semildp.simulate, "enrol", leak)
    X, y, mask = PUBLIC.people()
    with watched() as seen:
        simulate(PUBLIC.study, raw(X), raw(y), mask)
    assert {name.split(".")[1] for name in seen} & {"curator", "protocols"}
