"""What estimators really send, end to end: reports are taken where `fit` makes them, and audited from outside.

The audited people all have one input; what they are asked depends on others only. In the paper's method the partition
does not depend on labels (max-edge); in SemiPrivateRegressor they all answer in the second wave, whose questions come
from people who hide nothing, who answer in the first. False alarm of an audit at most 1e-6, and the seeds are fixed.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from semildp import HistOfTreeRegressor, SemiPrivateRegressor, simulate
from semildp.audit import Audited, Visit, audit_visit, columns
from semildp.audit.visits.listing import listing
from semildp.curator.waves import Asked
from semildp.protocols import semi_private
from semildp.protocols.cohorts import Stage
from semildp.sources import SeededSource, Source
from semildp.wire.columns import Marks
from semildp.wire.messages import AskSigned

BOUNDS: dict[str, Any] = {"label_bounds": (0.0, 1.0), "feature_bounds": [(0.0, 1.0)] * 3}
OTHERS = 2000
WIDTH = 128  # no report marks a symbol beyond
INPUTS = ((0.1, 0.1, 0.0), (0.9, 0.9, 1.0), (0.1, 0.9, 1.0), (0.9, 0.1, 0.0))  # two private features, label


def data(person: tuple[float, float, float], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, labels and mask of people who hide nothing, and after them of n who hide two features of three."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(OTHERS, 3)), rng.uniform(size=OTHERS)
    first, second, label = person
    X = np.concatenate([X, np.tile([first, 0.7, second], (n, 1))])
    mask = np.zeros(X.shape, dtype=bool)
    mask[OTHERS:, [0, 2]] = True
    return X, np.concatenate([y, np.full(n, label)]), mask


def recorded(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    """Keep what a client function returns to an estimator."""
    own, kept = getattr(module, name), list[Any]()

    def report(*args: Any, **options: Any) -> Any:
        kept.append(own(*args, **options))
        return kept[-1]

    monkeypatch.setattr(module, name, report)
    return kept


def paper(monkeypatch: pytest.MonkeyPatch, epsilon: float) -> Any:
    kept = recorded(monkeypatch, simulate, "answer")

    def send(person: tuple[float, float, float], n: int, source: Source) -> np.ndarray:
        kept.clear()
        X, y, mask = data(person, n)
        seed = int(source.words(1)[0] >> np.uint64(33))
        shape = {"depth": 2, "bins": 2, "splitter": "max-edge", "n_histogram_features": 1}
        model = HistOfTreeRegressor.paper(epsilon, random_state=seed, **shape, **BOUNDS).fit(X, y, mask=mask)
        labels, marked = kept[0][0].value, np.concatenate([answers[0].value for answers in kept[1:]])
        own = model.partition_.cell(np.array([[a, 0.7, b] for a, b, _ in INPUTS]))  # cells have other numbers each time
        return columns(labels[OTHERS:], marked[OTHERS:, None] == own)

    return send


def pairs(monkeypatch: pytest.MonkeyPatch, epsilon: float) -> Any:
    kept = recorded(monkeypatch, simulate, "_collect")

    def send(person: tuple[float, float, float], n: int, source: Source) -> np.ndarray:
        kept.clear()
        X, y, mask = data(person, max(n, 8000))  # with fewer nobody would be asked about private features
        people = np.arange(len(X))
        waves = (Stage("label", people[:OTHERS]), Stage("residual", people[OTHERS:]))
        monkeypatch.setattr(semi_private, "stages", lambda *args, **options: waves)
        seed = int(source.words(1)[0] >> np.uint64(33))
        learner = LinearRegression()  # what is sent is looked at, not what is learned
        SemiPrivateRegressor(epsilon, learner=learner, random_state=seed, **BOUNDS).fit(X, y, mask=mask)
        _, second = kept
        return np.concatenate(
            [_laid_out(asked, sent[0], n) for asked, sent in zip(second.wave.asked, second.answers, strict=True)]
        )

    return send


def _laid_out(asked: Asked, marks: Marks, n: int) -> np.ndarray:
    """Return what the first n of the audited people sent who were asked this question, in which bins, by which signs.

    A residual alone, with one or two features' bins or turned round by them: all take as many columns.
    """
    mine = asked.people < OTHERS + n
    marks, (ask,) = marks.only(mine), asked.question.asks
    rows = np.zeros((len(marks), WIDTH), dtype=np.int64)
    rows[marks.person, marks.value] = 1
    listed = listing(marks.person, marks.value, len(marks))
    features, bins = ([*each, -1, -1][:2] for each in (ask.partition.features, ask.partition.bins))
    signs = crc32(repr(ask.signs).encode()) if isinstance(ask, AskSigned) else -1
    return columns(rows, listed, np.tile([*features, *bins, signs], (len(marks), 1)))


def audited(send: Any) -> Audited:
    return audit_visit(Visit("an estimator", 2.0, INPUTS[:2], send), source=SeededSource(1), trials=1 << 14)


@pytest.mark.parametrize("build", [paper, pairs])
def test_what_an_estimator_sends_keeps_epsilon(build, monkeypatch):
    found = audited(build(monkeypatch, 2.0))
    assert found.ok, found.findings
    assert found.bound.epsilon > 0.5, "The audit saw nothing: it does not look at what is sent."


def test_an_estimator_that_spends_twice_is_caught(monkeypatch):
    assert "lower bound" in audited(paper(monkeypatch, 4.0)).caught_by
