"""Stores for the service's tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="The service is not installed: pip install semildp[serve].")
pytest.importorskip("sqlalchemy", reason="The service is not installed: pip install semildp[serve].")

from tests.service.stores import Cluster, cluster


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL cluster, in a folder that its own user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="semildp-pg-"))
    folder.chmod(0o755)
    try:
        with cluster(folder / "cluster") as running:
            yield running
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of an empty database: a file, and one in the cluster."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'study.sqlite'}"
    return request.getfixturevalue("postgres").database()
