"""The command line in general: help, version, quick start, and the one sentence that every failure ends in."""

from __future__ import annotations

import subprocess
import sys

import pytest

from semildp import cli
from semildp.errors import InputError

ALONE = (
    "serve",
    "invite",
    "simulate",
    "status",
    "advance",
    "close",
    "model",
    "export",
    "fit",
    "predict",
    "audit",
    "plan",
)
VERBS = [["study", "new"], ["study", "check"], *([verb] for verb in ALONE)]
VERBS += [["study", "draft"], ["rehearse"]]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_has_help_with_examples(verb, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        cli.main([*verb, "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "examples:" in out
    assert f"semildp {' '.join(verb)}" in out
    assert max(len(line) for line in out.splitlines()) <= 115


def test_the_first_help_names_every_verb(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out
    assert all(verb[0] in out for verb in VERBS)


def test_no_example_has_a_token_on_the_command_line(capsys):
    for verb in VERBS:
        with pytest.raises(SystemExit):
            cli.main([*verb, "--help"])
    assert "--token " not in capsys.readouterr().out


def test_help_loads_nothing_heavy():
    program = (
        "import sys\nfrom semildp import cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {
        "numpy",
        "msgspec",
        "sklearn",
        "scipy",
        "httpx",
        "starlette",
        "sqlalchemy",
        "pandas",
        "pyarrow",
    }


def failing(monkeypatch, problem):
    def run(options):
        raise problem

    def parse(arguments=None):
        options = original(arguments)
        options.run = run
        return options

    original = cli.parse
    monkeypatch.setattr(cli, "parse", parse)


@pytest.mark.parametrize(
    ("problem", "code", "sentence"),
    [
        (InputError("That is wrong."), 2, "semildp study check: That is wrong."),
        (
            FileNotFoundError(2, "No such file", "x.csv"),
            2,
            "x.csv could not be used: No such file.",
        ),
        (OSError(28, "No space left on device"), 2, "semildp study check: A file could not be used: No space left"),
        (ModuleNotFoundError("No module", name="httpx"), 2, "pip install 'semildp[serve]'"),
        (ModuleNotFoundError("No module", name="pyarrow.parquet"), 2, "pip install 'semildp[arrow]'"),
        (ModuleNotFoundError("No module", name="distributed"), 2, "pip install 'semildp[dask]'"),
        (KeyboardInterrupt(), 130, "Stopped."),
    ],
)
def test_every_failure_is_one_sentence_and_an_exit_code(problem, code, sentence, monkeypatch, capsys):
    failing(monkeypatch, problem)
    assert cli.main(["study", "check", "study.toml"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert len(err.strip().splitlines()) == 1


def test_a_module_of_ours_that_is_missing_is_a_bug_and_no_sentence(monkeypatch):
    failing(monkeypatch, ModuleNotFoundError("No module", name="semildp.nothing"))
    with pytest.raises(ModuleNotFoundError):
        cli.main(["study", "check", "study.toml"])


def test_a_token_that_others_could_read_is_told(monkeypatch, capsys):
    from semildp.cli.tokens import as_curator
    from semildp.remote import Http

    monkeypatch.setenv("SEMILDP_CURATOR_TOKEN", "C" * 43)
    for address, told in (("http://study.example.org", True), ("https://study.example.org", False)):
        with Http(address) as http:
            as_curator(http, None)
        assert ("whoever is on the way can read the token" in capsys.readouterr().err) == told
