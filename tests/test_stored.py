"""Reports that were written to files and read back give the same model, to the last bit, for every protocol."""

from __future__ import annotations

import pytest

from semildp.backends import Serial, Threads
from semildp.stored import fit_reports
from semildp.stored import parts as parts_of_files
from tests.programs.studies import cases
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
