"""The list of planted faults is current: every text to replace is there once, every named test exists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.mutants.__main__ import main
from tests.mutants.listed import ROOT, problems, read_faults

FAULTS = read_faults()


def test_every_fault_can_be_planted_and_its_tests_exist():
    assert problems(FAULTS) == []


def test_there_are_many_in_every_room():
    planted = [fault for fault in FAULTS if not fault.equivalent]
    assert len(planted) >= 150
    touched = {fault.file.split("/")[2] for fault in planted}
    rooms = {"mechanisms", "client", "wire", "curator", "protocols", "estimators", "partition", "models"}
    assert rooms | {"simulate.py", "explain.py", "sources.py", "budgets.py", "domains.py"} <= touched


def test_no_fault_s_tests_are_about_readme_or_docs():
    assert not {test for fault in FAULTS for test in fault.tests if "test_docs" in test or "README" in test}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"old": "no such text"}, "exactly once"),
        ({"old": "e"}, "exactly once"),
        ({"file": "src/semildp/gone.py"}, "exactly once"),
        ({"tests": ("tests/test_sources.py::test_gone",)}, "no such test"),
        ({"tests": ()}, "must name a test"),
        ({"new": FAULTS[0].old}, "must differ"),
    ],
)
def test_what_is_out_of_date_is_said(change, says):
    (problem,) = problems([replace(FAULTS[0], **change)])
    assert problem.startswith(FAULTS[0].id)
    assert says in problem


def test_the_list_is_printed_and_unknown_ids_are_refused(capsys):
    assert main(["--list", "--only", FAULTS[0].id]) == 0
    assert FAULTS[0].leaks in capsys.readouterr().out
    assert main(["--only", "X99"]) == 1
    assert "no such fault" in capsys.readouterr().err


def test_a_fault_is_planted_and_caught_and_one_that_changes_nothing_survives(monkeypatch, capsys):
    """Two small runs of pytest in a copy, of a file that imports little; the source itself is not touched."""
    fault = next(fault for fault in FAULTS if fault.id == "B02")
    before = (ROOT / fault.file).read_text()
    harmless = replace(fault, id="X1", new=fault.old + "  # no fault at all")
    monkeypatch.setattr("tests.mutants.__main__.read_faults", lambda: [fault, harmless])
    assert main(["--jobs", "1"]) == 1
    printed = capsys.readouterr().out
    assert "1 of 2 planted faults are caught" in printed
    assert "Not caught: X1." in printed
    assert (ROOT / fault.file).read_text() == before
