"""Every statement that is sent to the database. What a study's rules are is decided elsewhere.

Whoever writes holds the study's row: SQLite has one writer at a time, PostgreSQL locks the row. So what a transaction
has read of the study and its waves stays true until it commits, however many processes there are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Integer, bindparam, delete, func, insert, literal, select, update

from semildp.service import tables as t
from semildp.service.database import WRITE
from semildp.service.listed import Listed

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
_IS_ASKED = (t.asked.c.study == t.person.c.study) & (t.asked.c.person == t.person.c.position)
_LAST = (
    select(func.max(t.asked.c.wave)).where(_IS_ASKED).correlate(t.person).scalar_subquery()
)  # of the waves in which a person was asked
_PERSON = (t.person.c.token_hash, t.person.c.position)
_ASKED = (t.asked.c.wave, t.asked.c.question, t.asked.c.centre, t.report.c.body)


def _who_asked(listed: Listed, in_wave: Any, enrolment: Any = t.person.c.enrolment) -> Any:
    """Find people by their tokens, each with what they were asked in one wave."""
    mine = (t.person.c.study == bindparam("study")) & (t.person.c.token_hash == listed.words.c.value)
    places = listed.words.outerjoin(t.person, mine).outerjoin(t.asked, _IS_ASKED & (t.asked.c.wave == in_wave))
    return select(*_PERSON, enrolment, *_ASKED).select_from(places.outerjoin(t.report, _REPORTED))


def _more_reports(listed: Listed, study: int) -> tuple[Any, Any]:
    """Keep reports, and count them."""
    number, one = bindparam("in_wave", type_=Integer), t.wave.c.number == bindparam("in_wave")
    each = select(literal(study), number, listed.number, listed.word).select_from(listed.pairs)
    count = update(t.wave).where((t.wave.c.study == study) & one)
    return (
        insert(t.report).from_select(["study", "wave", "person", "body"], each),
        count.values(received=t.wave.c.received + bindparam("more")),
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
        self._add_reports, self._count = _more_reports(self._listed, study)
        self._in_wave = _who_asked(self._listed, bindparam("wave"))
        self._in_wave_only = _who_asked(self._listed, bindparam("wave"), literal(""))
        self._in_last = _who_asked(self._listed, _LAST)
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

    def find(
        self, connection: Connection, hashes: Iterable[str], wave: int | None, *, enrolments: bool = True
    ) -> dict[str, Known]:
        """Find people by their tokens' hashes; wave None: with the last in which they were asked."""
        values = {"study": self.study, "wave": wave, **self._listed.words_are(sorted(hashes))}  # in the index's order
        in_wave = self._in_wave if enrolments else self._in_wave_only
        rows = connection.execute(self._in_last if wave is None else in_wave, values).all()
        return {row[0]: Known._make(row) for row in rows if row[0] is not None}

    def invitations(self, connection: Connection, hashes: Iterable[str]) -> dict[str, tuple[str | None, str | None]]:
        """Find invitations: the hash of the token and the enrolment of who has used each, or None."""
        i, p = t.invitation.c, t.person.c
        words = self._listed.words
        places = words.outerjoin(t.invitation, (i.study == self.study) & (i.token_hash == words.c.value))
        places = places.outerjoin(t.person, (p.study == i.study) & (p.position == i.person))
        statement = select(i.token_hash, p.token_hash, p.enrolment).select_from(places)
        rows = connection.execute(statement, self._listed.words_are(hashes)).all()
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
        """Note who is asked which question of a wave, with which centre."""
        values = [{"study": self.study, "wave": wave, "person": p, "question": q, "centre": c} for p, q, c in rows]
        if values:
            connection.execute(insert(t.asked), values)

    def add_reports(self, connection: Connection, wave: int, rows: Collection[tuple[int, str]]) -> None:
        """Keep reports: position and text; the wave's count rises with them. One statement for all of them."""
        connection.execute(self._add_reports, {"in_wave": wave, **self._listed.pairs_are(rows)})
        connection.execute(self._count, {"in_wave": wave, "more": len(rows)})

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
