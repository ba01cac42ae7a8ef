"""Jobs of many people in one transaction. What cannot change is read and checked before it, so that it is short."""

from __future__ import annotations

from collections.abc import Sequence

from semildp.service.asking import Asking
from semildp.service.enrolling import Enrolling
from semildp.service.jobs import Answers, Enrol, Job, Look, Rules, Send, Told, Write
from semildp.service.reporting import Reporting
from semildp.service.store import Store, WaveRow


class Intake:
    """Takes groups of jobs into the store."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store = store
        self._enrolling = Enrolling(store, rules)
        self._asking, self._reporting = Asking(store, rules), Reporting(store, rules)

    def take(self, jobs: Sequence[Job]) -> tuple[list[Told], WaveRow | None]:
        """Do all jobs; return what to tell, now that it is safe, and the newest wave.

        Of several jobs by one person, or by one invitation, each is done after the one before it.
        A row that another process has just written raises IntegrityError; then the group is to be taken again.
        """
        told: Answers = {}
        left, wave = list(range(len(jobs))), None
        if all(type(job) is Send for job in jobs) and len({job.person for job in jobs}) == len(jobs):
            left, wave = [], self._round(dict(enumerate(jobs)), told)
        while left:
            seen: set[str] = set()
            now, later = dict[int, Job](), list[int]()
            for k in left:
                keys = _keys(jobs[k])
                if seen.isdisjoint(keys):
                    now[k] = jobs[k]
                else:
                    later.append(k)
                seen.update(keys)
            wave = self._round(now, told)
            left = later
        return [told[k] for k in range(len(jobs))], wave

    def _round(self, jobs: dict[int, Job], told: Answers) -> WaveRow:
        """Do jobs of different people."""
        enrols = {k: job for k, job in jobs.items() if isinstance(job, Enrol)}
        looks = {k: job for k, job in jobs.items() if isinstance(job, Look)}
        sends = {k: job for k, job in jobs.items() if isinstance(job, Send)}
        writes: list[Write] = self._enrolling.prepare(enrols, told)
        with self._store.reading() as connection:
            head, wave = self._store.head(connection), self._store.newest_wave(connection)
            writes += self._asking.prepare(connection, head, wave, looks, told)
            writes += self._reporting.prepare(connection, wave, sends, told)
        if writes:
            with self._store.writing() as (connection, head, wave):
                for write in writes:
                    write(connection, head, wave)
                wave = self._store.newest_wave(connection)
        return wave


def _keys(job: Job) -> tuple[str, ...]:
    """Return whom a job is about."""
    if isinstance(job, Enrol) and job.invitation is not None:
        return job.person, job.invitation
    return (job.person,)
