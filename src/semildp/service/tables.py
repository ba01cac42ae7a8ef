"""The tables: what is kept of a study. No address, no browser, no time of arrival of a person is among it."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def _study() -> Column[int]:
    return Column("study", Integer, ForeignKey("study.id"), primary_key=True)


study = Table(
    "study",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("document", LargeBinary, nullable=False),
    Column("seed", String(64), nullable=False),  # of the curator's own draws, in hexadecimal
    Column("curator_hash", String(64), nullable=False),
    Column("created", BigInteger, nullable=False),  # seconds since 1970, here and below
    Column("expected", Integer),  # how many people, where they are asked as they come; null: all enrol first
    Column("people", Integer, nullable=False),  # how many are enrolled: positions 0 to people - 1
    Column("hidden", Text, nullable=False),  # how many hide each feature: a list in JSON
    Column("closed", BigInteger),  # since when nothing more is taken
    Column("outcome", String(16)),  # model, too-few or failed
    Column("sentence", Text),  # why it failed
)

invitation = Table(
    "invitation",
    metadata,
    _study(),
    Column("token_hash", String(64), primary_key=True),
    Column("person", Integer),
    sqlite_with_rowid=False,
)

person = Table(
    "person",
    metadata,
    _study(),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("token_hash", String(64), nullable=False),
    Column("enrolment", Text, nullable=False),
    UniqueConstraint("study", "token_hash"),
    sqlite_with_rowid=False,
)

wave = Table(  # wave 0 is the enrolment
    "wave",
    metadata,
    _study(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("state", String(8), nullable=False),  # open, closing, done
    Column("planned", BigInteger, nullable=False),
    Column("ends", BigInteger),
    Column("enrolled", Integer),  # how many people were enrolled when it was closed
    Column("asked", Integer, nullable=False),  # how many were asked when it was planned
    Column("received", Integer, nullable=False),  # how many reports are in
    Column("wanted", Integer),
    Column("rule", LargeBinary),
    Column("lease_owner", String(32)),
    Column("lease_until", BigInteger),
    sqlite_with_rowid=False,
)

question = Table(
    "question",
    metadata,
    _study(),
    Column("wave", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("template", LargeBinary, nullable=False),
    ForeignKeyConstraint(["study", "wave"], ["wave.study", "wave.number"]),
    sqlite_with_rowid=False,
)

asked = Table(
    "asked",
    metadata,
    _study(),
    Column("person", Integer, primary_key=True, autoincrement=False),
    Column("wave", Integer, primary_key=True, autoincrement=False),
    Column("question", Integer, nullable=False),
    Column("centre", Double, nullable=False),
    ForeignKeyConstraint(["study", "person"], ["person.study", "person.position"]),
    sqlite_with_rowid=False,
)

report = Table(  # no foreign keys, which cost more than the rest: `add_reports` takes the person from `asked`
    "report",
    metadata,
    Column("study", Integer, primary_key=True, autoincrement=False),
    Column("person", Integer, primary_key=True, autoincrement=False),
    Column("wave", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,
)

totals = Table(
    "totals",
    metadata,
    _study(),
    Column("wave", Integer, primary_key=True, autoincrement=False),
    Column("document", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

model = Table("model", metadata, _study(), Column("document", LargeBinary, nullable=False))
