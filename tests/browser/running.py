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
CHROMIUM = os.environ.get("SEMILDP_CHROMIUM", "/usr/bin/chromium")
MODULES = Path(os.environ.get("SEMILDP_NODE_MODULES", HERE / "node_modules"))


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


def browse(base: str, *names: str) -> dict[str, str | None]:
    """Run stories in Chromium against a server; return what is wrong with each of them."""
    if not Path(CHROMIUM).exists():
        missing(f"there is no Chromium at {CHROMIUM}; SEMILDP_CHROMIUM says where it is")
    for package in ("playwright-core", "axe-core"):
        if not (MODULES / package).exists():
            missing(f"{package} is not in {MODULES}; run npm install there, or set SEMILDP_NODE_MODULES")
    environment = os.environ | {"SEMILDP_NODE_MODULES": str(MODULES), "SEMILDP_CHROMIUM": CHROMIUM}
    command = [node(), str(HERE / "page.mjs"), base, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return {line["name"]: line["wrong"] for line in map(json.loads, done.stdout.splitlines())}


def run(script: str, lines: Iterable[Any] = (), page: Path | None = None) -> list[Any]:
    """Run a script of this folder with JSON lines in and JSON lines out; `page` is another copy of the page's code."""
    environment = os.environ | ({} if page is None else {"SEMILDP_PAGE": str(page)})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    command = [node(), str(HERE / script)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]
