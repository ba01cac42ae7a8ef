"""People who answer questions about residuals, without the waves before: for tests of what is learnt from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semildp.client import answer, enrol, ready
from semildp.curator.effects.learning import Answered
from semildp.curator.wave_evidence import residual_reports
from semildp.curator.wave_menu import Asking
from semildp.protocols.asks import ask_residual
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.messages import Question

Floats = NDArray[np.float64]
REACH = 3.0  # so far that hardly a residual is cut
SPREAD = 0.1


def study_of(epsilon: float, values: Sequence[int | None]) -> Study:
    """Return a study of features that are numbers on [0, 1], or categories with so many values."""
    words = [None if v is None else tuple(f"v{i}" for i in range(v)) for v in values]
    domains = [Number(0, 1) if w is None else Category(w) for w in words]
    features = tuple(Feature(f"x{j}", domain) for j, domain in enumerate(domains))
    return Study(name="residuals", epsilon=epsilon, label=Number(-10, 10), features=features)


def answers_to(
    study: Study,
    X: Floats,
    residual: Floats,
    hidden: Sequence[int],
    asked: Sequence[Sequence[int] | Asking],
    bins: int,
    seed: int,
) -> list[Answered]:
    """Let people answer: all hide the same features; each is asked one of the questions, all as often."""
    mask = np.zeros(X.shape, dtype=bool)
    mask[:, list(hidden)] = True
    people = ready(study, X, residual, mask, SeededSource(seed))
    found = []
    for k, each in enumerate(asked):
        here = np.arange(k, len(X), len(asked))
        asking = (
            each if isinstance(each, Asking) else Asking(tuple(each), tuple(study.n_values[j] or bins for j in each))
        )
        ask = ask_residual(study, asking, REACH, SPREAD, study.epsilon)
        (marks,) = answer(study, Question(study.digest, 1, (ask,)), people[here], SeededSource(1000 * seed + k))
        found.append(Answered(residual_reports(ask, marks, 1.0), enrol(people)[here]))
    return found
