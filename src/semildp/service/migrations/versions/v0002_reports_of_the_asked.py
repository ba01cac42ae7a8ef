"""Reports without foreign keys: the statement that keeps reports takes each person from what they were asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Take the keys away; SQLite cannot, so there the table is written anew."""
    if op.get_bind().dialect.name == "postgresql":
        for key in sa.inspect(op.get_bind()).get_foreign_keys("report"):
            op.drop_constraint(str(key["name"]), "report", type_="foreignkey")
        return
    op.create_table(
        "report_next",
        *(sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in ("study", "person", "wave")),
        sa.Column("body", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO report_next SELECT study, person, wave, body FROM report")
    op.drop_table("report")
    op.rename_table("report_next", "report")


def downgrade() -> None:
    """An older program does not start on newer tables."""
    raise NotImplementedError("Tables are not put back: keep the newer program.")
