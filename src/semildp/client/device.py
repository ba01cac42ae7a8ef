"""One person's device: bytes of questions in, bytes of reports out, and a ledger that adds up what they cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np

from semildp._arrays import Bools, Floats
from semildp._checks import instance_of, short
from semildp.client.answer import answer
from semildp.client.ledger import Ledger
from semildp.client.questions import QuestionId
from semildp.client.rows import enrol, ready
from semildp.errors import refusal
from semildp.sources import Source, SystemSource
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.columns import Enrolled
from semildp.wire.costs import own_cost
from semildp.wire.messages import Question
from semildp.wire.people import raw_label, raw_row, write_enrolment, write_report
from semildp.wire.problems import WireError
from semildp.wire.verify import verify


class Device:
    """Answers the questions of one study for one person.

    A question is read from its bytes, checked (its thresholds must keep its epsilon), paid for in the ledger under the
    digest of these bytes, and answered with the epsilon that was paid. Asked again, it gets the same bytes for nothing.
    All questions of the study together, however many are asked, cost at most the study's epsilon.

    Parameters
    ----------
    study
        The study.
    values
        The person's features in the study's order: numbers, or values of categories; None is missing.
    label
        The person's label: a number, or one of the study's classes; what is neither is missing. None without a label.
    hidden
        Names of the features the person keeps private; those the study forces are so anyway.
    ledger
        What this person has spent and may spend, in all studies.
    source
        Randomness; the operating system's. A seeded one is for simulation.
    """

    def __init__(
        self,
        study: Study,
        values: Sequence[float | str | None],
        label: float | str | None,
        hidden: Collection[str],
        ledger: Ledger,
        source: Source | None = None,
    ) -> None:
        named = isinstance(hidden, list | tuple | set | frozenset)
        instance_of("study", study, Study)
        instance_of("ledger", ledger, Ledger)
        unknown = [name for name in hidden if name not in study.names] if named else type(hidden).__name__
        if unknown:
            raise refusal("hidden", f"names among {short(list(study.names))}", short(unknown))
        if not isinstance(values, list | tuple) or len(values) != len(study.features):
            got = len(values) if isinstance(values, list | tuple) else type(values).__name__  # the values are private
            raise refusal("values", f"a list with one per feature, {len(study.features)}", got)
        self.study, self.ledger = study, ledger
        self._source = SystemSource() if source is None else source
        self._row: Floats = raw_row(study, values)[None]
        self._label: Floats = np.array([raw_label(study, label)])
        self._mask: Bools = np.array([[name in set(hidden) for name in study.names]])

    def enrol(self) -> bytes:
        """Return the bytes of the enrolment: what the person makes public."""
        return encode(write_enrolment(self.study, self._public(), 0))

    def answer(self, question: bytes) -> bytes:
        """Return the bytes of the report, new or as it was sent before; refuse what cannot be paid for or trusted."""
        asked, name = decode(question, Question), digest(question)
        public = self._public()
        verify(self.study, asked, int(public.mask.sum()))
        cost = own_cost(asked, self.study, public)

        def report(_: float = 0.0) -> bytes:
            self._refuse_beyond(cost)
            people = ready(self.study, self._row, self._label, self._mask, self._source)
            return encode(write_report(name, answer(self.study, asked, people, self._source), 0))

        if cost == 0:
            return report()  # what is public knowledge is sent as it is
        return self.ledger.answer(QuestionId(self.study.name, asked.wave, name), cost, report)

    def _public(self) -> Enrolled:
        return enrol(ready(self.study, self._row, self._label, self._mask, self._source))

    def _refuse_beyond(self, cost: Fraction) -> None:
        """Refuse what the study's questions would cost above its epsilon; the ledger lets nobody in between."""
        spent = sum((s.epsilon for s in self.ledger.sent if s.question.study == self.study.name), Fraction(0))
        if spent + cost > Fraction(self.study.epsilon):
            most, so_far = f"the study's epsilon {self.study.epsilon!r}", f"{float(spent)!r} is spent on it"
            raise WireError("too-costly", f"{float(cost)!r} is more than what is left of {most}: {so_far}")
