"""What a curator sees of a study: progress by wave, who hides what, what is asked, and what was found."""

from __future__ import annotations

import json
import math
from typing import Any

from sqlalchemy import Connection

from semildp.explain import in_words
from semildp.models import Model
from semildp.service.core import Core
from semildp.service.store import StudyRow, WaveRow
from semildp.study import Feature, Number, Study
from semildp.wire.codec import decode
from semildp.wire.messages import Question

GRID = 25  # values of a feature at which an effect is shown


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
        "expected": collection.people,
        "minimum": collection.minimum,
        "invitations": core.store.count_invitations(connection),
        "enrolled": head.people,
        "reports": sum(wave.received for wave in waves),
        "hidden": _hidden(study, head),
        "waves": [_wave(core, connection, wave) for wave in waves],
        "model": None if raw is None else facts(Model.from_json(raw)),
    }


def _hidden(study: Study, head: StudyRow) -> list[dict[str, Any]]:
    counts = json.loads(head.hidden)
    return [
        {"feature": feature.name, "people": count, "forced": feature.private or study.hide_mask}
        for feature, count in zip(study.features, counts, strict=True)
    ]


def _wave(core: Core, connection: Connection, wave: WaveRow) -> dict[str, Any]:
    """A wave's numbers, and its questions in plain words."""
    words = [in_words(core.rules.study, decode(raw, Question)) for raw in core.store.templates(connection, wave.number)]
    return {
        "wave": wave.number,
        "state": wave.state,
        "planned": wave.planned,
        "ends": wave.ends,
        "asked": wave.asked,
        "wanted": wave.wanted,
        "received": wave.received,
        "questions": list(dict.fromkeys(words)),
    }


def facts(model: Model) -> dict[str, Any]:
    """What a model says: who spent what, the mean, and how the prediction changes with each feature alone."""
    study = model.study
    nothing = [math.nan] * len(study.features)
    grids = [_grid(feature) for feature in study.features]
    rows = [nothing]
    for j, (_, codes) in enumerate(grids):
        rows += [[*nothing[:j], code, *nothing[j + 1 :]] for code in codes]
    mean, variance = (part.tolist() for part in model.predict(rows))  # type: ignore[arg-type]
    effects, at = [], 1
    for feature, (values, codes) in zip(study.features, grids, strict=True):
        chosen = slice(at, at + len(codes))
        at += len(codes)
        effects.append(
            {
                "feature": feature.name,
                "values": values,
                "mean": mean[chosen],
                "sd": [_root(each) for each in variance[chosen]],
            }
        )
    return {
        "body": type(model.body).__struct_config__.tag,
        "spent": [
            {"people": s.n_people, "hidden": s.n_private, "label": s.label_epsilon, "features": s.feature_epsilon}
            for s in model.spent
        ],
        "mean": mean[0],
        "sd": _root(variance[0]),
        "effects": effects,
    }


def _grid(feature: Feature) -> tuple[list[Any], list[float]]:
    """Values of a feature as people know them, and as numbers."""
    if isinstance(feature.domain, Number):
        low, high = feature.domain.low, feature.domain.high
        values = [low + (high - low) * k / (GRID - 1) for k in range(GRID)]
        return list(values), values
    return list(feature.domain.values), [float(code) for code in range(len(feature.domain.values))]


def _root(variance: float) -> float | None:
    """Return the standard error, or None where it was not estimated."""
    return math.sqrt(variance) if variance >= 0 else None
