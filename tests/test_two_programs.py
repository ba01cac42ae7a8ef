"""A device process and a curator process, connected by a pipe, exchange wire bytes only and find the same model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semildp.protocols import PROTOCOLS, protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from tests.programs import studies

ROOT = Path(__file__).parents[1]
CASES = list(studies.cases())
pytestmark = pytest.mark.xdist_group("two programs")  # one worker, so that the two programs are run once


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """What the curator's program printed after all studies."""
    where = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.programs.curator"],
        env={**os.environ, "PYTHONPATH": where},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_two_programs_find_the_simulation_s_model_to_the_last_byte(case, told):
    streams = protocol_of(case.study).streams
    children = np.random.SeedSequence(studies.SEED).spawn(len(streams))
    sources = {name: SeededSource(child) for name, child in zip(streams, children, strict=True)}
    expected = simulate(case.study, *case.people(), sources=sources).model
    assert told["models"][case.name] == {"model": expected.to_json().decode(), "refused": []}


def test_the_curator_s_program_never_loads_the_code_that_touches_raw_rows(told):
    assert "semildp.curator.intake" in told["ours"]
    assert not [m for m in told["ours"] if m.startswith(("semildp.client", "semildp.simulate"))]


def test_the_devices_program_needs_no_curator_and_nothing_heavier_than_numpy(told):
    heavy = (
        "semildp.curator",
        "semildp.protocols",
        "semildp.models",
        "semildp.estimators",
        "sklearn",
        "scipy",
        "pandas",
    )
    assert "semildp.client" in told["theirs"]
    assert not [m for m in told["theirs"] if m.startswith(heavy)]


def test_every_protocol_is_run_by_two_programs():
    assert {case.protocol for case in CASES} == set(PROTOCOLS)


def test_semi_private_asked_a_second_wave_whoever_hides_what(told):
    models = [json.loads(told["models"][case.name]["model"]) for case in CASES if case.protocol == "semi-private"]
    assert len(models) == 6
    assert all(model["body"]["effects"] for model in models)
