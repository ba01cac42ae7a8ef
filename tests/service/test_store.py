"""The store: tables are those of the migrations, however many servers start at once; commits are durable."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from semildp.errors import InputError
from semildp.service.core import open_core
from semildp.service.database import migrate, open_engine
from semildp.service.tables import metadata
from tests.service.crowd import Crowded
from tests.service.serving import write_study


def test_migrations_make_the_tables_that_the_store_uses(url: str):
    engine = open_engine(url)
    migrate(engine)
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


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
