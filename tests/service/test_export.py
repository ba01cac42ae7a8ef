"""Reports that were exported from a collection's database give the service's model, to the last byte."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="needs the extra `arrow`: pip install 'semildp[arrow]'")

from semildp import cli
from semildp.errors import InputError
from semildp.service.core import open_core
from semildp.service.exporting import received
from semildp.service.jobs import Enrol, Look, Send
from semildp.sources import SystemSource
from semildp.stored import fit_reports, open_reports, write_reports
from tests.programs.studies import SEED
from tests.service.crowd import Crowd, Crowded
from tests.service.serving import write_study

CASES = [
    Crowded("semi-private", "split", "personal", 700),
    Crowded("hist-of-tree", "both", "personal", 300),
    Crowded("hist-of-tree-joint", "split", "personal", 300),
    Crowded("label-tree", "split", "none", 300),
    Crowded("randomized-features", "split", "personal", 300),
    Crowded("private-histogram", "split", "aligned", 120),
]


class Collection:
    """A collection without HTTP: people's jobs go to the store, waves are ended by hand, with a backup before each."""

    def __init__(self, case: Crowded, folder: Path) -> None:
        self.study = write_study(folder, case.study, people=case.n_people, access="open")
        self.database, self.backup = folder / "study.sqlite", folder / "backup.sqlite"
        self.core = open_core(self.study, f"sqlite:///{self.database}", seed=SEED)
        self.crowd, self.n_people, self.came = Crowd(case), case.n_people, 0

    def do(self, jobs) -> list:
        told, _ = self.core.writer.intake.take(jobs)
        return told

    def enrol(self, how_many: int) -> None:
        who = range(self.came, min(self.came + how_many, self.n_people))
        self.came = who.stop
        self.do([Enrol(None, self.crowd.tokens[i], self.crowd.enrolments[i]) for i in who])

    def answer(self, wave: int) -> None:
        told = self.do([Look(token) for token in self.crowd.tokens[: self.came]])
        asked = [(i, each.body) for i, each in enumerate(told) if each.status == 200]
        reports = [self.crowd.reports([i], [raw], SystemSource())[0] for i, raw in asked[:-1]]  # one never answers
        self.do([Send(self.crowd.tokens[i], wave, r) for (i, _), r in zip(asked, reports, strict=False)])

    def step(self) -> str | None:
        """Take one step; return the outcome, if there is one."""
        with self.core.store.reading() as connection:
            head, wave = self.core.store.head(connection), self.core.store.newest_wave(connection)
        if head.outcome is not None:
            return head.outcome
        if wave.number == 0 and not self.core.rules.one_visit:
            self.enrol(self.n_people)
        elif wave.number:
            self.enrol(wave.wanted or 0)
            self.answer(wave.number)
            with sqlite3.connect(self.database) as here, sqlite3.connect(self.backup) as there:
                here.backup(there)
            with self.core.store.writing() as (connection, _, wave):
                self.core.store.set_wave(connection, wave.number, wanted=1)  # as when the wave's time is over
        assert self.core.worker.advance()
        return None

    def model(self) -> bytes:
        with self.core.store.reading() as connection:
            return self.core.store.model(connection)


@pytest.fixture
def collection(request, tmp_path):
    made = Collection(request.param, tmp_path)
    yield made
    made.core.store.engine.dispose()


@pytest.mark.parametrize("collection", CASES, ids=lambda case: case.name, indirect=True)
def test_the_last_backup_gives_the_service_s_model(collection, tmp_path, capsys):
    while (outcome := collection.step()) is None:
        pass
    assert outcome == "model"
    reports, out = tmp_path / "reports", tmp_path / "model.json"
    backup = ["--database", f"sqlite:///{collection.backup}"]
    assert cli.main(["export", str(collection.study), "-o", str(reports), *backup, "--per-file", "100"]) == 0
    files = sorted(map(str, reports.glob("*.parquet")))
    assert cli.main(["export", str(collection.study), "-o", str(reports), *backup]) == 2
    assert "must be an empty folder" in capsys.readouterr().err
    assert len(files) == -(-collection.came // 100)
    assert cli.main(["fit", *files, "--study", str(collection.study), "-o", str(out)]) == 0
    assert out.read_bytes() == collection.model()
    assert "The model, from" in capsys.readouterr().err
    with pytest.raises(InputError, match="reports were deleted"):
        received(collection.study)


@pytest.mark.parametrize("collection", CASES[1:2], ids=lambda case: case.name, indirect=True)
def test_before_the_last_wave_there_are_reports_but_no_model(collection, tmp_path):
    with pytest.raises(InputError, match="still enrols people"):
        received(collection.study)
    collection.step()
    collection.step()
    shutil.copy(collection.backup, tmp_path / "first.sqlite")
    state, seed = received(collection.study, f"sqlite:///{tmp_path / 'first.sqlite'}")
    assert seed == SEED
    reports = open_reports(write_reports(state, tmp_path / "reports"))
    with pytest.raises(InputError, match="after which more is asked"):
        fit_reports(reports)


def test_what_is_no_collection_s_database_is_refused(tmp_path):
    case = CASES[1]
    study = write_study(tmp_path, case.study, people=100)
    with pytest.raises(InputError, match="must be there"):
        received(study)
    sqlite3.connect(tmp_path / "study.sqlite").close()
    (tmp_path / "study.sqlite").write_bytes(b"")
    with pytest.raises(InputError, match="could not be read"):
        received(study)
    core = open_core(study, f"sqlite:///{tmp_path / 'other.sqlite'}")
    core.store.engine.dispose()
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(InputError, match="to the last setting"):
        received(write_study(other, CASES[2].study, people=100), f"sqlite:///{tmp_path / 'other.sqlite'}")


def test_a_study_whose_people_were_changed_is_refused(tmp_path):
    changed = Crowded("public-tree", "split", "none").study
    core = open_core(write_study(tmp_path, changed, people=100), f"sqlite:///{tmp_path / 'study.sqlite'}")
    core.worker.advance()
    core.store.engine.dispose()
    study = write_study(tmp_path, changed, people=200)
    with pytest.raises(InputError, match="began with"):
        received(study)
