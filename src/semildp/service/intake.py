"""Jobs of many people in one transaction. What cannot change is read and checked before it, so that it is short."""

from __future__ import annotations

import threading

from semildp.service.asking import Asking
from semildp.service.enrolling import Enrolling
from semildp.service.jobs import Answers, Enrol, Job, Look, Order, Rules, Send, Sheet, Told, Write
from semildp.service.reporting import Reporting
from semildp.service.store import Store, WaveRow


class Intake:
    """Takes groups of jobs into the store."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store = store
        self._enrolling = Enrolling(store, rules)
        self._asking, self._reporting = Asking(store, rules), Reporting(store, rules)
        self._turn = threading.Lock()  # to write

    def take(self, order: Order) -> tuple[list[Told], WaveRow | None]:
        """Do all jobs; return what to tell, now that it is safe, and the newest wave. Several threads may take sheets.

        Of several jobs by one person, or by one invitation, each is done after the one before it.
        A row that another process has just written raises IntegrityError; then the group is to be taken again.
        """
        if isinstance(order, Sheet):
            return self._sheet(order)
        told: Answers = {}
        left, wave = list(range(len(order))), None
        while left:
            seen: set[str] = set()
            now, later = dict[int, Job](), list[int]()
            for k in left:
                keys = _keys(order[k])
                if seen.isdisjoint(keys):
                    now[k] = order[k]
                else:
                    later.append(k)
                seen.update(keys)
            wave = self._round(now, told)
            left = later
        return [told[k] for k in range(len(order))], wave

    def _round(self, jobs: dict[int, Job], told: Answers) -> WaveRow:
        """Do jobs of different people."""
        enrols = {k: job for k, job in jobs.items() if isinstance(job, Enrol)}
        looks = {k: job for k, job in jobs.items() if isinstance(job, Look)}
        sends = {k: job for k, job in jobs.items() if isinstance(job, Send)}
        writes: list[Write] = self._enrolling.prepare(enrols, told)
        sheets = list[tuple[list[int], list[Told]]]()
        with self._store.reading() as connection:
            head, wave = self._store.head(connection), self._store.newest_wave(connection)
            writes += self._asking.prepare(connection, head, wave, looks, told)
            for places, sheet in _sheets(sends):
                each, more = self._reporting.prepare(connection, wave, sheet)
                sheets.append((places, each))
                writes += more
        wave = self._write(writes) or wave
        for places, each in sheets:
            told.update(zip(places, each, strict=True))
        return wave

    def _sheet(self, sheet: Sheet) -> tuple[list[Told], WaveRow]:
        with self._store.reading() as connection:
            wave = self._store.newest_wave(connection)
            told, writes = self._reporting.prepare(connection, wave, sheet)
        return told, self._write(writes) or wave

    def _write(self, writes: list[Write]) -> WaveRow | None:
        """Write what there is in one transaction; return the newest wave after it."""
        if not writes:
            return None
        with self._turn, self._store.writing() as (connection, head, wave):
            for write in writes:
                write(connection, head, wave)
            return self._store.newest_wave(connection)


def _sheets(sends: dict[int, Send]) -> list[tuple[list[int], Sheet]]:
    """Return reports by the wave they are sent to, with the places of their jobs."""
    by_wave: dict[int, list[int]] = {}
    for k, job in sends.items():
        by_wave.setdefault(job.wave, []).append(k)
    return [
        (places, Sheet(wave, [sends[k].person for k in places], [sends[k].body for k in places]))
        for wave, places in sorted(by_wave.items())
    ]


def _keys(job: Job) -> tuple[str, ...]:
    """Return whom a job is about."""
    if isinstance(job, Enrol) and job.invitation is not None:
        return job.person, job.invitation
    return (job.person,)
