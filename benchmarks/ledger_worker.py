"""One of the processes that compete for a ledger: opens it, answers from many threads, is killed at any moment.

Its log is what a curator would have received: one line per report, written after the report was handed out.
"""

from __future__ import annotations

import importlib
import os
import random
import threading
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from semildp import InputError, LimitError
from semildp.client import Ledger, QuestionId

OPENED, IN_USE, LIMIT, STRANGE, REPORT = "opened", "in-use", "limit", "strange", "report"


@dataclass(frozen=True)
class Terms:
    """What all processes of one run agree on.

    The questions become known one after the other, evenly over the run, so that new ones are answered, and raced for,
    until its end. The limit is reached when three quarters of them are answered.
    """

    folder: str
    opener: str
    threads: int
    start: float
    seconds: float
    n_questions: int

    @property
    def place(self) -> Path:
        """Where the ledger lives."""
        return Path(self.folder, "ledger.json")

    @property
    def limit(self) -> Fraction:
        """What may be spent."""
        return sum((self.cost(i) for i in range(self.n_questions * 3 // 4)), Fraction(0))

    def question(self, number: int) -> QuestionId:
        """Return a question by its number."""
        return QuestionId.of(f"study {number % 7}", 1, f"question {number}")

    def cost(self, number: int) -> Fraction:
        """Return what its answer costs."""
        return Fraction(1 + number % 5, 10)

    def pick(self) -> int:
        """Return a random question of those known so far; every second time, one of the latest twenty."""
        passed = (time.monotonic() - self.start) / self.seconds
        known = min(self.n_questions, 1 + int(passed * self.n_questions))
        return random.randrange(max(0, known - 20) if random.random() < 0.5 else 0, known)

    def open(self) -> Ledger:
        """Open the ledger, by the function that the run names as module:function."""
        module, name = self.opener.split(":")
        call: Any = importlib.import_module(module)
        for part in name.split("."):
            call = getattr(call, part)
        ledger: Ledger = call(self.place, self.limit)
        return ledger


class Log:
    """Lines that are with the kernel when `write` returns, whatever happens to this process."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, *words: object) -> None:
        """Append one line, in one call."""
        os.write(self._descriptor, (" ".join(str(word) for word in words) + "\n").encode())


def work(terms: Terms, log_path: Path) -> None:
    """Open, answer for a moment, close, and again, until killed."""
    random.seed()
    log, holder = Log(log_path), Path(terms.folder, "holder")
    while True:
        try:
            ledger = terms.open()
        except InputError as refused:
            log.write(*((IN_USE,) if "is in use" in str(refused) else (STRANGE, refused)))
            time.sleep(random.uniform(0.002, 0.05))
            continue
        log.write(OPENED)
        holder.write_text(str(os.getpid()))
        stop = time.monotonic() + random.uniform(0.02, 0.4)
        threads = [threading.Thread(target=_answer, args=(terms, ledger, log, stop)) for _ in range(terms.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ledger.close()
        time.sleep(random.uniform(0, 0.05))


def _answer(terms: Terms, ledger: Ledger, log: Log, stop: float) -> None:
    while time.monotonic() < stop:
        number = terms.pick()
        question, cost = terms.question(number), terms.cost(number)

        def draw(epsilon: float, question: QuestionId = question, cost: Fraction = cost) -> bytes:
            if random.random() < 0.05:  # some reports ask the ledger again
                ledger.answer(question, cost, lambda epsilon: os.urandom(16))
            return os.urandom(16)

        try:
            report = ledger.answer(question, cost, draw)
            log.write(REPORT, number, report.hex())
        except LimitError:
            log.write(LIMIT)
        except Exception as problem:
            log.write(STRANGE, repr(problem))
        time.sleep(random.uniform(0, 0.004))
