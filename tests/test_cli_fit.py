"""`semildp fit`: a model from files, and one sentence where there is none."""

from __future__ import annotations

import pytest

from semildp import cli
from semildp.models import Model
from tests.programs.studies import Case
from tests.stored_files import simulated, written

HIST = Case("hist-of-tree", "both", "personal")


@pytest.fixture
def files(tmp_path):
    """Return the arguments that name the files and the study."""
    parts = written(HIST, tmp_path / "reports", people=50).parts
    study = tmp_path / "study.toml"
    study.write_text(HIST.study.to_toml())
    return [*(part.path for part in parts), "--study", str(study)]


@pytest.mark.parametrize("backend", [[], ["--backend", "serial"], ["--threads", "2"]])
def test_the_model_is_written_or_printed(backend, files, tmp_path, capsysbinary):
    model = simulated(HIST).model.to_json()
    assert cli.main(["fit", *files, *backend]) == 0
    assert capsysbinary.readouterr().out == model
    assert cli.main(["fit", *files, "-o", str(tmp_path / "model.json"), *backend]) == 0
    assert (tmp_path / "model.json").read_bytes() == model
    assert b"The model, from 120 people, is in" in capsysbinary.readouterr().err
    assert Model.from_json(model).study == HIST.study


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--scheduler", "tcp://x:1"], "--scheduler belongs to --backend dask"),
        (["--threads", "2", "--backend", "serial"], "--threads belongs to --backend threads"),
        (["--threads", "0"], "`n_threads` must be"),
        (["--in-memory", "0"], "`--in-memory` must be"),
        (["nothing.parquet"], "nothing.parquet could not be used"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(more, words, files, capsys):
    assert cli.main(["fit", *more, *files]) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert out == ""
    assert len(err.strip().splitlines()) == 1


def test_an_interrupt_leaves_no_half_model(files, tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("semildp.stored.fit_reports", interrupted)
    assert cli.main(["fit", *files, "-o", str(tmp_path / "model.json")]) == 130
    assert capsys.readouterr().err.strip() == "Stopped before all reports were read; no model was written."
    assert not (tmp_path / "model.json").exists()
