"""Scores that rank what was sent by how much it speaks for one input against another.

The stated log ratio is the best of them where a law is stated and true. The learned ones are there for black boxes, and
for laws that are not true: they are read off how often each code was sent under each input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats, Ints
from semildp.audit.search.columns import Coder, as_columns
from semildp.audit.visits.visit import Outputs, Visit

Input = TypeVar("Input")
Score = Callable[[Outputs, list[Ints]], Floats]

STATED = "stated log ratio"


class Scorer(Generic[Input]):
    """All scores for a visit, learned from samples of every input.

    Parameters
    ----------
    visit
        What is audited.
    samples
        What was sent under each input of the visit.
    """

    def __init__(self, visit: Visit[Input], samples: Sequence[NDArray[Any]]) -> None:
        rows = [as_columns(sample) for sample in samples]
        self._visit, self._coder = visit, Coder.learn(np.concatenate(rows))
        sizes = [*self._coder.sizes, *([self._coder.joint_size] if self._coder.joint_size else [])]
        self._tables = [
            [_log_shares(code, size) for code, size in zip(self._coder.codes(r), sizes, strict=True)] for r in rows
        ]

    def codes(self, sent: Outputs) -> list[Ints]:
        """Return the codes of what was sent; learned scores of any pair are read off them."""
        return self._coder.codes(as_columns(sent))

    def stated(self, one: int, sent: Outputs) -> Floats:
        """Return the stated log ratios of one input against each of all: one row per input, 0 where none is stated."""
        return self._stated(sent, self._visit.inputs[one], self._visit.inputs)

    def _stated(self, sent: Outputs, one: Input, others: Sequence[Input]) -> Floats:
        ratios = self._visit.log_ratios(sent, one, others)
        return np.round(ratios, 9, out=ratios)  # outputs that tell the same must not differ by rounding

    def scores(self, one: int, other: int) -> dict[str, Score]:
        """Return the scores for a pair of inputs, by name: functions of what was sent and of its codes."""
        a, b = self._visit.inputs[one], self._visit.inputs[other]
        gains = [p - q for p, q in zip(self._tables[one], self._tables[other], strict=True)]
        n_codes = len(self._coder.cuts)

        def by_code(sent: Outputs, codes: list[Ints]) -> Floats:
            pairs = zip(gains[:n_codes], codes[:n_codes], strict=True)
            return np.asarray(sum((g[c] for g, c in pairs), np.zeros(len(sent))))

        def jointly(sent: Outputs, codes: list[Ints]) -> Floats:
            return np.asarray(gains[-1][codes[-1]])

        def stated(sent: Outputs, codes: list[Ints]) -> Floats:
            return np.asarray(self._stated(sent, a, [b])[0])

        found: dict[str, Score] = {STATED: stated} if self._visit.parts else {}
        if n_codes:
            found["learned log ratio"] = by_code
        if self._coder.joint_size is not None:
            found["learned joint log ratio"] = jointly
        return found


def _log_shares(code: Ints, size: int) -> Floats:
    """Return the log of how often each code was sent, half a time added."""
    return np.asarray(np.log(np.bincount(code, minlength=size) + 0.5))
