"""A device process and a curator process, connected by a pipe, exchange wire bytes only and find the same model."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from semildp import masks
from semildp.protocols import PROTOCOLS, protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study

ROOT = Path(__file__).parents[1]
SEED = 7


def people(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers, a category and a third number; the label depends on all of them."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(size=(n, 2)), rng.integers(0, 3, n), rng.uniform(-1, 1, n)])
    return X, np.clip(X[:, 0] + X[:, 1] + 0.3 * X[:, 2] + X[:, 3] + 0.1 * rng.normal(size=n), -1, 4)


MASKS = {
    "aligned": lambda n: masks.aligned(n, 4, [0, 2]),
    "personal": lambda n: masks.heavy_tail(n, 4, 1.0),
    "hidden": lambda n: masks.heavy_tail(n, 4, 1.0),
}
SETTINGS = {"hist-of-tree": {"depth": 2, "bins": 2}, "hist-of-tree-joint": {"depth": 2, "bins": 2}}


def studies():
    for protocol, how, mask in itertools.product(PROTOCOLS, ("split", "both"), MASKS):
        if protocol == "hist-of-tree" and how == "split":
            continue  # label and cell apart need both waves of everyone
        if protocol == "label-tree" and mask != "hidden":
            continue  # protects no feature: asked below with nothing private
        yield pytest.param(protocol, how, mask, id=f"{protocol}-{how}-{mask}")


def study_of(protocol: str, how: str, mask: str) -> Study:
    return Study(
        name="two programs",
        epsilon=4.0,
        label=Number(-1, 4),
        features=(
            Feature("a", Number(0, 1)),
            Feature("b", Number(0, 1)),
            Feature("c", Category(("red", "green", "blue"))),
            Feature("d", Number(-1, 1)),
        ),
        protocol=protocol,
        settings=SETTINGS.get(protocol, {}),
        participation=how,
        hide_mask=protocol == "private-histogram"
        or (mask == "hidden" and protocol not in ("label-tree", "semi-private")),
    )


@pytest.mark.parametrize(("protocol", "how", "mask"), list(studies()))
def test_two_programs_find_the_simulation_s_model_to_the_last_byte(protocol, how, mask, tmp_path):
    study = study_of(protocol, how, mask)
    X, y = people()
    hidden = np.zeros(X.shape, dtype=bool) if protocol == "label-tree" else MASKS[mask](len(X))
    streams = protocol_of(study).streams
    children = np.random.SeedSequence(SEED).spawn(len(streams))
    sources = {name: SeededSource(child) for name, child in zip(streams, children, strict=True)}
    expected = simulate(study, X, y, hidden, sources=sources).model

    (tmp_path / "study.json").write_bytes(study.to_json())
    np.savez(tmp_path / "people.npz", X=X, y=y, mask=hidden)
    told = run_curator(tmp_path, len(X))
    got = json.loads((tmp_path / "model.json").read_bytes())
    assert {**got, "spent": []} == {**json.loads(expected.to_json()), "spent": []}
    assert got["spent"] == json.loads(expected.to_json())["spent"]
    assert told["refused"] == []
    assert not [m for m in told["ours"] if m.startswith("semildp.client") or m == "semildp.simulate"]
    heavy = ("semildp.curator", "semildp.protocols", "semildp.models", "sklearn", "scipy", "pandas")
    assert not [m for m in told["theirs"] if m.startswith(heavy)]


def run_curator(folder: Path, n_people: int) -> dict:
    command = [sys.executable, "-m", "tests.programs.curator", "study.json", "people.npz", str(SEED), str(n_people)]
    where = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [*command, "model.json"], cwd=folder, env={**os.environ, "PYTHONPATH": where}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)
