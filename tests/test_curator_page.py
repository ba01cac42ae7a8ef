"""The curator's page in a real browser, against the real server: a finished study, and one that collects."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="The service is not installed: pip install semildp[serve].")
pytest.importorskip("sqlalchemy", reason="The service is not installed: pip install semildp[serve].")

from tests.browser.running import browse, need_browser
from tests.browser.sleepers import sleepers, take_part, write_nights
from tests.service.serving import CURATOR, Server, serving

STORIES = (
    "every size and colour",
    "findings",
    "downloads",
    "wrong token",
    "by link",
    "unreachable",
    "other states",
    "so far",
    "ending",
)
PEOPLE = 400

pytestmark = pytest.mark.xdist_group("curator page")  # one worker, so that studies are made once


def collect(server: Server, most: int) -> None:
    """Let people come, wave after wave, until the study is finished or so many have come."""
    people, came, wave = sleepers(11), 0, 1
    while came < most and not (status := server.until(wave))["outcome"]:
        newest = status["waves"][-1]
        wave, wanted = newest["wave"] + 1, min(newest["wanted"] - newest["received"], most - came)
        came += wanted
        assert take_part(server, list(itertools.islice(people, wanted))) == wanted


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str | None]]:
    need_browser()
    finished, collecting = (tmp_path_factory.mktemp(name) for name in ("finished", "collecting"))
    with at(finished) as one, at(collecting) as two:
        collect(one, PEOPLE)
        assert one.until(99)["outcome"] == "model"
        collect(two, PEOPLE // 2 + 10)
        bases = {"finished": f"http://localhost:{one.port}", "collecting": f"http://localhost:{two.port}"}
        yield browse(json.dumps({**bases, "token": CURATOR}), script="curator.mjs")


def at(folder: Path):
    """A server of the study, in a folder."""
    return serving(write_nights(folder, PEOPLE), f"sqlite:///{folder / 'study.sqlite'}", folder / "log", seed=5)


@pytest.mark.parametrize("name", STORIES)
def test_the_curator_s_page(name: str, results: dict[str, str | None]):
    assert results[name] is None


def test_every_story_was_run(results: dict[str, str | None]):
    assert tuple(results) == STORIES
