"""The consent page and the real server: one person, from the link to thanks, in a real browser."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.browser.running import browse, need_browser
from tests.browser.scene import COLLECTION, QUESTIONS_IN_WORDS, SLEEP

SERVE = "import sys; from semildp.service.server import serve; serve(sys.argv[1], port=0, log_level='DEBUG')"
CURATOR = "c" * 43
RAW = (b"8.0625", b"6.4375")  # what the person types for a private feature and for the label


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for all files: with a short name, for Chromium keeps a socket in it."""
    with tempfile.TemporaryDirectory(prefix="semildp-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def collection() -> str:
    """The study's table of how it is collected: by invitation, one visit."""
    lines = ["", "[collection]", "people = 300"]
    lines += [f"{name} = {json.dumps(COLLECTION[name])}" for name in ("title", "description", "contact")]
    for name, words in QUESTIONS_IN_WORDS.items():
        lines += [f"[collection.questions.{name}]", *(f"{key} = {json.dumps(text)}" for key, text in words.items())]
    return "\n".join(lines) + "\n"


def invite(base: str) -> str:
    """Have an invitation made, as the curator does."""
    head = {"Authorization": f"Bearer {CURATOR}", "Content-Type": "application/json"}
    with urlopen(Request(f"{base}/api/curator/invitations", b'{"count": 1}', head)) as reply:
        (token,) = json.load(reply)["invitations"]
    return str(token)


def test_the_store_has_just_what_was_shown_and_nothing_raw_is_kept_anywhere(folder: Path, monkeypatch):
    """The browser's own folder and temporary files are beside the server's files, and are searched with them."""
    pytest.importorskip("semildp.service.server", reason="The service is not installed here.")
    need_browser()
    study, shown = folder / "study.toml", folder / "shown.json"
    study.write_text(SLEEP.to_toml() + collection(), "utf-8")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("SEMILDP_SHOWN", str(shown))
    environment = {**os.environ, "SEMILDP_CURATOR_TOKEN": CURATOR}
    command = [sys.executable, "-c", SERVE, str(study)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        try:
            assert server.stdout is not None
            listening = next(line for line in server.stdout if "Listening on " in line)
            base = f"http://localhost:{listening.strip().rsplit(':', 1)[1]}"
            monkeypatch.setenv("SEMILDP_LINK", f"#{invite(base)}")
            assert browse(base, "the whole way") == {"the whole way": None}
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()
    seen = json.loads(shown.read_text())
    shown.unlink()
    with sqlite3.connect(study.with_suffix(".sqlite")) as store:
        assert store.execute("SELECT enrolment FROM person").fetchall() == [(seen["enrolment"],)]
        assert store.execute("SELECT body FROM report").fetchall() == [(seen["report"],)]
    store.close()
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 3  # the study, its store, the log
    assert not [(path, raw) for path in files for raw in RAW if raw in path.read_bytes()]
