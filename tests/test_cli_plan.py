"""`semildp plan`: a table, JSON, a picture, and one sentence where it is refused or stopped."""

from __future__ import annotations

import json
import sys

import pytest

from semildp import cli
from semildp.planning import trying

SMALL = ["plan", "--people", "60", "--features", "3", "--private", "1", "--epsilon", "4", "--replications", "1"]


def test_it_prints_tables_and_the_same_ones_again(capsys):
    assert cli.main(SMALL) == 0
    first = capsys.readouterr().out
    assert "Plan for 60 people and 3 features, 1 of them private." in first
    assert cli.main(SMALL) == 0
    assert capsys.readouterr().out == first


def test_it_prints_json(capsys):
    more = ["--matter", "1", "1", "--bounds", "0", "12", "--deviation", "3", "--seed", "2", "--hide", "0.8"]
    assert cli.main([*SMALL, "--json", *more]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["assumed"]["matter"] == [1, 1]
    assert made["assumed"]["width"] == 4
    assert made["assumed"]["hide"] == 0.8
    assert made["random_state"] == 2
    assert made["found_by"]["errors"] == "simulation"


def test_it_draws(tmp_path, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert cli.main([*SMALL, "--plot", str(tmp_path / "plan.png")]) == 0
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_it_says_so_before_it_simulates(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(trying, "try_study", None)
    assert cli.main([*SMALL, "--plot", str(tmp_path / "plan.png")]) == cli.REFUSED
    assert "pip install 'semildp[plots]'" in capsys.readouterr().err


def test_bad_numbers_are_refused_in_a_sentence(capsys):
    assert cli.main([*SMALL, "--private-share", "2"]) == cli.REFUSED
    assert capsys.readouterr().err == "semildp plan: `private_share` must be a number from 0 to 1. Got 2.0.\n"


def test_it_can_be_interrupted(monkeypatch, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("semildp.planning.conducting.try_study", stop)
    assert cli.main(SMALL) == cli.INTERRUPTED
    assert capsys.readouterr().err == "\nStopped; nothing was planned.\n"
