"""Running node from a test, and what to say where it is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import pytest

HERE = Path(__file__).parent


def missing(what: str) -> NoReturn:
    """Skip, with a sentence; fail where the environment says that a browser is required."""
    sentence = f"The browser's part is not tested here: {what}."
    if os.environ.get("SEMILDP_REQUIRE_BROWSER") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


def node() -> str:
    """Path of node, version 20 or later."""
    path = shutil.which("node")
    if path is None:
        missing("node is not on the path")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").split(".")[0]) < 20:
        missing(f"node must be version 20 or later, got {version.strip()}")
    return path


def run(script: str, lines: Iterable[Any] = (), page: Path | None = None) -> list[Any]:
    """Run a script of this folder with JSON lines in and JSON lines out; `page` is another copy of the page's code."""
    environment = os.environ | ({} if page is None else {"SEMILDP_PAGE": str(page)})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    command = [node(), str(HERE / script)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]
