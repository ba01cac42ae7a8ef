"""Reports that were written to files and read back give the same model, to the last bit, for every protocol."""

from __future__ import annotations

import pickle
from copy import copy
from dataclasses import fields

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

from semildp.backends import Serial, Threads
from semildp.curator.possible import could_be
from semildp.curator.transcript import Transcript
from semildp.partition import Partition, Tree
from semildp.simulate import simulate
from semildp.stored import fit_reports, open_reports, write_reports
from semildp.stored import parts as parts_of_files
from semildp.wire.columns import Enrolled
from semildp.wire.people import stack
from tests.programs.studies import Case, cases
from tests.stored_files import simulated, written

ALL = list(cases())


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_stored_reports_give_the_simulation_s_model(case, tmp_path, monkeypatch):
    """In files of 50 people that are read 16 at a time."""
    monkeypatch.setattr(parts_of_files, "CHUNK", 16)
    reports = written(case, tmp_path, people=max(50, case.n_people // 4))
    assert reports.n_people == case.n_people
    model = simulated(case).model
    for backend in (Serial(), Threads(2)):
        assert fit_reports(reports, backend).to_json() == model.to_json()


@pytest.mark.parametrize("settings", [{"cell_mechanism": "rr"}, {"label_mechanism": "window", "splitter": "random"}])
def test_other_settings_of_the_paper_s_method(settings, tmp_path):
    """Sets of cells are lists; noise far beyond 32 bits is stored in 64."""
    base = Case("hist-of-tree", "both", "personal")
    study = msgspec.structs.replace(base.study, settings={**base.study.settings, **settings}, epsilon=1e-5)
    found = simulate(study, *base.people(), keep=True)
    reports = open_reports(write_reports(found.state, tmp_path), study)
    kinds = {name: str(kind) for name, kind in zip(*_columns(reports), strict=True)}
    sets = "cell_mechanism" in settings
    assert kinds["visit2_answer1"] == ("list<element: int32>" if sets else "int32")
    assert kinds["visit1_answer1"] == ("int64" if sets else "int32")
    assert fit_reports(reports).to_json() == found.model.to_json()


def _columns(reports):
    schema = pq.read_schema(reports.parts[0].path)
    return schema.names, schema.types


def test_people_who_never_answered_count_as_having_spent_nothing(tmp_path):
    case = Case("hist-of-tree-joint", "split", "personal")
    state = copy(simulated(case).state)
    state.enrolled = stack([state.enrolled, state.enrolled[:7]])
    model = fit_reports(open_reports(write_reports(state, tmp_path)))
    assert model.spent == Transcript.of(state).spent
    assert sum(group.n_people for group in model.spent if group.total == 0) == 7


def test_parts_are_neighbouring_row_groups(tmp_path, monkeypatch):
    (part,) = written(Case("hist-of-tree", "both", "aligned"), tmp_path).parts
    table = pq.read_table(part.path)
    pq.write_table(table, part.path, row_group_size=10)
    monkeypatch.setattr(parts_of_files, "PART", 35)
    reports = open_reports([part.path])
    assert [each.groups for each in reports.parts] == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    assert [len(each) for each in reports.parts] == [40, 40, 40]
    assert fit_reports(reports).to_json() == simulated(Case("hist-of-tree", "both", "aligned")).model.to_json()


def test_a_file_without_people_adds_nothing(tmp_path):
    case = Case("hist-of-tree", "both", "aligned")
    (part,) = written(case, tmp_path).parts
    nobody = tmp_path / "nobody.parquet"
    pq.write_table(pq.read_table(part.path).slice(0, 0), nobody)
    assert fit_reports(open_reports([nobody, part.path])).to_json() == simulated(case).model.to_json()


@pytest.mark.parametrize("mask", ["aligned", "personal", "hidden", "none"])
def test_a_cell_could_be_one_s_own_if_it_is_among_the_candidates(mask):
    case = Case("hist-of-tree", "both", mask)
    rows, _, hidden = case.people()
    tree = Tree((1, 3, -1, -1, 1, -1, -1), (0.5, 0.3, 0.0, 0.0, 0.25, 0.0, 0.0), (1, 3, 0, 0, 5, 0, 0))
    partition = Partition(case.study.bounds, (0, 2), (2, 3), tree)
    enrolled = Enrolled(np.where(hidden, np.nan, rows), hidden)
    person, cell = (axis.ravel() for axis in np.indices((len(rows), partition.n_cells)))
    listed = np.zeros((len(rows), partition.n_cells), dtype=bool)
    listed[partition.candidates(enrolled.public, hidden).cells()] = True
    assert (could_be(partition, enrolled, person, cell) == listed.ravel()).all()
    for k in range(partition.n_cells):
        everyone = np.arange(len(rows))
        assert (could_be(partition, enrolled, everyone, np.full(len(rows), k)) == listed[:, k]).all()


def test_tallies_travel():
    """Whatever adds up reports survives pickling."""
    for case in (Case("hist-of-tree", "both", "aligned"), Case("hist-of-tree-joint", "split", "aligned")):
        state = simulated(case).state
        wave = state.done[-1].wave
        again = state.scan(len(state.done) - 1, pickle.loads(pickle.dumps(wave.tally)))
        for one, other in zip(fields(again), fields(state.done[-1].totals), strict=True):
            assert pickle.dumps(getattr(again, one.name)) == pickle.dumps(getattr(state.done[-1].totals, other.name))
