"""All verbs against a server that runs: from a study's file to predictions, as in docs/run-a-study.md."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `serve`: pip install 'semildp[serve]'")

from semildp import cli
from semildp.models import Model

pytestmark = pytest.mark.xdist_group("collecting")  # one server, one test after the other
NEW = [
    *("study", "new", "--name", "Sleep", "--epsilon", "4", "--people", "150", "--minimum", "50"),
    *("--protocol", "public-tree", "--label", "0", "14", "--feature", "age", "18", "100"),
    *("--category", "work", "day,night", "--feature", "drinks", "0", "20", "--private"),
]


class Running:
    """A server in a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.log = (folder / "serve.log").open("w+")
        program = [sys.executable, "-m", "semildp", "serve", "study.toml", "--port", "0"]
        self.process = subprocess.Popen(
            program,
            cwd=folder,
            stdout=self.log,
            stderr=self.log,
            env=_plain_environment(),
            preexec_fn=lambda: signal.signal(
                signal.SIGINT, signal.SIG_DFL
            ),  # ignored where tests run in the background
        )
        self.url = self._address()

    def _address(self):
        for _ in range(600):
            text = (self.folder / "serve.log").read_text()
            if "Listening on " in text:
                return text.split("Listening on ")[1].split()[0]
            assert self.process.poll() is None, text
            time.sleep(0.1)
        raise AssertionError("the server did not start within a minute")

    def stop(self):
        """Interrupt it, as Ctrl-C does, and return its exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(60)
        self.log.close()
        return code


def _plain_environment():
    return {key: value for key, value in os.environ.items() if key != "SEMILDP_CURATOR_TOKEN"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    assert cli.main([*NEW, "-o", str(folder / "study.toml")]) == 0
    server = Running(folder)
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def call(running, monkeypatch, capsys):
    """Call a verb with the server's address and the token's file."""
    monkeypatch.chdir(running.folder)
    monkeypatch.delenv("SEMILDP_CURATOR_TOKEN", raising=False)

    def verb(name, *options):
        capsys.readouterr()
        code = cli.main([name, running.url, "--token-file", "study.token", *options])
        return code, *capsys.readouterr()

    return verb


def test_the_token_is_for_its_owner_only(running):
    assert (running.folder / "study.token").stat().st_mode & 0o777 == 0o600


def test_links_and_cards(call, running):
    code, _, err = call("invite", "-n", "3", "-o", "links.csv", "--html", "cards.html", "--public", "https://a.test/")
    assert code == 0
    assert "3 links are in links.csv" in err
    with (running.folder / "links.csv").open() as stream:
        links = [row["link"] for row in csv.DictReader(stream)]
    assert len(set(links)) == 3
    assert all(link.startswith("https://a.test/#") for link in links)
    assert (running.folder / "cards.html").read_text().count("<svg") == 3
    assert call("invite", "-n", "3", "-o", "links.csv")[0] == 2


def test_refusals_on_the_way(call, running, monkeypatch, tmp_path):
    assert "no model" in call("model", "-o", "early.json")[2]
    assert not (running.folder / "early.json").exists()
    assert "Pass --yes" in call("close")[2]
    assert "`number of invitations` must be" in call("invite", "-n", "0")[2]
    wrong = tmp_path / "token"
    wrong.write_text("x" * 43)
    assert "must be that of this study" in call("status", "--token-file", str(wrong))[2]
    wrong.write_text("")
    assert "must hold the curator's token" in call("status", "--token-file", str(wrong))[2]
    assert "No such file" in call("status", "--token-file", "nothing")[2]
    for options in (["--people", "0"], ["--hide", "2"], ["--workers", "0"], ["--patience", "-1"], ["--seed", "-1"]):
        assert options[0] in call("simulate", *options)[2]


def test_a_study_from_the_first_person_to_predictions(call, running):
    """One after the other, for each needs the one before."""
    code, out, _ = call("status")
    assert code == 0
    assert "0 of 150 expected people have enrolled" in out
    assert call("invite", "-n", "3", "-o", "own.csv")[0] == 0
    assert call("simulate", "--people", "3", "--invitations", "own.csv")[0] == 0
    (running.folder / "people.csv").write_text("age,work,drinks,wage\n" + "30,day,4,7\n60,,2,\n" * 20)
    code, out, err = call("simulate", "--data", "people.csv", "--label-column", "wage", "--seed", "1", "--workers", "2")
    assert (code, err) == (0, "")
    assert "40 people came, 40 were enrolled, 40 reports were taken." in out
    assert call("simulate", "--people", "30")[0] == 0
    told = json.loads(call("status", "--json")[1])
    assert (told["enrolled"], told["reports"]) == (73, 73)
    code, out, _ = call("close", "--yes")
    assert code == 0
    for _ in range(600):
        if call("model", "-o", "model.json")[0] == 0:
            break
        time.sleep(0.1)
    model = Model.from_json((running.folder / "model.json").read_bytes())
    assert sum(group.n_people for group in model.spent) == 73
    assert "is closed" in call("status")[1]
    assert "closed" in call("simulate", "--people", "5")[2]
    assert call("close", "--yes")[0] == 0  # once more does no harm
    assert cli.main(["predict", "model.json", "people.csv", "-o", "predicted.csv"]) == 0
    with (running.folder / "predicted.csv").open() as stream:
        assert all(0 <= float(row["prediction"]) <= 14 for row in csv.DictReader(stream))


def test_an_interrupt_ends_in_a_sentence(running):
    code = running.stop()
    text = (running.folder / "serve.log").read_text()
    assert code == 130
    assert "Stopped; everything that was taken is kept." in text
    assert "Traceback" not in text


def test_a_port_that_is_taken_and_a_file_without_a_collection(tmp_path, capsys, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)
    cli.main(NEW)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert cli.main(["serve", "study.toml", "--port", str(taken.getsockname()[1])]) == 2
    assert "must be free on this machine" in capsys.readouterr().err
    assert cli.main(["serve", "study.toml", "--port", "70000"]) == 2
    assert "--port" in capsys.readouterr().err
    text = (tmp_path / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(text[: text.index("[collection]")])
    assert cli.main(["serve", "study.toml"]) == 2
    assert "[collection]" in capsys.readouterr().err
    assert not (tmp_path / "study.token").exists()
