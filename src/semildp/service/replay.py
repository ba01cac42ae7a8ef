"""The curator of a study that is in a store: built anew from what is kept, up to the wave that is being closed."""

from __future__ import annotations

from sqlalchemy import Connection

from semildp.running import Planned, Running
from semildp.service.jobs import Rules
from semildp.service.store import Store, WaveRow

Rows = list[tuple[int, int, float, bytes]]


def rebuild(store: Store, connection: Connection, rules: Rules, until: int) -> Running:
    """Go through all waves before `until`, and plan each again."""
    seed = int(store.head(connection).seed, 16)
    running = Running(rules.study, seed, rules.collection.people if rules.one_visit else None)
    enrolled = 0
    for wave in store.waves(connection):
        if wave.number == until:
            break
        end_wave(store, connection, running, wave, enrolled)
        enrolled = wave.enrolled or 0
        step = running.plan()
        if not isinstance(step, Planned) or step.wave != wave.number + 1:
            raise RuntimeError("the stored waves are not those of this study's protocol")  # another version's
    return running


def end_wave(store: Store, connection: Connection, running: Running, wave: WaveRow, before: int) -> tuple[list[bytes], Rows]:
    """Enrol who came until the wave was closed, and hand over its reports; return its questions and reports."""
    enrolled = before if wave.enrolled is None else wave.enrolled
    if enrolled > before:
        running.enrol(store.enrolments(connection, before, enrolled))
    if wave.number == 0:
        return [], []
    templates, rows = store.templates(connection, wave.number), store.reports(connection, wave.number)
    running.collect(templates, rows)
    return templates, rows
