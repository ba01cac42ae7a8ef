"""The statements that are sent with every group of jobs, built once for a study. `store` sends them.

Each looks people up one by one through an index, however little the database knows of its tables: in PostgreSQL by
lateral subqueries, for right after many rows were written its planner takes a table to be nearly empty, and would go
through all of it for each person.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    Integer,
    Table,
    and_,
    bindparam,
    cast,
    func,
    insert,
    literal,
    literal_column,
    select,
    true,
    update,
)

from semildp.service import tables as t
from semildp.service.listed import Listed


class _Beside(NamedTuple):
    """Tables joined so far, and the columns of the last one."""

    places: Any
    c: Any


def _beside(listed: Listed, places: Any, table: Table, **equal: Any) -> _Beside:
    """Join the one row of a table, if there is one, in which columns have these values."""
    this = and_(*(table.c[name] == value for name, value in equal.items()))
    if not listed.lateral:
        return _Beside(places.outerjoin(table, this), table.c)
    one = select(table).where(this).limit(literal_column("1")).lateral()
    return _Beside(places.outerjoin(one, true()), one.c)


class Statements:
    """For one study."""

    def __init__(self, listed: Listed, study: int) -> None:
        self._listed, self._study = listed, study
        words = listed.words
        self._person = _beside(listed, words, t.person, study=study, token_hash=words.c.value)
        self.in_wave, self.in_last = self._rows(bindparam("wave")), self._rows(self._last_wave())
        self.columns = self._columns()
        self.columns_with_enrolments = self.columns.add_columns(listed.gather(self._person.c.enrolment))
        person = cast(words.c.value, Integer)
        asked = _beside(listed, words, t.asked, study=study, person=person, wave=bindparam("wave"))
        self.centres = select(asked.c.centre).select_from(asked.places).order_by(words.c.key)
        self.invitations = self._invitations()
        self.add_reports, self.count_reports = _more_reports(listed, study)

    def _last_wave(self) -> Any:
        """The last wave in which a person was asked."""
        asked, person = t.asked.alias(), self._person.c.position
        mine = (asked.c.study == self._study) & (asked.c.person == person)
        return select(func.max(asked.c.wave)).where(mine).correlate(person.table).scalar_subquery()

    def _asked(self, in_wave: Any) -> tuple[_Beside, _Beside]:
        """What people were asked in a wave, and what they reported to it."""
        listed, person = self._listed, self._person
        asked = _beside(listed, person.places, t.asked, study=self._study, person=person.c.position, wave=in_wave)
        own = {"study": self._study, "person": asked.c.person, "wave": asked.c.wave}
        return asked, _beside(listed, asked.places, t.report, **own)

    def _rows(self, in_wave: Any) -> Any:
        """People by their tokens, each with what they were asked in one wave."""
        (asked, sent), person = self._asked(in_wave), self._person
        columns = (person.c.token_hash, person.c.position, person.c.enrolment)
        own = (asked.c.wave, asked.c.question, asked.c.centre, sent.c.body)
        return select(*columns, *own).select_from(sent.places)

    def _columns(self) -> Any:
        """The same by columns: the word's key, position, question, who has reported; least and largest centre."""
        asked, sent = self._asked(bindparam("wave"))
        found = (self._listed.words.c.key, self._person.c.position, asked.c.question, sent.c.person)
        centres = (func.min(asked.c.centre), func.max(asked.c.centre))
        return select(*map(self._listed.gather, found), *centres).select_from(sent.places)

    def _invitations(self) -> Any:
        """Invitations, each with who has used it."""
        listed, words = self._listed, self._listed.words
        link = _beside(listed, words, t.invitation, study=self._study, token_hash=words.c.value)
        person = _beside(listed, link.places, t.person, study=self._study, position=link.c.person)
        columns = (link.c.token_hash, person.c.token_hash, person.c.enrolment)
        return select(*columns).select_from(person.places)


def _more_reports(listed: Listed, study: int) -> tuple[Any, Any]:
    """Keep reports, and count them. Who was not asked has no `asked.person`: the database refuses the report."""
    number, one = bindparam("in_wave", type_=Integer), t.wave.c.number == bindparam("in_wave")
    asked = _beside(listed, listed.pairs, t.asked, study=study, person=listed.number, wave=number)
    each = select(literal(study), number, asked.c.person, listed.word).select_from(asked.places)
    count = update(t.wave).where((t.wave.c.study == study) & one)
    return (
        insert(t.report).from_select(["study", "wave", "person", "body"], each),
        count.values(received=t.wave.c.received + bindparam("more")),
    )
