"""Planting one fault in a copy of the source, and running the tests that are to catch it there."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.listed import ROOT, Fault

PASSED, FAILED = 0, 1  # what pytest ends with
SECONDS = 900
_PLUGINS = ("-p", "no:cacheprovider", "-p", "xdist")  # xdist for its marks; others only take time to load


@dataclass(frozen=True)
class Outcome:
    """What came of one fault: the first test that failed, or nothing; and why it could not be tried, if so."""

    fault: Fault
    caught_by: str
    seconds: float
    trouble: str = ""

    @property
    def caught(self) -> bool:
        return bool(self.caught_by)


class Garden:
    """A folder of copies of the project, one per worker; processes started here end with it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._free, self._running = folder, [], set()
        self._made, self._lock, self._closed = 0, threading.Lock(), False

    @contextlib.contextmanager
    def copy(self) -> Iterator[Path]:
        """Lend a copy of the project that is as the project is, and take it back in that state."""
        with self._lock:
            place = self._free.pop() if self._free else None
            self._made += place is None
            number = self._made
        if place is None:
            place = self._folder / f"copy{number}"
            for part in ("src", "tests"):
                shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(ROOT / "pyproject.toml", place)
        yield place
        with self._lock:
            self._free.append(place)

    def run_tests(self, place: Path, tests: Sequence[str]) -> tuple[int, str]:
        """Run tests in a copy; return what pytest ended with, and what it wrote."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", *_PLUGINS, "--tb=short", *tests]
        path = {"PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        with self._lock:
            if self._closed:
                return -1, "stopped"
            process = subprocess.Popen(
                command,
                cwd=place,
                env={**os.environ, **path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            written, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            written, _ = process.communicate()
            written += f"\nnot done after {SECONDS} seconds"
        finally:
            with self._lock:
                self._running.discard(process)
        return process.returncode, written

    def close(self) -> None:
        """End what is still running."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()


def try_fault(fault: Fault, garden: Garden) -> Outcome:
    """Plant the fault, run its tests, take it out again."""
    start = time.monotonic()
    with garden.copy() as place:
        path = place / fault.file
        sound = path.read_text(encoding="utf-8")
        path.write_text(sound.replace(fault.old, fault.new), encoding="utf-8")
        try:
            code, written = garden.run_tests(place, fault.tests)
        finally:
            path.write_text(sound, encoding="utf-8")
    seconds = time.monotonic() - start
    if code == FAILED:
        return Outcome(fault, _first_failure(written) or fault.tests[0], seconds)
    trouble = "" if code == PASSED else f"pytest ended with {code}: {' '.join(written.split())[-200:]}"
    return Outcome(fault, "", seconds, trouble)


def _first_failure(written: str) -> str:
    failures = [line.removeprefix("FAILED ") for line in written.splitlines() if line.startswith("FAILED ")]
    return failures[0].split(" - ")[0] if failures else ""
