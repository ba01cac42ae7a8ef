"""People enrol: what they make public is checked, and they get the next positions."""

from __future__ import annotations

import json
from functools import partial

from sqlalchemy import Connection

from semildp.arrivals import check_enrolment
from semildp.service.jobs import Answers, Enrol, Rules, Told, Write, refused
from semildp.service.store import Store, StudyRow, Values, WaveRow
from semildp.wire.problems import WireError

Hidden = dict[int, tuple[bool, ...]]  # by job: which features the person hides
Link = tuple[str | None, str | None]  # of an invitation: the token and the enrolment of who used it


class Enrolling:
    """Enrols people."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store, self._rules = store, rules
        self._invited = rules.collection.access == "invitation"

    def prepare(self, jobs: dict[int, Enrol], told: Answers) -> list[Write]:
        """Check what can be checked without the store."""
        hidden: Hidden = {}
        for k, job in jobs.items():
            try:
                hidden[k] = check_enrolment(self._rules.study, job.body)
            except WireError as problem:
                told[k] = refused(problem.problem)
        return [partial(self._enrol, {k: jobs[k] for k in hidden}, hidden, told)] if hidden else []

    def _enrol(
        self,
        jobs: dict[int, Enrol],
        hidden: Hidden,
        told: Answers,
        connection: Connection,
        head: StudyRow,
        wave: WaveRow,
    ) -> None:
        """Give positions to newcomers in the order of their jobs. Who sends the same again is told so."""
        known = self._store.find(connection, (job.person for job in jobs.values()), None)
        links = self._links(connection, jobs)
        rows, counts, over = list[Values](), list(json.loads(head.hidden)), self._over(head, wave)
        for k, job in jobs.items():
            row, link = known.get(job.person), links.get(job.invitation)
            told[k] = self._judge(job, job.body.decode(), None if row is None else row.enrolment, link)
            if told[k].status == 201 and (over or self._full(head.people + len(rows))):
                told[k] = refused(over or "enrolment-over")
            if told[k].status != 201:
                continue
            rows.append(
                {
                    "position": head.people + len(rows),
                    "token_hash": job.person,
                    "enrolment": job.body.decode(),
                    "invitation": job.invitation,
                }
            )
            counts = [n + h for n, h in zip(counts, hidden[k], strict=True)]
        if rows:
            self._store.add_people(connection, rows, head.people + len(rows), counts)

    def _judge(self, job: Enrol, body: str, enrolment: str | None, link: Link | None) -> Told:
        """Tell a newcomer (201) from who sends the same again (200) and who must be refused."""
        if self._invited:
            if link is None:
                return refused("unknown-token")
            if link[0] is not None:
                return Told(200) if link == (job.person, body) else refused("invitation-used")
        if enrolment is None:
            return Told(201)
        return Told(200) if not self._invited and enrolment == body else refused("token-used")

    def _links(self, connection: Connection, jobs: dict[int, Enrol]) -> dict[str | None, Link]:
        if not self._invited:
            return {}
        found = self._store.invitations(connection, (job.invitation or "" for job in jobs.values()))
        return dict[str | None, Link](found.items())

    def _over(self, head: StudyRow, wave: WaveRow) -> str | None:
        """Return why nobody else can enrol, if so."""
        if head.closed is not None:
            return "study-closed"
        enrolling = self._rules.one_visit or (wave.number == 0 and wave.state == "open")
        return None if enrolling else "enrolment-over"

    def _full(self, people: int) -> bool:
        return not self._rules.one_visit and people >= self._rules.collection.people
