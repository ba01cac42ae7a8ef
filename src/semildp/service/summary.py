"""What a curator sees of a study: progress by wave, who hides what, what is asked, and what was found."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection

from semildp.explain import in_words, plainly
from semildp.models import Model
from semildp.models.findings import findings_of
from semildp.service.core import Core
from semildp.service.settings import LABEL, Words
from semildp.service.store import StudyRow, WaveRow
from semildp.study import Number, Study
from semildp.wire.codec import decode
from semildp.wire.messages import Question


def summary(core: Core, connection: Connection) -> dict[str, Any]:
    """Return the state of a study as JSON's types."""
    head, waves = core.store.head(connection), core.store.waves(connection)
    study, collection = core.rules.study, core.rules.collection
    raw = core.store.model(connection)
    return {
        "study": study.digest,
        "name": study.name,
        "title": collection.title,
        "protocol": study.protocol,
        "participation": study.participation,
        "epsilon": study.epsilon,
        "hide_mask": study.hide_mask,
        "access": collection.access,
        "visits": collection.visits,
        "status": core.status(head, waves[-1]),
        "outcome": head.outcome,
        "sentence": head.sentence,
        "opens": collection.opens,
        "closes": collection.closes,
        "created": head.created,
        "closed": head.closed,
        "label": _label(core),
        "expected": collection.people,
        "minimum": collection.minimum,
        "invitations": core.store.count_invitations(connection),
        "enrolled": head.people,
        "reports": sum(wave.received for wave in waves),
        "now": int(core.clock()),
        "hidden": _hidden(core, head),
        "waves": [_wave(core, connection, wave) for wave in waves],
        "model": None if raw is None else facts(raw, tuple(often_hidden(study, head))),
    }


def _label(core: Core) -> dict[str, Any]:
    """What is to be learnt: its words and bounds; of classes, the probability of the last one."""
    label = core.rules.study.label
    words = core.rules.collection.questions.get(LABEL, Words())
    if label is None:
        return {"text": "", "unit": "", "bounds": None}
    if isinstance(label, Number):
        return {"text": words.text or LABEL, "unit": words.unit, "bounds": [label.low, label.high]}
    return {"text": f"{words.text or LABEL} ({label.values[-1]})", "unit": "", "bounds": [0.0, 1.0]}


def _hidden(core: Core, head: StudyRow) -> list[dict[str, Any]]:
    """How many people hide which feature, and the feature's unit."""
    study, words = core.rules.study, core.rules.collection.questions
    return [
        {
            "feature": feature.name,
            "unit": words.get(feature.name, Words()).unit,
            "people": count,
            "forced": feature.private or study.hide_mask,
        }
        for feature, count in zip(study.features, json.loads(head.hidden), strict=True)
    ]


def _wave(core: Core, connection: Connection, wave: WaveRow) -> dict[str, Any]:
    """A wave's numbers, and its questions in plain words."""
    study = core.rules.study
    asked = [decode(raw, Question) for raw in core.store.templates(connection, wave.number)]
    words = [in_words(study, each) for each in asked]
    return {
        "wave": wave.number,
        "state": wave.state,
        "planned": wave.planned,
        "ends": wave.ends,
        "asked": wave.asked,
        "wanted": wave.wanted,
        "received": wave.received,
        "questions": list(dict.fromkeys(words)),
        "plainly": list(dict.fromkeys(plainly(study, each) for each in asked)),
    }


def often_hidden(study: Study, head: StudyRow) -> list[int]:
    """Return the features that most people hide."""
    counts = json.loads(head.hidden)
    return [j for j, f in enumerate(study.features) if f.private or study.hide_mask or 2 * counts[j] > head.people]


@lru_cache(maxsize=2)
def facts(raw: bytes, private: tuple[int, ...]) -> dict[str, Any]:
    """What a model says: who spent what, the overall prediction, and what each feature adds to it."""
    model = Model.from_json(raw)
    spent = [
        {"people": s.n_people, "hidden": s.n_private, "label": s.label_epsilon, "features": s.feature_epsilon}
        for s in model.spent
    ]
    head = {"body": type(model.body).__struct_config__.tag, "spent": spent}
    if model.study.label is None:  # a density predicts nothing
        return {**head, "mean": None, "error": None, "found": [], "together": [], "idle": []}
    return {**head, **msgspec.to_builtins(findings_of(model, private))}
