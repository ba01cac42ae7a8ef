"""The consent page in a real browser, against a stand-in server: what is shown is what is sent, and nothing else is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.browser.running import HERE, browse
from tests.browser.stub import PAGE, serve

pytestmark = pytest.mark.xdist_group("browser page")  # one worker, so that the browser is started once
SCENARIOS = re.findall(
    r'^  "?([a-z ]+?)"?: \w+\.\w+,$', (HERE / "scenarios.mjs").read_text().split("SCENARIOS = {")[1], re.M
)


@cache
def results() -> dict[str, str | None]:
    server = serve()
    try:
        return browse(f"http://localhost:{server.server_address[1]}")
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_page_keeps_its_promise(name):
    assert results()[name] is None


def test_every_story_was_run():
    assert len(SCENARIOS) >= 12
    assert list(results()) == SCENARIOS


def texts() -> Iterator[tuple[str, str]]:
    for group, entries in json.loads((PAGE / "texts.json").read_text("utf-8")).items():
        yield from ((f"{group}.{key}", text) for key, text in entries.items()) if isinstance(entries, dict) else ()


def test_the_page_s_code_holds_no_words_and_every_text_is_used():
    code = "".join(path.read_text() for path in PAGE.glob("*.js"))
    used = set(re.findall(r'["`]((?:[a-z-]+)\.[a-z.-]+)["`]', code))
    known = dict(texts())
    computed = re.findall(r"`([a-z-]+(?:\.[a-z-]+)*\.)\$\{", code)  # t(`chance.${kind}`)
    for name in known:
        assert name in used or any(name.startswith(start) for start in computed), f"the text {name} is not used"
    groups = {name.split(".")[0] for name in known}
    for name in used:
        if name.split(".")[0] in groups and not name.endswith((".js", ".json")):
            assert name in known, f"the text {name} is missing"


def test_the_page_loads_nothing_from_elsewhere_and_has_no_inline_code():
    for path in PAGE.rglob("*"):
        if path.suffix in (".js", ".css", ".html"):
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://", text), path
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
            ), path
    page = (PAGE / "index.html").read_text("utf-8")
    assert not re.search(r"<style|<script(?![^>]* src=)|\son[a-z]+=|\sstyle=", page)


def test_only_the_device_s_folder_computes_with_private_values():
    for path in (PAGE / "device").glob("*.js"):
        imports = re.findall(r'from "([^"]+)"', path.read_text())
        assert all(re.fullmatch(r"\./[a-z_]+\.js", name) for name in imports), f"{path.name} reaches out of its folder"
        assert not re.search(r"\bfetch\(|XMLHttpRequest|sendBeacon|document\.", path.read_text()), path.name
