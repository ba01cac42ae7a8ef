"""Estimates while a study still collects: those of the model that it would have if it were closed now.

They are computed from reports that are there anyway, so that nobody's privacy loss grows by them. They are not final:
later waves look closer at what these found, and more people make all of it surer.
"""

from __future__ import annotations

import threading
from typing import Any

from sqlalchemy import Connection

from semildp.models import Model
from semildp.running import Planned, Running
from semildp.service.core import Core
from semildp.service.problems import RefusedError
from semildp.service.replay import end_wave, rebuild
from semildp.service.store import StudyRow, WaveRow
from semildp.service.summary import facts, often_hidden

NOTE = "These estimates are of the reports so far, as if the study were closed now. They are not final and will change."

_one_at_a_time = threading.Lock()  # it may take long


def interim(core: Core, connection: Connection) -> dict[str, Any]:
    """Return estimates of the reports so far as JSON's types, once the least number of people have reported."""
    store, minimum = core.store, core.rules.collection.minimum
    head, waves = store.head(connection), store.waves(connection)
    if head.outcome is not None:
        raise RefusedError("study-closed", "the study is over: what was found is in its model")
    if store.count_reporters(connection) < minimum:
        raise RefusedError("no-model", f"fewer than {minimum} people have reported")
    with _one_at_a_time:
        model = _closed_now(core, connection, head, waves)
    return {
        "final": False,
        "note": NOTE,
        "wave": waves[-1].number,
        "reports": sum(wave.received for wave in waves),
        "model": facts(model.to_json(), tuple(often_hidden(core.rules.study, head))),
    }


def _closed_now(core: Core, connection: Connection, head: StudyRow, waves: list[WaveRow]) -> Model:
    """Return the model of the reports so far: the newest wave ends with them, and nobody answers those after it."""
    number, before = waves[-1].number, waves[-2].enrolled or 0
    running = rebuild(core.store, connection, core.rules, number)
    people = core.store.enrolments(connection, before, head.people)
    rows, templates = core.store.reports(connection, number), core.store.templates(connection, number)
    try:
        end_wave(running, number, people, templates, rows)
        return _to_the_end(running)
    except (ValueError, ArithmeticError, LookupError):
        raise RefusedError("no-model", "from the reports so far no model can be computed yet") from None


def _to_the_end(running: Running) -> Model:
    while isinstance(step := running.plan(), Planned):
        running.collect(step.questions, [])
    return step
