"""The first tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _key(*names: str) -> list[sa.schema.SchemaItem]:
    columns: list[sa.schema.SchemaItem] = [sa.Column("study", sa.Integer, sa.ForeignKey("study.id"), primary_key=True)]
    return columns + [sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in names]


def _needed(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False)


def upgrade() -> None:
    """Make the tables."""
    _study_and_people()
    _waves()
    _what_came_of_it()


def _study_and_people() -> None:
    op.create_table(
        "study",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        _needed("document", sa.LargeBinary()),
        _needed("seed", sa.String(64)),
        _needed("curator_hash", sa.String(64)),
        _needed("created", sa.BigInteger()),
        sa.Column("expected", sa.Integer),
        _needed("people", sa.Integer()),
        _needed("hidden", sa.Text()),
        sa.Column("closed", sa.BigInteger),
        sa.Column("outcome", sa.String(16)),
        sa.Column("sentence", sa.Text),
    )
    op.create_table(
        "invitation",
        *_key(),
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("person", sa.Integer),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "person",
        *_key("position"),
        _needed("token_hash", sa.String(64)),
        _needed("enrolment", sa.Text()),
        sa.UniqueConstraint("study", "token_hash"),
        sqlite_with_rowid=False,
    )


def _waves() -> None:
    op.create_table(
        "wave",
        *_key("number"),
        _needed("state", sa.String(8)),
        _needed("planned", sa.BigInteger()),
        sa.Column("ends", sa.BigInteger),
        sa.Column("enrolled", sa.Integer),
        _needed("asked", sa.Integer()),
        _needed("received", sa.Integer()),
        sa.Column("wanted", sa.Integer),
        sa.Column("rule", sa.LargeBinary),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.BigInteger),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "question",
        *_key("wave", "number"),
        _needed("template", sa.LargeBinary()),
        sa.ForeignKeyConstraint(["study", "wave"], ["wave.study", "wave.number"]),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "asked",
        *_key("person", "wave"),
        _needed("question", sa.Integer()),
        _needed("centre", sa.Double()),
        sa.ForeignKeyConstraint(["study", "person"], ["person.study", "person.position"]),
        sqlite_with_rowid=False,
    )


def _what_came_of_it() -> None:
    op.create_table(
        "report",
        *_key("person", "wave"),
        _needed("body", sa.Text()),
        sa.ForeignKeyConstraint(["study", "person", "wave"], ["asked.study", "asked.person", "asked.wave"]),
        sqlite_with_rowid=False,
    )
    op.create_table("totals", *_key("wave"), _needed("document", sa.LargeBinary()), sqlite_with_rowid=False)
    op.create_table("model", *_key(), _needed("document", sa.LargeBinary()))


def downgrade() -> None:
    """There is nothing before the first tables."""
    raise NotImplementedError("The first tables are not taken away: make a new database instead.")
