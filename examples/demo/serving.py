"""A collection server in a process of its own, which is stopped whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

LISTENING = "Listening on "
STOP_SECONDS = 20  # until it is ended by force


@contextmanager
def serving(study: Path, token: str) -> Iterator[str]:
    """Serve a study from its folder on a free port of this machine; yields the address."""
    command = [sys.executable, "-m", "semildp", "serve", str(study), "--port", "0", "--log-level", "ERROR"]
    environment = {**os.environ, "SEMILDP_CURATOR_TOKEN": token}
    before = signal.signal(signal.SIGTERM, _leave)
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )  # a session of its own: Ctrl-C reaches this program alone, which then stops the server
    try:
        assert server.stdout is not None
        lines = (line.removeprefix(LISTENING).strip() for line in server.stdout if line.startswith(LISTENING))
        address = next(lines, None)
        if address is None:
            raise OSError("the server did not start")
        yield address
    finally:
        server.terminate()
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stdout is not None:
            server.stdout.close()
        signal.signal(signal.SIGTERM, before)


def _leave(number: int, frame: FrameType | None) -> None:
    """End in good order, so that the server is stopped."""
    raise SystemExit(128 + number)
