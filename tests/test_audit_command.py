"""`semildp audit`: study files, exit codes, JSON, the plot, the progress line, an interrupt, the attack."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

import semildp
from semildp import cli
from semildp.audit import AuditStudy, command, plot, run
from semildp.audit.attack import attack_floating_point
from semildp.audit.progress import ProgressLine
from semildp.errors import InputError
from semildp.mechanisms import GeneralisedResponse
from semildp.sources import SeededSource
from tests.broken.off_by_one import OffByOne

QUICK = ["audit", "--seed", "1", "--trials", str(1 << 16)]


@pytest.fixture
def small(monkeypatch):
    """Only one mechanism and one kind of visit, for speed."""
    monkeypatch.setattr(run, "SHELF", {"Honest": lambda study: GeneralisedResponse(study.epsilon, 3)})
    monkeypatch.setattr(run, "LARGE", {})
    monkeypatch.setattr(run, "VISITS", run.VISITS[1:2])


@pytest.fixture
def broken(monkeypatch, small):
    monkeypatch.setitem(run.SHELF, "Broken", lambda study: OffByOne(study.epsilon, 3))


def test_a_table_and_exit_code_0(small, capsys):
    assert cli.main(QUICK) == 0
    out, err = capsys.readouterr()
    assert "All 7 claims stand." in out
    assert all(word in out for word in ("claimed", "exact", "proven", "time", "Honest", "SemiPrivate, both"))
    assert err == ""  # no terminal, no progress line


def test_a_violation_is_named_and_ends_with_exit_code_1(broken, capsys):
    assert cli.main(QUICK) == 1
    out = capsys.readouterr().out
    assert "VIOLATION  Broken, frequencies:" in out
    assert "1 of 8 claims do not stand." in out


def test_json_for_machines(broken, capsys):
    assert cli.main([*QUICK, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] is False
    assert data["study"]["epsilon"] == 1.0
    assert {row["name"]: row["ok"] for row in data["rows"]}["Broken"] is False
    assert {"claimed", "exact", "lower_bound", "seconds", "findings"} <= set(data["rows"][0])


def test_a_seed_repeats_the_audit(small, capsys):
    figures = []
    for _ in range(2):
        cli.main([*QUICK, "--json"])
        figures.append([(r["hits"], r["misses"]) for r in json.loads(capsys.readouterr().out)["rows"]])
    assert figures[0] == figures[1]


def test_a_study_file_is_followed(small, tmp_path, capsys):
    path = tmp_path / "study.json"
    path.write_text('{"epsilon": 2.5, "participation": "split", "bins": 4}')
    assert cli.main([*QUICK, "--json", str(path)]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["claimed"] for row in rows} == {2.5}
    assert not any("both" in row["name"] for row in rows)


def test_an_epsilon_without_a_file(small, capsys):
    assert cli.main([*QUICK, "--json", "--epsilon", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["study"]["epsilon"] == 2.0
    assert {row["claimed"] for row in data["rows"]} == {2.0}


def test_an_epsilon_beside_a_file_is_refused(tmp_path, capsys):
    path = tmp_path / "study.json"
    path.write_text('{"epsilon": 2.5}')
    assert cli.main(["audit", str(path), "--epsilon", "2"]) == 2
    assert "Leave out --epsilon" in capsys.readouterr().err


def test_the_version(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip() == f"semildp {semildp.__version__}"


@pytest.mark.parametrize("trials", ["1", "2", "40"])
def test_few_trials_neither_crash_nor_accuse(small, capsys, trials):
    assert cli.main(["audit", "--seed", "3", "--trials", trials]) == 0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "JSON"),
        ("[]", "JSON object"),
        ('{"epsilon": -1}', "epsilon"),
        ('{"epsilom": 1}', "epsilom"),
        ('{"version": 2}', "version 1"),
        ('{"masks": ["shut"]}', "masks"),
        ('{"masks": []}', "masks"),
        ('{"label_bounds": [1, 0]}', "label_bounds"),
        ('{"label_bounds": 3}', "label_bounds"),
        ('{"bins": 1}', "bins"),
        ('{"baselines": 1}', "baselines"),
        ('{"label_share": 1}', "label_share"),
    ],
)
def test_a_bad_study_is_refused_in_a_sentence(text, what, tmp_path, capsys):
    path = tmp_path / "study.json"
    path.write_text(text)
    assert cli.main(["audit", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert what in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["no-such-file.json"], "could not be read"),
        (["--trials", "0"], "--trials"),
        (["--epsilon", "0"], "--epsilon"),
        (["--epsilon", "nan"], "--epsilon"),
        (["--seed", "-1"], "--seed"),
        (["--plot", "audit.xyz"], "--plot"),
        (["--plot", "no/such/folder/audit.png"], "folder"),
    ],
)
def test_bad_options_are_refused_before_anything_is_done(options, what, capsys):
    assert cli.main(["audit", *options]) == 2
    assert what in capsys.readouterr().err


def test_a_study_survives_the_round_trip():
    study = AuditStudy(epsilon=3.0, masks=("hidden",), label_mechanisms=("window",))
    assert AuditStudy.from_json(study.to_json()) == study
    with pytest.raises(InputError, match="participation"):
        AuditStudy(participation=("never",))


def test_the_plot_is_written(small, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert cli.main([*QUICK, "--plot", str(tmp_path / "audit.png")]) == 0
    assert (tmp_path / "audit.png").stat().st_size > 5_000


def test_without_matplotlib_the_plot_is_left_out_in_a_sentence(small, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    assert cli.main([*QUICK, "--plot", str(tmp_path / "audit.png")]) == 0
    out, err = capsys.readouterr()
    assert "pip install 'semildp[plots]'" in err
    assert "claims stand" in out
    assert not (tmp_path / "audit.png").exists()


def test_an_interrupt_ends_cleanly(capsys, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "audit_study", interrupted)
    assert cli.main(QUICK) == 130
    assert capsys.readouterr().err.strip() == "Stopped before the audit was complete."


def test_the_progress_line_is_for_terminals():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, expected in ((Terminal(), "[2/9] window ..."), (io.StringIO(), "")):
        line = ProgressLine(stream)
        line(1, 9, "window")
        line.clear()
        assert expected in stream.getvalue()
        assert bool(stream.getvalue()) == bool(expected)


def test_python_m_semildp_is_the_command():
    done = subprocess.run([sys.executable, "-m", "semildp", "audit", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "Exit codes" in done.stdout


def test_the_attack_breaks_float_noise_and_fails_against_the_grid(capsys):
    """An event of probability 0.27 that never happens under the other label; false alarm of the bounds 1e-6."""
    textbook, numpys, ours = attack_floating_point(1.0, source=SeededSource(0))
    for naive in (textbook, numpys):
        assert naive.broken
        assert naive.hits > 0.2 * naive.reports
        assert naive.misses == 0
        assert min(naive.proven, naive.search.epsilon) > 5.0
    assert ours.ours
    assert not ours.broken
    assert ours.hits == ours.misses == 0
    assert 0.85 < ours.search.epsilon <= 1.0


def test_the_attack_on_the_command_line(capsys, monkeypatch):
    rows = attack_floating_point(1.0, source=SeededSource(0))
    monkeypatch.setattr(command, "attack_floating_point", lambda epsilon, source: rows)
    assert cli.main(["audit", "--attack", "floating-point"]) == 0
    assert "BROKEN" in capsys.readouterr().out
    assert cli.main(["audit", "--attack", "floating-point", "--json"]) == 0
    assert [row["broken"] for row in json.loads(capsys.readouterr().out)["rows"]] == [True, True, False]
