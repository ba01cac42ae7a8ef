"""People report: each report is checked against what its sender was asked, and kept while its wave is open."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from semildp.arrivals import check_reports, needs_public
from semildp.service.jobs import Answers, Rules, Send, Told, Write, refused
from semildp.service.store import Known, Store, StudyRow, WaveRow

KEPT, AGAIN = Told(201), Told(200)


class Reporting:
    """Takes reports."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store, self._rules = store, rules
        self._templates: tuple[int, list[bytes]] = (-1, [])  # of the wave that was last reported to

    def prepare(self, connection: Connection, wave: WaveRow, jobs: dict[int, Send], told: Answers) -> list[Write]:
        """Check reports, all those of one wave together."""
        writes = []
        for number in sorted({job.wave for job in jobs.values()}):
            chosen = {k: job for k, job in jobs.items() if job.wave == number}
            if 1 <= number <= wave.number:
                writes += self._check(connection, number, chosen, told)
            else:
                told.update(dict.fromkeys(chosen, refused("not-asked")))
        return writes

    def _check(self, connection: Connection, number: int, jobs: dict[int, Send], told: Answers) -> list[Write]:
        if self._templates[0] != number:
            self._templates = (number, self._store.templates(connection, number))
        templates = self._templates[1]
        public = any(needs_public(template) for template in templates)
        known = self._store.find(connection, (job.person for job in jobs.values()), number, enrolments=public)
        new = {k: known[job.person] for k, job in jobs.items() if self._is_new(k, job, known, told)}
        received = [
            (templates[row.question or 0], row.centre or 0.0, row.enrolment.encode(), jobs[k].body)
            for k, row in new.items()
        ]
        rows: dict[int, tuple[int, str]] = {}
        for (k, row), problem in zip(new.items(), check_reports(self._rules.study, received), strict=True):
            if problem is None:
                rows[k] = (row.position, jobs[k].body.decode())
            else:
                told[k] = refused(problem)
        return [partial(self._keep, number, rows, told)] if rows else []

    @staticmethod
    def _is_new(k: int, job: Send, known: dict[str, Known], told: Answers) -> bool:
        """Whether somebody who was asked has not answered; who has is told so."""
        row = known.get(job.person)
        if row is None:
            told[k] = refused("unknown-token")
        elif row.wave is None:
            told[k] = refused("not-asked")
        elif row.body is not None:
            told[k] = AGAIN if row.body.encode() == job.body else refused("already-answered")
        return k not in told

    def _keep(
        self,
        number: int,
        rows: dict[int, tuple[int, str]],
        told: Answers,
        connection: Connection,
        head: StudyRow,
        wave: WaveRow,
    ) -> None:
        """Keep reports if their wave is still open."""
        if head.closed is not None or wave.number != number or wave.state != "open":
            told.update(dict.fromkeys(rows, refused("study-closed" if head.closed is not None else "wave-over")))
            return
        self._store.add_reports(connection, number, rows.values())
        told.update(dict.fromkeys(rows, KEPT))
