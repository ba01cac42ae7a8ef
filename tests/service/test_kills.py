"""A server that is killed loses nothing that it acknowledged and counts nothing twice."""

from __future__ import annotations

from pathlib import Path

from tests.service.kills import kill_studies
from tests.service.stores import Cluster

TIMES = 4


def test_sqlite_survives_kills(tmp_path: Path):
    tally = kill_studies(TIMES, lambda folder: f"sqlite:///{folder / 'study.sqlite'}", tmp_path)
    assert tally.kills >= TIMES


def test_two_servers_on_one_postgresql_survive_kills(postgres: Cluster, tmp_path: Path):
    tally = kill_studies(TIMES, lambda folder: postgres.database(), tmp_path, servers=2)
    assert tally.kills >= TIMES
