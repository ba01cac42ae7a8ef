"""A ledger asked by many at once: threads, reports that ask again, signals, forks and other processes."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from semildp import InputError, LimitError
from semildp.client import Ledger, QuestionId

FIRST, SECOND = (QuestionId.of("health", 1, f"question {i}") for i in range(2))


@pytest.fixture(params=["memory", "file"])
def ledger(request, tmp_path):
    with Ledger(1) if request.param == "memory" else Ledger.open(tmp_path / "ledger", limit=1) as ledger:
        yield ledger


def ask_at_once(ledger, questions):
    """Ask all questions from threads that start together; a draw takes long enough for all to be under way."""
    drawn, barrier = [], threading.Barrier(len(questions))

    def draw(epsilon):
        time.sleep(0.02)
        drawn.append(os.urandom(8))
        return drawn[-1]

    def ask(question):
        barrier.wait()
        try:
            return ledger.answer(question, 1, draw)
        except LimitError:
            return None

    with ThreadPoolExecutor(len(questions)) as threads:
        return list(threads.map(ask, questions)), drawn


def test_eight_threads_get_the_same_bytes_and_pay_once(ledger):
    answers, drawn = ask_at_once(ledger, [FIRST] * 8)
    assert (set(answers), len(drawn), ledger.spent) == (set(drawn), 1, 1)


def test_eight_threads_with_eight_questions_do_not_pass_the_limit(ledger):
    answers, drawn = ask_at_once(ledger, [QuestionId.of("health", 1, str(i)) for i in range(8)])
    assert len(drawn) == 1
    assert sorted(answers, key=bool) == [None] * 7 + drawn
    assert ledger.spent == 1


def test_a_report_that_asks_again_gets_the_same_bytes_and_pays_once(ledger):
    inner = []

    def draw(epsilon):
        inner.append(ledger.answer(FIRST, 0.5, lambda epsilon: b"inner"))
        return b"outer"

    assert [ledger.answer(FIRST, 0.5, draw) for _ in range(2)] == [b"inner"] * 2
    assert (inner, ledger.spent) == ([b"inner"], Fraction(1, 2))


def test_a_report_that_asks_again_at_another_price_is_refused(ledger):
    with pytest.raises(InputError, match="`epsilon` must be 1/4, as when this question was first answered"):
        ledger.answer(FIRST, 0.5, lambda epsilon: ledger.answer(FIRST, 0.25, lambda e: b"inner"))
    assert ledger.spent == Fraction(1, 4)


def test_a_report_that_never_stops_asking_costs_nothing():
    ledger = Ledger(1)

    def draw(epsilon):
        return ledger.answer(FIRST, 0.5, draw)

    with pytest.raises(RecursionError):
        ledger.answer(FIRST, 0.5, draw)
    assert ledger.sent == ()
    assert ledger.answer(FIRST, 0.5, lambda epsilon: b"first") == b"first"


def test_a_signal_in_the_middle_of_a_record_loses_nothing(tmp_path, monkeypatch):
    """Its handler runs in the same thread, which holds the lock already."""
    place, outcome = tmp_path / "ledger", []

    def handler(*_):
        try:
            outcome.append(ledger.answer(SECOND, 0.5, lambda epsilon: b"second"))
        except InputError as refused:
            outcome.append(str(refused))

    replace = os.replace
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with Ledger.open(place, limit=1) as ledger:
            monkeypatch.setattr(os, "replace", lambda a, b: (signal.raise_signal(signal.SIGUSR1), replace(a, b)))
            assert ledger.answer(FIRST, 0.5, lambda epsilon: b"first") == b"first"
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert outcome == ["A ledger must finish one record before the next. Ask again when it has."]
    with Ledger.open(place) as ledger:
        assert [entry.report for entry in ledger.sent] == [b"first"]


def test_a_closed_ledger_answers_nothing(ledger):
    ledger.answer(FIRST, 0.5, lambda epsilon: b"first")
    ledger.close()
    ledger.close()
    for question in (FIRST, SECOND):
        with pytest.raises(InputError, match=r"^A ledger must be open to be used\."):
            ledger.answer(question, 0.5, lambda epsilon: b"")
    with pytest.raises(InputError, match="must be open"):
        ledger.change_limit(2)


def test_a_report_that_closes_the_ledger_is_not_handed_out(tmp_path):
    with Ledger.open(tmp_path / "ledger", limit=1) as ledger:
        with pytest.raises(InputError, match="must be open"):
            ledger.answer(FIRST, 0.5, lambda epsilon: ledger.close() or b"lost")
        assert ledger.sent == ()


def test_a_ledger_is_not_copied(ledger):
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InputError, match=r"^A ledger must not be copied or pickled\."):
            copied(ledger)


def test_a_second_open_is_refused_until_the_first_is_closed(tmp_path):
    place = tmp_path / "ledger"
    refused = pytest.raises(InputError, match=r"ledger is in use by another process, or was opened twice\. Close it")
    with Ledger.open(place, limit=1), refused:
        Ledger.open(place)
    Ledger.open(place).close()


SCRIPT = """
import os, sys
from semildp import InputError
from semildp.client import Ledger, QuestionId
first, second = (QuestionId.of("health", 1, f"question {i}") for i in range(2))
"""


def python(code, *arguments):
    """Run code in a process of its own."""
    done = subprocess.run([sys.executable, "-c", SCRIPT + code, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_second_process_is_refused_in_a_sentence(tmp_path):
    attempt = """
try:
    Ledger.open(sys.argv[1])
except InputError as refused:
    print(refused)
"""
    with Ledger.open(tmp_path / "ledger", limit=1):
        assert "is in use by another process" in python(attempt, str(tmp_path / "ledger"))


FORKED = """
ledger = Ledger.open(sys.argv[1], limit=1) if len(sys.argv) > 1 else Ledger(1)
ledger.answer(first, 0.5, lambda epsilon: b"first")
child = os.fork()
if not child:
    refused = 0
    for act in (lambda: ledger.answer(second, 0.5, lambda epsilon: b""), lambda: ledger.change_limit(2)):
        try:
            act()
        except InputError as problem:
            refused += str(problem).startswith("A ledger must be used by the process that made it.")
    ledger.close()
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if len(sys.argv) > 1:
    try:
        Ledger.open(sys.argv[1])
    except InputError:
        print("still locked")
ledger.answer(second, 0.5, lambda epsilon: b"second")
ledger.close()
"""


def test_a_child_process_must_not_use_the_ledger_it_inherits(tmp_path):
    assert python(FORKED).split() == ["2"]
    assert python(FORKED, str(tmp_path / "ledger")).splitlines() == ["2", "still locked"]


BUSY = """
import threading, time
ledger = Ledger.open(sys.argv[1], limit=1)
drawing = threading.Event()
def slow(epsilon):
    drawing.set()
    time.sleep(0.5)
    return b"first"
thread = threading.Thread(target=ledger.answer, args=(first, 0.5, slow))
thread.start()
drawing.wait()
child = os.fork()
if not child:
    try:
        ledger.answer(second, 0.5, lambda epsilon: b"")
    except InputError:
        ledger.close()
        os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread.join()
ledger.close()
"""


def test_a_child_forked_while_another_thread_draws_does_not_wait_for_ever(tmp_path):
    assert python(BUSY, str(tmp_path / "ledger")).split() == ["7"]
