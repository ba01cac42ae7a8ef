"""The page of ratios, from made-up figures: what is met, what is kept of an older page, what options are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import report, scaling, tables
from benchmarks.__main__ import main, read_options
from benchmarks.contenders import CONTENDERS, Case
from benchmarks.plot import draw
from benchmarks.racing import BenchmarkError, Measured, Process

MOST = 1_000_000
SPEED = dict(zip(CONTENDERS, (1.0, 2.0, 20.0, 40.0, 3.0, 10.0), strict=True))  # seconds per million people


def measured(case: Case) -> Measured:
    """Time and memory that grow in proportion to people."""
    return Measured(case, 88 * case.n, [SPEED[case.method] * case.n / 1e6] * 3, 40 * case.n)


FITS = [measured(case) for group in scaling.by_people(MOST) + scaling.by_shape(MOST) for case in group]


def test_aims_are_met_or_not():
    aims = {aim.what: aim for aim in tables.fit_aims(FITS)}
    tree = aims["decision tree's time over the paper's method's, 1,000,000 people"]
    assert (tree.value, tree.met) == (40.0, True)
    assert aims["personal masks over aligned"].value == 2.0
    semi = aims["SemiPrivateRegressor over HistGradientBoosting, 1,000,000 people"]
    assert (semi.value, semi.met) == (2.0, True)
    grown = aims["SemiPrivateRegressor: time of 1,000,000 people over that of 100,000"]
    assert grown.value == pytest.approx(10.0)
    memory = aims["HistOfTreeRegressor.paper: peak memory over input, 1,000,000 people"]
    assert memory.met
    assert not report.Aim("", 24.9, 25.0, at_least=True).met
    assert not report.Aim("", 1.21, 1.2).met


def test_the_tables_have_every_case_that_was_measured():
    text = tables.fits(FITS)
    assert "| DecisionTreeRegressor | 400 ms | 4 s | 40 s |" in text
    assert "by features:\n\n|  | 5 features | 10 features | 20 features |" in text
    assert "|  | depth 3 | depth 6 | depth 9 |" in text
    assert "|  | 256 cells | 1,024 cells | 4,096 cells |" in text
    few = tables.fits([m for m in FITS if m.case.n < MOST])
    assert "features:" not in few
    assert "**no**" not in text


def test_a_package_that_did_not_install_says_why():
    times: dict[str, dict[str, float] | str] = {
        "semildp": {"laplace": 600.0, "k-ary": 50.0, "unary": 1500.0},
        "opendp": {"laplace": 6000.0},
        "pure-ldp": "did not install: no such version",
    }
    text = tables.randomisers(times, {"opendp": "0.16"})
    assert "| opendp 0.16 | 6 µs (10) | - | - |" in text
    assert "| pure-ldp: did not install: no such version | - | - | - |" in text


def test_a_run_replaces_what_it_measured_and_keeps_the_rest():
    def part(name: str, body: str) -> str:
        return report.section(name, name.title(), body, "scripts/bench", "")

    old = report.merged("", {"imports": part("imports", "old imports"), "stored": part("stored", "old store")})
    new = report.merged(old, {"imports": part("imports", "new imports"), "fits": part("fits", "new fits")})
    assert "old imports" not in new
    assert [new.index(text) for text in ("# Benchmarks", "new fits", "new imports", "old store")] == sorted(
        new.index(text) for text in ("# Benchmarks", "new fits", "new imports", "old store")
    )
    assert report.merged(new, {}) == new


def test_the_picture_is_drawn(tmp_path):
    path = tmp_path / "docs" / "benchmarks.png"
    draw(FITS, path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--million", "lots"], "must be a number from 0.1 to 100, in millions of people. Got 'lots'"),
        (["--million", "nan"], "must be a number from 0.1 to 100"),
        (["--million", "-1"], "must be a number from 0.1 to 100"),
        (["--only", "everything"], "invalid choice: 'everything'"),
        (["--quick", "--million", "1"], "--quick fits few people"),
    ],
)
def test_nonsense_options_are_refused(options, sentence, capsys):
    with pytest.raises(SystemExit, match="2"):
        read_options(options)
    assert sentence in capsys.readouterr().err


def test_an_interrupt_ends_with_a_sentence(monkeypatch, tmp_path, capsys):
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.imports.import_seconds", interrupted)
    assert main(["--only", "imports", "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err.endswith("Stopped. Written before: nothing.\n")
    assert not list(tmp_path.iterdir())


def test_a_worker_fits_predicts_and_says_what_it_took():
    with Process(Case("tree", 500), warm=False) as process:
        assert process.ready() == 500 * 11 * 8
        assert process.ask(fit=True)["seconds"] > 0
        assert process.ask(predict=100)["seconds"] > 0


def test_a_worker_that_ends_is_named():
    with (
        Process(Case("unknown", 500), warm=False) as process,
        pytest.raises(BenchmarkError, match=r"'unknown'.* code 1"),
    ):
        process.ready()


def test_other_packages_are_timed_without_this_one():
    script = Path(tables.__file__).with_name("peer_times.py")
    code = f"import runpy, sys; runpy.run_path({str(script)!r}); sys.exit('semildp' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
