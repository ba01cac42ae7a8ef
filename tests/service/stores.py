"""The two stores: a SQLite file, and a PostgreSQL cluster of the test's own."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WHERE = ("/usr/lib/postgresql", "/usr/local/pgsql")


class Cluster:
    """A PostgreSQL server in a temporary folder, on a free port of this machine."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.programs = folder, programs
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self._n = 0
        folder.mkdir(parents=True, exist_ok=True)
        if os.getuid() == 0:
            shutil.chown(folder, user=_somebody())
        self._run("initdb", "-D", str(folder / "data"), "-U", "semildp", "-A", "trust", "--no-sync", "-E", "UTF8")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = ["-D", str(self.folder / "data"), "-p", str(self.port), "-k", str(self.folder), "-h", "127.0.0.1"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.programs / "postgres"), *options], stdout=log, stderr=log, **_as_somebody()
            )
        end = time.monotonic() + 60
        while subprocess.run(
            [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        ).returncode:
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it at once, as when a machine goes away."""
        assert self._process is not None
        self._process.send_signal(3)  # SIGQUIT: immediate shutdown
        self._process.wait()

    @property
    def process(self) -> int:
        """The number of its first process."""
        assert self._process is not None
        return self._process.pid

    def database(self) -> str:
        """Make a database, and return its address."""
        import psycopg

        self._n += 1
        with psycopg.connect(f"host=127.0.0.1 port={self.port} user=semildp dbname=postgres", autocommit=True) as made:
            made.execute(f"CREATE DATABASE d{self._n}")
        return f"postgresql://semildp@127.0.0.1:{self.port}/d{self._n}"

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.programs / program), *arguments], check=True, stdout=subprocess.DEVNULL, **_as_somebody()
        )


def _somebody() -> str:
    """PostgreSQL refuses to run as root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise AssertionError("no user to run PostgreSQL as")


def _as_somebody() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    entry = pwd.getpwnam(_somebody())
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": "/"}


def find_postgres() -> Path | None:
    """Return the folder of PostgreSQL's programs, if it is installed."""
    places = [p for where in WHERE for p in sorted(Path(where).glob("**/bin/initdb"), reverse=True)]
    found = shutil.which("initdb")
    places += [Path(found)] if found else []
    return places[0].resolve().parent if places else None


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that stops at the end. Without PostgreSQL the test is skipped, or fails where it is required."""
    programs = find_postgres()
    if programs is None:
        if os.environ.get("SEMILDP_REQUIRE_POSTGRES") == "1":
            pytest.fail("PostgreSQL is required here (SEMILDP_REQUIRE_POSTGRES=1) and not installed.")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql.")
    made = Cluster(folder, programs)
    made.start()
    try:
        yield made
    finally:
        made.stop()
