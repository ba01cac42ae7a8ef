"""The demo's second act: a study over HTTP is finished and saved, its server stops, and what is missing is said."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

pytest.importorskip("tqdm")

from examples.demo import second_act
from semildp.models import Model

PEOPLE = 150


def test_what_is_missing_is_said(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(second_act, "find_spec", lambda name: None if name == "sqlalchemy" else name)
    assert second_act.collect(tmp_path, PEOPLE) is None
    assert "it needs sqlalchemy" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def gone(address: str) -> bool:
    try:
        urllib.request.urlopen(f"{address}/health", timeout=5).close()
    except urllib.error.URLError:
        return True
    return False


@pytest.fixture
def addresses(monkeypatch):
    """Where servers listened; no pictures are taken."""
    pytest.importorskip("starlette", reason="The service is not installed: pip install semildp[serve].")
    seen, plain = [], second_act._conduct

    def conduct(address, *others):
        seen.append(address)
        plain(address, *others)

    monkeypatch.setattr(second_act, "_conduct", conduct)
    monkeypatch.setattr(second_act, "find_browser", lambda: None)
    return seen


def test_a_study_is_finished_and_saved(addresses, capsys, tmp_path):
    folder = second_act.collect(tmp_path, PEOPLE, progress=False)
    model = Model.from_json((folder / "model.json").read_bytes())
    assert model.study.name == "sleep"
    reports = [q["reports"] for w in json.loads((folder / "totals.json").read_text())["waves"] for q in w["questions"]]
    assert 0.9 * PEOPLE <= sum(reports) <= PEOPLE
    assert "epsilon = 3" in (folder / "privacy-statement.txt").read_text()
    assert "Chromium is not installed" in capsys.readouterr().out
    assert gone(addresses[0])


def test_an_interrupt_stops_the_server(addresses, monkeypatch, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(second_act, "_visit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        second_act.collect(tmp_path, PEOPLE, progress=False)
    assert gone(addresses[0])
