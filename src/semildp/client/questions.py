"""Questions a device was asked, named by what is public, and the reports it sent."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from fractions import Fraction

from semildp._checks import whole_number
from semildp.errors import refusal

LONGEST_NAME, LAST_ROUND = 200, 2**31
ROOM = Fraction(1, 2**40)  # by which a total may be above its limit, relative to it


@dataclass(frozen=True)
class QuestionId:
    """Which question: public, and the same whenever it is asked.

    Parameters
    ----------
    study
        Name of the study.
    round
        Which round of it, from 1.
    digest
        SHA-256 of the question as it was published, in hexadecimal; see `of`.
    """

    study: str
    round: int
    digest: str

    def __post_init__(self) -> None:
        if not isinstance(self.study, str) or not 0 < len(self.study) <= LONGEST_NAME or _has_surrogates(self.study):
            raise refusal("study", f"a name of 1 to {LONGEST_NAME} characters of Unicode", repr(self.study)[:60])
        object.__setattr__(self, "round", whole_number("round", self.round, 1, LAST_ROUND))
        if not isinstance(self.digest, str) or not re.fullmatch("[0-9a-f]{64}", self.digest):
            raise refusal("digest", "64 hexadecimal digits", repr(self.digest)[:60])

    @classmethod
    def of(cls, study: str, round: int, question: str) -> QuestionId:
        """Name a question by its published text, for instance a partition's JSON."""
        if not isinstance(question, str):
            raise refusal("question", "the text of the question", repr(question)[:60])
        return cls(study, round, hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest())


@dataclass(frozen=True)
class Sent:
    """One report that was sent: the question, what it cost, and the bytes."""

    question: QuestionId
    epsilon: Fraction
    report: bytes


def within(total: Fraction, limit: Fraction) -> bool:
    """Whether a total fits a limit. A limit is a number a person types: one part in 10**12 above it counts as within.

    What a question costs is the binary number that its bytes hold: 0.1 is a little more than a tenth, and ten such
    questions fit a limit of 1. The room is for the total: it does not grow with the number of questions.
    """
    return total <= limit * (1 + ROOM)


def _has_surrogates(text: str) -> bool:
    """Whether some of it is half a character: two halves would come back from a file as one, another name."""
    return any("\ud800" <= character <= "\udfff" for character in text)
