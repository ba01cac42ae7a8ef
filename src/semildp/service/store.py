"""Every statement that is sent to the database. What a study's rules are is decided elsewhere.

Whoever writes holds the study's row: SQLite has one writer at a time, PostgreSQL locks the row. So what a transaction
has read of the study and its waves stays true until it commits, however many processes there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, select, update

from semildp.service import tables as t
from semildp.service.database import WRITE
from semildp.service.listed import Listed
from semildp.service.statements import Statements

Values = dict[str, Any]


class StudyRow(NamedTuple):
    """The study as it stands."""

    id: int
    digest: str
    document: bytes
    seed: str
    curator_hash: str
    created: int
    expected: int | None
    people: int
    hidden: str
    closed: int | None
    outcome: str | None
    sentence: str | None


class WaveRow(NamedTuple):
    """A wave as it stands; wave 0 is the enrolment."""

    number: int
    state: str
    planned: int
    ends: int | None
    enrolled: int | None
    asked: int
    received: int
    wanted: int | None
    rule: bytes | None
    lease_owner: str | None
    lease_until: int | None

    @property
    def enough(self) -> bool:
        """Whether all reports are in that the wave waits for."""
        return self.number > 0 and self.received >= (self.asked if self.wanted is None else self.wanted)


class Reporters(NamedTuple):
    """People by columns: position, question, who has reported; their question's centre, and enrolment if looked for.

    None, 0 or an empty text for those who are not known or were not asked.
    """

    position: list[int | None]
    question: list[int | None]
    reported: list[int | None]
    centre: list[float]
    enrolment: list[str]


class Known(NamedTuple):
    """A person, what they were asked (in the wave looked for, or last), and what they reported to it."""

    token_hash: str
    position: int
    enrolment: str
    wave: int | None
    question: int | None
    centre: float | None
    body: str | None


_STUDY = [t.study.c[name] for name in StudyRow._fields]
_WAVE = [t.wave.c[name] for name in WaveRow._fields]
_REPORTED = (
    (t.report.c.study == t.asked.c.study)
    & (t.report.c.person == t.asked.c.person)
    & (t.report.c.wave == t.asked.c.wave)
)


class Store:
    """One study in a database."""

    def __init__(self, engine: Engine, study: int) -> None:
        self.engine, self.study = engine, study
        self._listed = Listed(engine.dialect.name)
        # Built once, for they are sent with every group.
        self._head = select(*_STUDY).where(t.study.c.id == study)
        self._lock = self._head.with_for_update()
        self._newest = select(*_WAVE).where(t.wave.c.study == study).order_by(t.wave.c.number.desc()).limit(1)
        self._send = Statements(self._listed, study)
        postgresql = engine.dialect.name == "postgresql"  # SQLite's transactions see one state anyway
        self._reader = engine.execution_options(isolation_level="REPEATABLE READ") if postgresql else engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state and changes nothing."""
        with self._reader.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[tuple[Connection, StudyRow, WaveRow]]:
        """A transaction in which no other process writes; with the study and its newest wave as they stand."""
        with self.engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
            study = StudyRow(*connection.execute(self._lock).one())
            yield connection, study, self.newest_wave(connection)

    def head(self, connection: Connection) -> StudyRow:
        """Return the study."""
        return StudyRow(*connection.execute(self._head).one())

    def newest_wave(self, connection: Connection) -> WaveRow:
        """Return the wave that is open, closing, or the last."""
        return WaveRow(*connection.execute(self._newest).one())

    def waves(self, connection: Connection) -> list[WaveRow]:
        """Return all waves in order."""
        rows = connection.execute(select(*_WAVE).where(t.wave.c.study == self.study).order_by(t.wave.c.number))
        return [WaveRow(*row) for row in rows]

    def templates(self, connection: Connection, wave: int) -> list[bytes]:
        """Return a wave's questions in order."""
        of = (t.question.c.study == self.study) & (t.question.c.wave == wave)
        return list(connection.scalars(select(t.question.c.template).where(of).order_by(t.question.c.number)))

    # People

    def find(self, connection: Connection, hashes: Iterable[str], wave: int | None) -> dict[str, Known]:
        """Find people by their tokens' hashes; wave None: with the last in which they were asked."""
        statement, own = (self._send.in_last, {}) if wave is None else (self._send.in_wave, {"wave": wave})
        rows = connection.execute(statement, {**own, **self._listed.words_are(hashes)}).all()
        return {row[0]: Known._make(row) for row in rows if row[0] is not None}

    def find_reporters(
        self, connection: Connection, hashes: Sequence[str], wave: int, *, enrolments: bool
    ) -> Reporters:
        """Find people by their tokens' hashes, in this order. One row is read, so that it is quick for many."""
        statement = self._send.columns_with_enrolments if enrolments else self._send.columns
        row = connection.execute(statement, {"wave": wave, **self._listed.words_are(hashes)}).one()
        columns = [msgspec.json.decode(each) for each in [*row[:4], *row[6:]]]
        if columns[0] != sorted(columns[0]):  # by the words' order
            order = sorted(range(len(hashes)), key=columns[0].__getitem__)
            columns = [[column[k] for k in order] for column in columns]
        _, position, question, reported, *more = columns
        centre, enrolment = [row[4] or 0.0] * len(hashes), [""] * len(hashes)
        if row[4] != row[5]:
            values = {"wave": wave, **self._listed.words_are([-1 if place is None else place for place in position])}
            centre = [each or 0.0 for each in connection.scalars(self._send.centres, values)]
        if enrolments:
            enrolment = [text or "" for text in more[0]]
        return Reporters(position, question, reported, centre, enrolment)

    def invitations(self, connection: Connection, hashes: Iterable[str]) -> dict[str, tuple[str | None, str | None]]:
        """Find invitations: the hash of the token and the enrolment of who has used each, or None."""
        rows = connection.execute(self._send.invitations, self._listed.words_are(hashes)).all()
        return {row[0]: (row[1], row[2]) for row in rows if row[0] is not None}

    def add_people(self, connection: Connection, rows: Sequence[Values], people: int, hidden: list[int]) -> None:
        """Enrol people (position, token_hash, enrolment, and invitation: its hash or None)."""
        connection.execute(insert(t.person), [self._own(row, "position", "token_hash", "enrolment") for row in rows])
        used = [{"hash": r["invitation"], "by": r["position"]} for r in rows if r["invitation"] is not None]
        if used:
            one = (t.invitation.c.study == self.study) & (t.invitation.c.token_hash == bindparam("hash"))
            connection.execute(update(t.invitation).where(one).values(person=bindparam("by")), used)
        self.set_study(connection, people=people, hidden=json.dumps(hidden))

    def add_invitations(self, connection: Connection, hashes: Sequence[str]) -> None:
        """Add invitations."""
        connection.execute(insert(t.invitation), [{"study": self.study, "token_hash": each} for each in hashes])

    def count_invitations(self, connection: Connection) -> int:
        """Return how many invitations there are."""
        count = select(func.count()).select_from(t.invitation).where(t.invitation.c.study == self.study)
        return int(connection.scalar(count) or 0)

    def add_asked(self, connection: Connection, wave: int, rows: Iterable[tuple[int, int, float]]) -> None:
        """Note who is asked which question of a wave, with which centre; never -0.0, which not all stores keep."""
        values = [
            {"study": self.study, "wave": wave, "person": p, "question": q, "centre": c + 0.0} for p, q, c in rows
        ]
        if values:
            connection.execute(insert(t.asked), values)

    def add_reports(self, connection: Connection, wave: int, bodies: dict[int, str]) -> None:
        """Keep reports, by position; the wave's count rises with them. One statement for all of them."""
        connection.execute(self._send.add_reports, {"in_wave": wave, **self._listed.pairs_are(bodies)})
        connection.execute(self._send.count_reports, {"in_wave": wave, "more": len(bodies)})

    # The curator

    def enrolments(self, connection: Connection, first: int, end: int) -> list[bytes]:
        """Return enrolments by position."""
        of = (t.person.c.study == self.study) & (t.person.c.position >= first) & (t.person.c.position < end)
        texts = connection.scalars(select(t.person.c.enrolment).where(of).order_by(t.person.c.position))
        return [text.encode() for text in texts]

    def reports(self, connection: Connection, wave: int) -> list[tuple[int, int, float, bytes]]:
        """Return a wave's reports by position: position, question, centre, bytes."""
        columns = select(t.asked.c.person, t.asked.c.question, t.asked.c.centre, t.report.c.body)
        of = (t.asked.c.study == self.study) & (t.asked.c.wave == wave)
        rows = connection.execute(columns.join_from(t.asked, t.report, _REPORTED).where(of).order_by(t.asked.c.person))
        return [(row[0], row[1], row[2], row[3].encode()) for row in rows]

    def count_reporters(self, connection: Connection) -> int:
        """Return how many people have reported."""
        people = select(func.count(t.report.c.person.distinct())).where(t.report.c.study == self.study)
        return int(connection.scalar(people) or 0)

    def add_wave(self, connection: Connection, values: Values, templates: Sequence[bytes]) -> None:
        """Open a wave with its questions."""
        connection.execute(insert(t.wave), {"study": self.study, "received": 0, **values})
        rows = [
            {"study": self.study, "wave": values["number"], "number": k, "template": q} for k, q in enumerate(templates)
        ]
        if rows:
            connection.execute(insert(t.question), rows)

    def set_wave(self, connection: Connection, number: int, **values: Any) -> None:
        """Change a wave."""
        one = (t.wave.c.study == self.study) & (t.wave.c.number == number)
        connection.execute(update(t.wave).where(one).values(**values))

    def set_study(self, connection: Connection, **values: Any) -> None:
        """Change the study."""
        connection.execute(update(t.study).where(t.study.c.id == self.study).values(**values))

    def add_totals(self, connection: Connection, wave: int, document: bytes) -> None:
        """Keep the totals of a wave."""
        connection.execute(insert(t.totals), {"study": self.study, "wave": wave, "document": document})

    def totals(self, connection: Connection) -> list[bytes]:
        """Return the totals of all waves in order."""
        of = select(t.totals.c.document).where(t.totals.c.study == self.study).order_by(t.totals.c.wave)
        return list(connection.scalars(of))

    def add_model(self, connection: Connection, document: bytes) -> None:
        """Keep the model."""
        connection.execute(insert(t.model), {"study": self.study, "document": document})

    def model(self, connection: Connection) -> bytes | None:
        """Return the model, if there is one."""
        return connection.scalar(select(t.model.c.document).where(t.model.c.study == self.study))

    def delete_reports(self, connection: Connection) -> None:
        """Delete what people have reported."""
        connection.execute(delete(t.report).where(t.report.c.study == self.study))

    def truncate_log(self) -> None:
        """Let nothing that was deleted stay in SQLite's log; of PostgreSQL's tables, give the space back."""
        if self.engine.dialect.name == "sqlite":
            raw = self.engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                raw.close()
            return
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM report")

    def _own(self, row: Values, *names: str) -> Values:
        return {"study": self.study, **{name: row[name] for name in names}}


def find_study(engine: Engine, digest: str) -> Store | None:
    """Return the store of a study, if the database holds it."""
    with engine.connect() as connection, connection.begin():
        known = connection.scalar(select(t.study.c.id).where(t.study.c.digest == digest))
    return None if known is None else Store(engine, int(known))


def open_study(engine: Engine, digest: str, first: Values, curator_hash: str | None) -> tuple[Store, bool]:
    """Return the store of a study, and whether it was made now, from `first`. A new curator's token is kept."""
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("LOCK TABLE study IN SHARE ROW EXCLUSIVE MODE")
        known = connection.scalar(select(t.study.c.id).where(t.study.c.digest == digest))
        made = known is None
        if made:
            key = connection.execute(insert(t.study), {"digest": digest, **first["study"]}).inserted_primary_key
            known = int(key[0]) if key else 0
            connection.execute(insert(t.wave), {"study": known, **first["wave"]})
        elif curator_hash is not None:
            connection.execute(update(t.study).where(t.study.c.id == known).values(curator_hash=curator_hash))
        return Store(engine, int(known or 0)), made
