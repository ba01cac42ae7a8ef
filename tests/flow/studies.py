"""Studies with numbers and categories, by simulation and by devices in bytes: all that is seen of each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

from semildp import client
from semildp.curator.intake import question_bytes, take_enrolments, take_reports
from semildp.curator.waves import Collected, State, Wave
from semildp.explain import what_left
from semildp.protocols import conduct, protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Classes, Study
from tests.flow.curator import Given, told
from tests.flow.watched import Words
from tests.programs.studies import Case

CHANGES = ("all others", "all the same", "outside", "missing")


def people(case: Case, n: int) -> tuple[Any, Any, Any]:
    """Some of the case's people, of all masks."""
    X, y, mask = case.people()
    some = slice(None, n * (len(X) // n), len(X) // n)
    return X[some], y[some], mask[some]


def forced(study: Study) -> Study:
    """Return the study with the first feature private to everyone."""
    first, *rest = study.features
    return msgspec.structs.replace(study, features=(msgspec.structs.replace(first, private=True), *rest))


def others(change: str, study: Study, X: Any, y: Any, mask: Any) -> tuple[Any, Any]:
    """Return rows and labels that differ in labels and in private entries, categories included, and nowhere else."""
    rng, bounds = np.random.default_rng(7), study.bounds
    low, high = np.asarray(bounds.low), np.asarray(bounds.high)
    ends = (0.0, 1.0) if study.label is None else ()
    ends = ends or ((0, len(study.classes) - 1) if isinstance(study.label, Classes) else study.label_bounds)
    new, labels = rng.uniform(low, high, size=X.shape), rng.uniform(*ends, size=len(y))
    if isinstance(study.label, Classes):
        labels = np.rint(labels)
    if change == "all the same":
        new, labels = np.tile(low, (len(X), 1)), np.full_like(y, ends[1])
    elif change == "outside":
        new, labels = rng.normal(scale=1e6, size=X.shape), rng.normal(scale=1e6, size=len(y))
    for j, values in enumerate(study.n_values):
        if values is not None:
            new[:, j] = np.rint(np.clip(new[:, j], 0, values - 1))
    if change == "missing":
        new = np.where(rng.uniform(size=X.shape) < 0.5, np.nan, new)
        labels = np.where(rng.uniform(size=len(y)) < 0.5, np.nan, labels)
    private = client.acting_mask(study, mask)
    return np.where(private, new, X), labels


def streams(study: Study) -> dict[str, SeededSource]:
    """Return a seeded source for each stream of the study's protocol."""
    names = protocol_of(study).streams
    return dict(zip(names, map(SeededSource, np.random.SeedSequence(5).spawn(len(names))), strict=True))


def simulated(study: Study, X: Any, y: Any, mask: Any) -> dict[str, Any]:
    """Return all that is seen of a simulation, by name."""

    def run() -> dict[str, Any]:
        result = simulate(study, X, y, mask, sources=streams(study))
        return {
            "model": result.model.to_json(),
            "spent": told(result.transcript),
            "explained": what_left(study, result.transcript),
            "enrolled": told(result.state.enrolled),
        }

    return _watched(run)


def in_bytes(study: Study, X: Any, y: Any, mask: Any) -> dict[str, Any]:
    """Conduct a study with a device for everybody, in bytes, and return all that is seen of it."""

    def run() -> dict[str, Any]:
        devices = [_device(study, i, X[i], y[i], mask[i]) for i in range(len(X))]
        enrolments = [device.enrol() for device in devices]
        enrolled, refused = take_enrolments(study, enrolments)
        state, sent = State(study, enrolled, streams(study)), list[Any]()

        def collect(wave: Wave) -> Collected:
            asked = [[(int(p), question_bytes(a, i)) for i, p in enumerate(a.people)] for a in wave.asked]
            reports = [[devices[p].answer(raw) for p, raw in each] for each in asked]
            sent.append((asked, reports))
            back, bad = take_reports(state, wave, reports)
            refused.extend(bad)
            return back

        model, transcript = conduct(protocol_of(study), state, collect)
        assert refused == []
        ledgers = [[(s.question, s.epsilon, s.report) for s in device.ledger.sent] for device in devices]
        return {
            "enrolments": enrolments,
            "questions and reports": sent,
            "ledgers": ledgers,
            "model": model.to_json(),
            "spent": told(transcript),
            "total": transcript.total.tolist(),
        }

    return _watched(run)


def _device(study: Study, number: int, row: Any, label: float, mask: Any) -> client.Device:
    values: list[Any] = []
    for feature, x in zip(study.features, row.tolist(), strict=True):
        known = not np.isnan(x)
        in_words = known and isinstance(feature.domain, Category)
        values.append(feature.domain.values[int(x)] if in_words else x if known else None)  # type: ignore[union-attr]
    hidden = [name for name, private in zip(study.names, mask, strict=True) if private]
    source = SeededSource(np.random.SeedSequence([9, number]))
    word: Any = float(label)
    if isinstance(study.label, Classes):
        word = dict(enumerate(study.classes)).get(word, "unheard of")
    return client.Device(study, values, word, hidden, client.Ledger(study.epsilon), source)


def _watched(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        words, given = Words(patch), Given(patch)
        found = run()
    said = [(w.category, str(w.message)) for w in caught]
    return {**found, "words drawn": words.asked, "given to the curator": given.calls, "warnings": said}
