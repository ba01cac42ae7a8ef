"""The consent page and the real server: one person, from the link to thanks, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.running import browse, node
from tests.browser.scene import COLLECTION, QUESTIONS_IN_WORDS, SLEEP

SERVE = "import sys; from semildp.service.server import serve; serve(sys.argv[1], port=0, log_level='WARNING')"


def collection() -> str:
    """The study's table of how it is collected: open to all, one visit."""
    lines = ["", "[collection]", 'access = "open"', "people = 300"]
    lines += [f"{name} = {json.dumps(COLLECTION[name])}" for name in ("title", "description", "contact")]
    for name, words in QUESTIONS_IN_WORDS.items():
        lines += [f"[collection.questions.{name}]", *(f"{key} = {json.dumps(text)}" for key, text in words.items())]
    return "\n".join(lines) + "\n"


def test_a_person_goes_the_whole_way(tmp_path: Path) -> None:
    pytest.importorskip("semildp.service.server", reason="The service is not installed here.")
    node()
    study = tmp_path / "study.toml"
    study.write_text(SLEEP.to_toml() + collection(), "utf-8")
    command = [sys.executable, "-c", SERVE, str(study)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            listening = next(line for line in server.stdout if "Listening on " in line)
            port = listening.strip().rsplit(":", 1)[1]
            assert browse(f"http://localhost:{port}", "the whole way") == {"the whole way": None}
        finally:
            server.terminate()
            server.wait(30)
