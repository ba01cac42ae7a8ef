"""The second act: a study is served, simulated people take part over HTTP, and what was learnt is saved."""

from __future__ import annotations

import secrets
import time
from importlib.util import find_spec
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from examples.demo.screenshots import find_browser, take

if TYPE_CHECKING:
    from semildp.remote import Curator, Http

PEOPLE, QUICK_PEOPLE = 2_000, 600
SEED = 2025
NEEDS = ("starlette", "uvicorn", "httptools", "sqlalchemy", "alembic", "httpx", "tqdm")
WORKERS = 4  # people served at the same time
PATIENCE = 120  # seconds for the last wave to be added up


def collect(out: Path, people: int, *, progress: bool = True) -> Path | None:
    """Serve a study, let people take part, save what came of it in a folder; None if it was skipped."""
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        print(f"The second act, a study over HTTP, is skipped: it needs {missing[0]} (pip install 'semildp[serve]').")
        return None
    from examples.demo.serving import serving
    from examples.demo.sleepers import study_file

    folder, token = out / "study", secrets.token_urlsafe(32)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="semildp-demo-") as temporary:
        study = Path(temporary) / "study.toml"
        study.write_text(study_file(people), encoding="utf-8")
        (folder / "study.toml").write_text(study_file(people), encoding="utf-8")
        with serving(study, token) as address:
            _conduct(address, token, people, folder, progress)
    return folder


def _conduct(address: str, token: str, people: int, folder: Path, progress: bool) -> None:
    """Take a picture of the page people see, let them come, finish, save."""
    from semildp.remote import Curator, Http
    from semildp.remote.told import status_lines

    browser = find_browser()
    print(f"\nA study is served at {address}; {people:,} simulated people take part.")
    shots = [] if browser is None else [take(browser, f"{address}/", folder / "consent.png", 430)]
    with Http(address, tries=8) as http:
        curator = Curator(http, token)
        _visit(http, people, progress)
        told = _finish(curator)
        print("\n".join(line for line in status_lines(told) if "semildp model" not in line))  # it is saved here
        (folder / "privacy-statement.txt").write_bytes(curator.statement())
        if told["outcome"] == "model":
            (folder / "model.json").write_bytes(curator.model())
            (folder / "totals.json").write_bytes(curator.totals())
    if browser is None:
        print("No pictures of its pages were taken: Chromium is not installed.")
        return
    shots.append(take(browser, f"{address}/curator#{token}", folder / "curator.png", 1280))
    if not all(shots):
        print("Not all pictures of its pages could be taken: Chromium did not answer in time.")


def _visit(http: Http, people: int, progress: bool) -> None:
    """Let everybody take part, each with a device of their own."""
    from tqdm import tqdm

    from examples.demo.sleepers import SLEEP, sleepers
    from semildp.crowd import Crowd
    from semildp.remote import Server

    with tqdm(total=people, desc="people", unit="", disable=None if progress else True) as bar:
        crowd = Crowd(Server(http), SLEEP, workers=WORKERS, patience=10, progress=bar.update)
        crowd.visit(zip(sleepers(people, SEED), repeat(None), strict=False))


def _finish(curator: Curator) -> dict[str, Any]:
    """Close the study unless it ends by itself, and wait for the result; some people came too late for their wave."""
    told = curator.status()
    if told["status"] != "closed" and told["waves"][-1]["state"] == "open":
        curator.close()
    end = time.monotonic() + PATIENCE
    while not (told := curator.status())["outcome"]:
        if time.monotonic() > end:
            raise OSError("the study did not end")
        time.sleep(0.2)
    return told
