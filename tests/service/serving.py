"""Starting and stopping servers for tests, and talking to them."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from semildp.service.tokens import new_token
from semildp.study import Study

ROOT = Path(__file__).parents[2]
CURATOR = "c" * 43
START_SECONDS = 60  # for a machine that is busy with other things


class Reply(NamedTuple):
    """What a server answered."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def problem(self) -> str | None:
        """The name of the problem, if it is one."""
        return (
            json.loads(self.body)["problem"]
            if self.headers.get("content-type", "").startswith("application/prob")
            else None
        )


class Server:
    """A server's process, and connections to it, one for each thread."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log
        self._own = threading.local()
        self._opened: list[http.client.HTTPConnection] = []

    def ask(self, method: str, path: str, body: bytes | None = None, token: str | None = None, **headers: str) -> Reply:
        """Send one request."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self._opened.append(connection)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Reply(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
        except BaseException:
            connection.close()
            self._own.connection = None
            raise

    def curator(self, method: str, what: str, body: bytes | None = None) -> Reply:
        """Ask as the curator."""
        return self.ask(method, f"/api/curator/{what}", body, CURATOR)

    def status(self) -> dict[str, Any]:
        """What the curator sees."""
        told: dict[str, Any] = json.loads(self.curator("GET", "status").body)
        return told

    def invite(self, n: int) -> list[str]:
        """Make invitations."""
        reply = self.curator("POST", "invitations", json.dumps({"count": n}).encode())
        assert reply.status == 201, reply
        return list(json.loads(reply.body)["invitations"])

    def batch(self, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Upload many."""
        reply = self.ask("POST", "/api/batch", b"\n".join(json.dumps(line).encode() for line in lines))
        assert reply.status == 200, reply
        told: dict[str, Any] = json.loads(reply.body)
        return told

    def until(self, wave: int, seconds: float = 120) -> dict[str, Any]:
        """Wait for a wave to open, or for the study's end; return the status."""
        end = time.monotonic() + seconds
        while True:
            status = self.status()
            newest = status["waves"][-1]
            if status["outcome"] or (newest["wave"] >= wave and newest["state"] == "open"):
                return status
            assert time.monotonic() < end, status
            time.sleep(0.05)

    def hang_up(self) -> None:
        """Close all connections."""
        for connection in self._opened:
            connection.close()
        self._opened.clear()
        self._own = threading.local()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> int:
        """Stop it in good order."""
        self.hang_up()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def kill(self) -> None:
        """End it at once, wherever it is."""
        self.hang_up()
        self.process.kill()
        self.process.wait()


def start(study: Path, url: str, log: Path, port: int = 0, **options: Any) -> Server:
    """Start a server on a free port of this machine."""
    arguments = {"study_path": str(study), "database_url": url, "port": port, "curator_token": CURATOR, **options}
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "OMP_NUM_THREADS": "1"}
    with log.open("ab") as errors:
        command = [
            sys.executable,
            "-m",
            "tests.service.run_server",
            json.dumps({"tick_seconds": 0.1, "lease_seconds": 1, **arguments}),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=env, cwd=ROOT)
    assert process.stdout is not None
    line = process.stdout.readline().decode()
    if not line.startswith("Listening"):
        process.kill()
        raise AssertionError(log.read_text())
    return Server(process, int(line.rsplit(":", 1)[1]), log)


@contextmanager
def serving(study: Path, url: str, log: Path, **options: Any) -> Iterator[Server]:
    """A server that stops at the end."""
    server = start(study, url, log, **options)
    try:
        yield server
    finally:
        server.hang_up()
        if server.process.poll() is None:
            server.process.terminate()
        server.process.wait(60)


def write_study(folder: Path, study: Study, **collection: Any) -> Path:
    """Write a study's file."""
    path = folder / "study.toml"
    lines = [f"{name} = {json.dumps(value)}" for name, value in collection.items()]
    path.write_text(study.to_toml() + "\n[collection]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def tokens(n: int) -> list[str]:
    """Draw people's tokens."""
    return [new_token() for _ in range(n)]


def each(server: Server, calls: Sequence[tuple[Any, ...]]) -> list[Reply]:
    """Send many requests over a few connections; answers come in order."""
    with ThreadPoolExecutor(32) as pool:
        return list(pool.map(lambda call: server.ask(*call), calls))
