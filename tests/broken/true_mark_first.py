"""A report lists the true mark first, if it is among the marks; which marks there are is as stated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp.audit import Part, Visit, columns
from semildp.audit.visits.listing import listing
from semildp.audit.visits.parts import as_outputs
from semildp.mechanisms import PairResponse
from semildp.sources import Source

CODE = PairResponse(1.0, 4, 2, "subset")
Reordered = Callable[[np.ndarray, np.ndarray, int, Source], np.ndarray]


def truth_first(person: np.ndarray, value: np.ndarray, truth: int, source: Source) -> np.ndarray:
    return np.lexsort((value != truth, person))


def visit(name: str, reordered: Reordered) -> Visit:
    """Return a visit of people with one private value, whose marks are listed as `reordered` says."""

    def send(truth: int, n: int, source: Source) -> np.ndarray:
        person, value = CODE.send(np.full(n, truth // 2), np.full(n, truth % 2), source)
        order = reordered(person, value, truth, source)
        person, value = person[order], value[order]
        return columns(as_outputs(CODE, person, value, n), listing(person, value, n))

    part = Part(CODE.mechanism, lambda v: v, lambda sent: sent[:, :8])
    return Visit(name, 1.0, (0, 3, 7), send, (part,), listed=lambda sent: (sent[:, :8], sent[:, 8:]))


def build() -> Visit:
    return visit("true mark first", truth_first)
