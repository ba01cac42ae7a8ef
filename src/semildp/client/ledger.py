"""What a device remembers: every report it has sent, what each cost, and the limit its owner has set."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import NoReturn, Self

from semildp.budgets import Number, exact, float_at_most
from semildp.client.ledger_file import LedgerFile
from semildp.client.ledger_text import ledger_bytes, parse_ledger
from semildp.client.questions import QuestionId, Sent, within
from semildp.errors import InputError, LimitError, refusal


class Ledger:
    """One person's spending. A question is answered once; asked again, the same bytes are sent and nothing is spent.

    Checking the limit, drawing the report and recording it are one step, whatever number of threads ask.
    `Ledger(limit)` is kept in memory, for simulation. A device uses `Ledger.open(path, limit)`: there a report is in
    the file, and the file on the disk, before it is handed out, and no second process can use the file.

    Costs add up over all studies (sequential composition) in exact arithmetic. A float stands for the decimal number it
    prints as, a fraction for itself; a total above the limit by one part in 10**12 counts as within it, so that ten
    questions of 0.1 fit a limit of 1 either way. Only reports and public names are kept, never a private
    value. What is kept does not tell more than the curator already has; who loses it spends anew.

    Parameters
    ----------
    limit
        The most this person is willing to spend, on all studies together.

    Examples
    --------
    >>> from semildp.client import Ledger, QuestionId
    >>> ledger = Ledger(limit=1.0)
    >>> question = QuestionId.of("health 2025", 1, '{"ask": "label"}')
    >>> ledger.answer(question, 0.4, lambda epsilon: b"noisy")
    b'noisy'
    >>> ledger.answer(question, 0.4, lambda epsilon: b"never called")
    b'noisy'
    >>> ledger.left
    Fraction(3, 5)
    """

    def __init__(self, limit: Number) -> None:
        self._limit = exact("limit", limit)
        self._sent: dict[QuestionId, Sent] = {}  # replaced, never changed, so that it can be read at any moment
        self._file: LedgerFile | None = None
        self._closed = self._recording = False
        self._process = os.getpid()
        self._one_at_a_time = threading.RLock()

    @classmethod
    def open(cls, path: str | os.PathLike[str], limit: Number | None = None) -> Self:
        """Read the ledger that lives in a file, or begin one there; hold it until `close`, or the end of a `with`.

        Parameters
        ----------
        path
            Where it lives, on a local disk. While it is open, another process, or a second `open`, is refused.
        limit
            The limit of a new ledger. An existing one has its limit, and another is refused: see `change_limit`.
        """
        wanted = None if limit is None else exact("limit", limit)
        file = LedgerFile(path)
        try:
            content = file.load()
            if content is not None:
                stored, sent = parse_ledger(content)
            elif wanted is not None:
                stored, sent = wanted, []
            else:
                raise refusal(
                    "limit", "given for a new ledger", "None", f"There is no ledger at {os.fspath(path)} yet."
                )
            if wanted not in (None, stored):
                raise refusal("limit", f"{stored}, as in the ledger, or None", wanted, "Or use `change_limit`.")
            ledger = cls(stored)
            ledger._file = file
            ledger._sent = {entry.question: entry for entry in sent}
            if content is None:
                ledger._record(ledger._sent, stored)
        except BaseException:
            file.close()
            raise
        return ledger

    @property
    def limit(self) -> Fraction:
        """The most that may be spent."""
        return self._limit

    @property
    def sent(self) -> tuple[Sent, ...]:
        """Every report sent, in order."""
        return tuple(self._sent.values())

    @property
    def spent(self) -> Fraction:
        """What all reports together cost."""
        return sum((entry.epsilon for entry in self.sent), Fraction(0))

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return max(self.limit - self.spent, Fraction(0))

    def answer(self, question: QuestionId, epsilon: Number, make_report: Callable[[float], bytes]) -> bytes:
        """Return the report to send: the one sent before, or a new one if the limit allows it.

        A ledger that lives in a file has the report on the disk when this returns. If it cannot be written, this
        raises and nothing is to be sent; what may have reached the disk all the same counts as sent.

        Parameters
        ----------
        question
            Which question it is.
        epsilon
            What an answer costs. The same question at another price is refused.
        make_report
            Draws the report. It is given the epsilon to spend: the largest float that is not above the cost. If it
            raises, nothing was sent and nothing is spent. If it asks the ledger the same question itself, the answer it
            got is the answer, and what it returns is dropped. Other threads wait meanwhile: it must not wait for them.
        """
        if not isinstance(question, QuestionId):
            raise refusal("question", "a QuestionId", repr(question)[:60])
        cost = exact("epsilon", epsilon)
        self._refuse_misuse()  # before waiting: in a child process nobody will ever let go of the lock
        with self._one_at_a_time:
            self._refuse_misuse()
            report = self._known(question, cost)
            if report is None:
                report = self._draw(question, cost, make_report)
            self._settle()
            return report

    def change_limit(self, limit: Number) -> None:
        """Set another limit, which only the person may do; what is spent already must fit it."""
        wanted = exact("limit", limit)
        self._refuse_misuse()
        with self._one_at_a_time, self._recording_alone():
            if not within(self.spent, wanted):
                raise refusal("limit", f"at least {self.spent}, which is spent already", wanted)
            self._record(self._sent, wanted)

    def close(self) -> None:
        """Answer nothing any more, and let another process have the file."""
        if os.getpid() == self._process:
            with self._one_at_a_time:
                self._closed = True
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise InputError(
            "A ledger must not be copied or pickled. Each copy would answer the same question differently."
        )

    def _known(self, question: QuestionId, cost: Fraction) -> bytes | None:
        known = self._sent.get(question)
        if known is None:
            return None
        if known.epsilon != cost:
            raise refusal("epsilon", f"{known.epsilon}, as when this question was first answered", cost)
        return known.report

    def _draw(self, question: QuestionId, cost: Fraction, make_report: Callable[[float], bytes]) -> bytes:
        self._refuse_beyond(cost)
        report = make_report(float_at_most(cost))
        if not isinstance(report, bytes):
            raise refusal("make_report", "a function that returns bytes", f"one that returned {type(report).__name__}")
        with self._recording_alone():
            known = self._known(question, cost)  # it may have used this ledger itself
            if known is not None:
                return known
            self._refuse_beyond(cost)
            self._record({**self._sent, question: Sent(question, cost, report)}, self._limit)
        return report

    @contextmanager
    def _recording_alone(self) -> Iterator[None]:
        """Refuse a second record inside the first, as a signal's handler in the same thread could attempt it."""
        if self._recording:
            raise InputError("A ledger must finish one record before the next. Ask again when it has.")
        self._recording = True
        try:
            yield
        finally:
            self._recording = False

    def _record(self, sent: dict[QuestionId, Sent], limit: Fraction) -> None:
        """Make this the state, in memory as soon as it may be on the disk; it is on the disk when this returns."""
        self._refuse_misuse()
        beside = None if self._file is None else self._file.prepare(ledger_bytes(limit, sent.values()))
        self._sent, self._limit = sent, limit
        if self._file is not None and beside is not None:
            self._file.commit(beside)

    def _settle(self) -> None:
        """Write again what an earlier failure may have kept from the disk."""
        if self._file is not None and not self._file.settled:
            with self._recording_alone():
                self._record(self._sent, self._limit)

    def _refuse_misuse(self) -> None:
        if os.getpid() != self._process:
            raise InputError("A ledger must be used by the process that made it. Open it in the new one instead.")
        if self._closed:
            raise InputError("A ledger must be open to be used. It was closed. Open it again.")

    def _refuse_beyond(self, cost: Fraction) -> None:
        if not within(self.spent + cost, self.limit):
            raise LimitError(
                f"`epsilon` must be at most what is left of the limit, {_short(self.left)} of {_short(self.limit)}. "
                f"Got {_short(cost)}. Do not answer, or let the person raise the limit."
            )


def _short(number: Fraction) -> str:
    return f"{float(number):g}"
