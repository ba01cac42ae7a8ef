"""The browser's device passes every test vector, read from the same files as Python's."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser.running import run

VECTORS = Path(__file__).parent / "vectors"
FILES = ("studies", "questions", "answers")
ENTRIES = {name: json.loads((VECTORS / f"{name}.json").read_text("ascii")) for name in FILES}
CASES = [(name, i, entry["name"]) for name in FILES for i, entry in enumerate(ENTRIES[name])]


@cache
def results() -> dict[tuple[str, int], dict[str, Any]]:
    return {(line["file"], line["index"]): line for line in run("vectors.mjs")}


@pytest.mark.parametrize(("file", "index", "name"), CASES, ids=lambda value: str(value)[:40])
def test_the_browser_s_device_agrees_with_the_vector(file, index, name):
    result = results()[file, index]
    assert result["name"] == name
    assert result["wrong"] is None


def test_every_vector_was_run_and_no_other():
    assert set(results()) == {(file, index) for file, index, _ in CASES}
    assert len(CASES) >= 300
