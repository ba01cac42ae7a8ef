"""What a device remembers: every report it has sent, what each cost, and the limit its owner has set."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from semildp.client.ledger_file import ledger_text, parse_ledger, read_file, write_file
from semildp.client.questions import Number, QuestionId, Sent, exact, float_at_most
from semildp.errors import LimitError, refusal


class Ledger:
    """One person's spending. A question is answered once; asked again, the same bytes are sent and nothing is spent.

    Costs add up (sequential composition) in exact arithmetic. A float stands for the decimal number it prints as, so
    that ten questions of 0.1 fit a limit of 1. Only reports and public names are kept, never a private value. What is
    kept does not tell more than the curator already has; who loses it spends anew.

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
        self._sent: dict[QuestionId, Sent] = {}

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
        return sum((entry.epsilon for entry in self._sent.values()), Fraction(0))

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self.limit - self.spent

    def spent_in(self, study: str) -> Fraction:
        """What the reports to one study cost."""
        return sum((entry.epsilon for entry in self._sent.values() if entry.question.study == study), Fraction(0))

    def answer(self, question: QuestionId, epsilon: Number, make_report: Callable[[float], bytes]) -> bytes:
        """Return the report to send: the one sent before, or a new one if the limit allows it.

        Parameters
        ----------
        question
            Which question it is.
        epsilon
            What an answer costs. The same question at another price is refused.
        make_report
            Draws the report. It is given the epsilon to spend: the largest float that is not above the cost. If it
            raises, nothing was sent and nothing is spent.
        """
        if not isinstance(question, QuestionId):
            raise refusal("question", "a QuestionId", repr(question)[:60])
        cost = exact("epsilon", epsilon)
        known = self._sent.get(question)
        if known is not None:
            if known.epsilon != cost:
                raise refusal("epsilon", f"{known.epsilon}, as when this question was first answered", cost)
            return known.report
        self._refuse_beyond(cost)
        report = make_report(float_at_most(cost))
        if not isinstance(report, bytes):
            raise refusal("make_report", "a function that returns bytes", f"one that returned {type(report).__name__}")
        self._refuse_beyond(cost)  # it may have used this ledger itself
        self._sent[question] = Sent(question, cost, report)
        return report

    def _refuse_beyond(self, cost: Fraction) -> None:
        if self.spent + cost > self.limit:
            raise LimitError(
                f"`epsilon` must be at most what is left of the limit, {_short(self.left)} of {_short(self.limit)}. "
                f"Got {_short(cost)}. Do not answer, or let the person raise the limit."
            )

    def to_json(self) -> str:
        """Return the ledger as JSON; numbers are fractions, reports are base64."""
        return ledger_text(self.limit, self.sent)

    @classmethod
    def from_json(cls, text: str) -> Ledger:
        """Rebuild a ledger; what is damaged, unknown, of another version or beyond its own limit is refused."""
        limit, sent = parse_ledger(text)
        ledger = cls(limit)
        ledger._sent = {entry.question: entry for entry in sent}
        return ledger

    def write(self, path: str | Path) -> None:
        """Save to a file, before anything is sent; an interruption leaves the old file or the new one."""
        write_file(path, self.to_json())

    @classmethod
    def read(cls, path: str | Path) -> Ledger:
        """Read a ledger from a file."""
        return cls.from_json(read_file(path))


def _short(number: Fraction) -> str:
    return f"{float(number):g}"
