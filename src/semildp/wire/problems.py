"""Everything that can be wrong with a message, by name: a closed list that other implementations can rely on."""

from __future__ import annotations

from semildp.errors import InputError

PROBLEMS: dict[str, str] = {
    "not-json": "the bytes are not one JSON text in UTF-8",
    "duplicate-field": "a field is named twice",
    "not-finite": "a number is NaN, infinite or too large for 64-bit floating point",
    "too-large": "the message is longer than any honest one",
    "wrong-message": "it is another kind of message",
    "wrong-version": "it is of a version that is not known here",
    "unknown-field": "it has a field that is not known",
    "missing-field": "a field is missing",
    "wrong-type": "a field holds something of another type",
    "out-of-domain": "a value lies outside its public domain",
    "wrong-study": "it belongs to another study",
    "wrong-question": "it answers another question",
    "broken-claim": "the thresholds do not keep the stated epsilon",
    "too-costly": "it costs more than the study allows",
    "wrong-count": "it has too many or too few answers or marks",
    "not-a-candidate": "it marks a cell the person cannot be in",
    "repeated-mark": "it marks something twice, or not in rising order",
}


class WireError(InputError):
    """A message that is refused; `problem` is one of PROBLEMS."""

    def __init__(self, problem: str, detail: str = "") -> None:
        self.problem, self.detail = problem, detail
        super().__init__(f"The message is refused ({problem}): {detail or PROBLEMS[problem]}.")

    def __reduce__(self) -> tuple[type[WireError], tuple[str, str]]:
        return WireError, (self.problem, self.detail)
