"""The store: tables are those of the migrations, however many servers start at once; commits are durable."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from semildp.errors import InputError
from semildp.service.core import open_core
from semildp.service.database import migrate, open_engine
from semildp.service.tables import metadata
from tests.service.crowd import Crowded
from tests.service.serving import write_study

FIRST = (
    "INSERT INTO study (id, digest, document, seed, curator_hash, created, people, hidden) "
    "VALUES (1, 'd', '', '1', 'c', 0, 1, '[]')",
    "INSERT INTO person VALUES (1, 0, 'h', '{}')",
    "INSERT INTO asked VALUES (1, 0, 1, 0, 0.0)",
    "INSERT INTO report (study, person, wave, body) VALUES (1, 0, 1, 'sent')",
)


def test_migrations_make_the_tables_that_the_store_uses(url: str):
    engine = open_engine(url)
    migrate(engine)
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_reports_are_kept_by_newer_tables(url: str):
    """What stands in the first tables stands in the newest."""
    engine = open_engine(url)
    migrate(engine, "0001")
    with engine.begin() as connection:
        for statement in FIRST:
            connection.execute(text(statement))
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT study, person, wave, body FROM report")).all() == [(1, 0, 1, "sent")]
    engine.dispose()


def test_a_report_is_kept_only_of_who_was_asked(url: str, tmp_path: Path):
    study = write_study(tmp_path, Crowded("public-tree", "split", "aligned").study, people=100)
    store = open_core(study, url).store
    with store.writing() as (connection, _, _):
        row = {"position": 0, "token_hash": "h", "enrolment": "{}", "invitation": None}
        store.add_people(connection, [row, {**row, "position": 1, "token_hash": "g"}], 2, [0] * 4)
        store.add_asked(connection, 1, [(0, 0, 0.0)])
        store.add_reports(connection, 1, {0: "sent"})
    with pytest.raises(IntegrityError), store.writing() as (connection, _, _):
        store.add_reports(connection, 1, {1: "not asked"})
    with store.reading() as connection:
        assert store.reports(connection, 1) == [(0, 0, 0.0, b"sent")]
    store.engine.dispose()


def test_servers_that_start_together_make_one_study(url: str, tmp_path: Path):
    study = write_study(tmp_path, Crowded("public-tree", "split", "aligned").study, people=100)
    with ThreadPoolExecutor(4) as pool:
        cores = list(pool.map(lambda _: open_core(study, url), range(4)))
    assert len({core.store.study for core in cores}) == 1
    assert sum(core.new_curator_token is not None for core in cores) == 1
    for core in cores:
        core.store.engine.dispose()


def test_sqlite_waits_for_the_disk_and_keeps_its_rules(tmp_path: Path):
    engine = open_engine(f"sqlite:///{tmp_path / 'study.sqlite'}")
    with engine.connect() as connection:
        found = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
    engine.dispose()
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}


def test_postgresql_waits_for_the_disk(postgres):
    engine = open_engine(postgres.database())
    with engine.connect() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
    engine.dispose()


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://x/y"])
def test_other_databases_are_refused_in_a_sentence(url: str):
    with pytest.raises(InputError, match="The database must be"):
        open_engine(url)
