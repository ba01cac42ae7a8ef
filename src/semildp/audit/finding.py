"""What a check says: the claim survived it, or not, and the figure that decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Parameters
    ----------
    check
        Name of the check.
    ok
        Whether the claim survived it.
    figure
        The number that decided: an epsilon or a p-value; None where the check is a plain yes or no.
    sentence
        The same in words.
    """

    check: str
    ok: bool
    figure: float | None
    sentence: str


class ViolationError(AssertionError):
    """A claim did not survive a check; the sentence says which, and by how much."""


def require(ok: object, sentence: str) -> None:
    """Raise unless `ok`. Unlike `assert` it is still there under `python -O`."""
    if not ok:
        raise ViolationError(sentence)


def find(name: str, check: Callable[[], float | None], passed: str = "As stated.") -> Finding:
    """Run a check that raises ViolationError, and return what it found."""
    try:
        return Finding(name, True, check(), passed)
    except ViolationError as violation:
        return Finding(name, False, None, str(violation))
