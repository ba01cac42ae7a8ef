"""What people's answers are drawn with: everybody answers alone, and the mechanisms are watched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from semildp import client, mechanisms
from semildp.backends import fold
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Collected, State, Wave
from semildp.protocols import conduct, protocol_of
from semildp.study import Study
from semildp.wire.columns import Marks
from tests.flow.studies import streams
from tests.test_mechanisms import mechanism_classes


def drawn_with(patch: pytest.MonkeyPatch) -> list[float]:
    """Return a list that grows by the epsilon of everything that is drawn by one person, alone.

    A cell that is the only candidate is sent without noise and counts nothing. Of Laplace noise on a vector, entries
    count as often as they change: two of the indicators, one label.
    """
    found: list[float] = []
    for name in mechanism_classes():
        _watch(patch, getattr(mechanisms, name), found)
    return found


def _watch(patch: pytest.MonkeyPatch, kind: Any, found: list[float]) -> None:
    def watched(self: Any, values: Any, source: Any, own: Any = kind.randomise) -> Any:
        sizes = getattr(self, "n_candidates", None)
        if isinstance(sizes, np.ndarray):
            found.extend([self.epsilon] * int((sizes > 1).sum()))
        elif kind.__name__ == "DiscreteLaplace" and len(values) > 1:
            indicators = set(np.asarray(values).tolist()) <= {0, self.steps}
            found.append(self.epsilon * (2 if indicators else 1))
        else:
            found.append(self.epsilon)
        return own(self, values, source)

    patch.setattr(kind, "randomise", watched)


def one_by_one(
    study: Study, X: Any, y: Any, mask: Any, patch: pytest.MonkeyPatch
) -> tuple[State, Transcript, list[float]]:
    """Simulate with everybody answering alone; return state, transcript, and what each was drawn with, in all."""
    sources = streams(study)
    ready = client.ready(study, X, y, mask, sources["fill"])
    state, found, each = State(study, client.enrol(ready), sources), drawn_with(patch), [0.0] * len(X)

    def collect(wave: Wave) -> Collected:
        answers = []
        for asked in wave.asked:
            parts = []
            for i, person in enumerate(asked.people.tolist()):
                found.clear()
                centres = None if asked.centres is None else asked.centres[i : i + 1]
                alone = ready[np.array([person])]
                parts.append(client.answer(study, asked.question, alone, sources[wave.stream], centres))
                each[person] += sum(found)
            answers.append(tuple(Marks.concatenate(list(marks)) for marks in zip(*parts, strict=True)))
        if wave.tally is None:
            return Collected(wave, tuple(answers))
        batches = [state.batch(a, slice(None), sent) for a, sent in zip(wave.asked, answers, strict=True)]
        return Collected(wave, totals=fold(wave.tally, batches))

    _, transcript = conduct(protocol_of(study), state, collect)
    return state, transcript, each
