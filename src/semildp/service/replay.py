"""The curator of a study that is in a store: built anew from what is kept, up to the wave that is being closed."""

from __future__ import annotations

from sqlalchemy import Connection

from semildp.running import Planned, Running
from semildp.service.jobs import Rules
from semildp.service.store import Store

Rows = list[tuple[int, int, float, bytes]]


def rebuild(store: Store, connection: Connection, rules: Rules, until: int, *, keep: bool = False) -> Running:
    """Go through all waves before `until`, and plan each again; `keep` also keeps reports that are added up."""
    seed = int(store.head(connection).seed, 16)
    running = Running(rules.study, seed, rules.expected, keep=keep)
    enrolled = 0
    for wave in store.waves(connection):
        if wave.number == until:
            break
        newcomers = store.enrolments(connection, enrolled, wave.enrolled or 0)
        rows, templates = store.reports(connection, wave.number), store.templates(connection, wave.number)
        end_wave(running, wave.number, newcomers, templates, rows)
        enrolled = wave.enrolled or 0
        step = running.plan()
        if not isinstance(step, Planned) or step.wave != wave.number + 1:
            raise RuntimeError("the stored waves are not those of this study's protocol")  # another version's
    return running


def end_wave(running: Running, number: int, newcomers: list[bytes], templates: list[bytes], rows: Rows) -> None:
    """Enrol who came until the wave was closed, and hand over its reports; wave 0 is the enrolment."""
    if newcomers:
        running.enrol(newcomers)
    if number:
        running.collect(templates, rows)
