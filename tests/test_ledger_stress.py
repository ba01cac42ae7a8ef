"""Threads and processes on one ledger, killed at random, and three careless ledgers that this has to expose."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.ledger_check import check
from benchmarks.ledger_worker import IN_USE, OPENED, REPORT, STRANGE, Log, Terms

ROOT = Path(__file__).parent.parent


def stress(*arguments):
    """Run the program: its processes must not be forked from pytest, which has threads."""
    command = [sys.executable, "-m", "benchmarks.ledger", "--threads", "6", "--processes", "4", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_a_few_seconds_of_threads_processes_and_kills():
    """Only what must never happen is checked, so a slow machine passes as a fast one does."""
    done = stress("--seconds", "3", "--questions", "100")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Rules broken: 0.\n")


@pytest.mark.parametrize("careless", ["unlocked", "late", "hasty"])
def test_a_careless_ledger_is_exposed(careless):
    """One run breaks dozens of rules. Where a machine is so slow that nothing happened, it is tried again."""
    for _ in range(10):
        done = stress("--seconds", "2", "--questions", "60", "--opener", f"tests.careless_ledgers:{careless}")
        assert done.returncode in (0, 1), done.stderr
        if done.returncode == 1:
            break
    assert done.returncode == 1, "never exposed"
    assert "Question" in done.stdout


@pytest.fixture
def terms(tmp_path):
    return Terms(str(tmp_path), "semildp.client:Ledger.open", 1, time.monotonic(), 1.0, 8)


def answered(terms, number, report):
    with terms.open() as ledger:
        return ledger.answer(terms.question(number), terms.cost(number), lambda epsilon: report)


def lines(terms, name, *rows):
    log = Log(Path(terms.folder, f"{name}.log"))
    for row in rows:
        log.write(*row)


def test_the_check_counts_and_lets_sound_logs_pass(terms):
    answered(terms, 0, b"a")
    answered(terms, 3, b"recorded, but killed before it was handed out")
    lines(terms, "1", (OPENED,), (IN_USE,), (REPORT, 0, b"a".hex()))
    lines(terms, "2", (REPORT, 0, b"a".hex()))
    Path(terms.folder, "3.log").write_text(f"{OPENED}\n{REPORT} 5 ab")  # killed in the middle of a line
    verdict = check(terms)
    assert verdict.violations == []
    assert dict(verdict.counts) == {OPENED: 2, IN_USE: 1, REPORT: 2, "recorded": 2, "handed out": 1}


def test_the_check_knows_every_rule(terms):
    answered(terms, 0, b"a")
    answered(terms, 1, b"b")
    lines(terms, "1", (REPORT, 0, b"a".hex()), (REPORT, 1, b"c".hex()), (REPORT, 2, b"d".hex()))
    lines(terms, "2", (REPORT, 0, b"e".hex()), (STRANGE, "a problem"))
    assert check(terms).violations == [
        "Question 0 was answered by 2 different reports.",
        "Question 0 was answered otherwise than the ledger says.",
        "Question 1 was answered otherwise than the ledger says.",
        "Question 2 was answered and is not in the ledger.",
        "More was spent than the ledger has recorded, or than the limit allows.",
        "A process met what it should not: a problem",
    ]


def test_the_check_knows_what_questions_cost(terms):
    with terms.open() as ledger:
        ledger.answer(terms.question(0), Fraction(1, 7), lambda epsilon: b"")
    assert check(terms).violations == ["What the ledger has spent is not the sum of what its questions cost."]
