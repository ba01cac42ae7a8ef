"""Other packages' randomisers, timed in an environment of their own, .venv-peers, made when first needed."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv-peers"
SCRIPT = Path(__file__).with_name("peer_times.py")

# What pip is asked for. pure-ldp does not name statsmodels and scikit-learn; diffprivlib 0.6 does not import with
# scikit-learn 1.6 and later.
REQUIRED = {
    "diffprivlib": ("diffprivlib", "scikit-learn<1.6"),
    "pure-ldp": ("pure-ldp", "statsmodels", "scikit-learn<1.6"),
    "multi-freq-ldpy": ("multi-freq-ldpy",),
    "opendp": ("opendp",),
}
Times = dict[str, float]


def peer_times(told: Callable[[str], None]) -> dict[str, Times | str]:
    """Return nanoseconds per record by package and task, or a few words on why there are none."""
    python = FOLDER / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.EnvBuilder(with_pip=True, clear=True).create(FOLDER)
    found: dict[str, Times | str] = {}
    for name, required in REQUIRED.items():
        told(name)
        problem = _install(python, required)
        found[name] = f"did not install: {problem}" if problem else _time(python, name)
    return found


def version_of(name: str) -> str:
    """Return the version of a package that was installed for comparison."""
    pattern = f"{name.replace('-', '_')}-*.dist-info"
    found = [path.name for path in FOLDER.glob(f"lib*/**/site-packages/{pattern}")]
    return found[0].removesuffix(".dist-info").split("-")[-1] if found else ""


def _install(python: Path, required: tuple[str, ...]) -> str:
    """Return "" if pip could install these, otherwise its last line."""
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *required]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else _last_line(done.stderr)


def _time(python: Path, name: str) -> Times | str:
    done = subprocess.run([python, "-W", "ignore", SCRIPT, name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"did not run: {_last_line(done.stderr)}"
    times: Times = json.loads(done.stdout.splitlines()[-1])
    return times


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    return (lines[-1] if lines else "no reason given")[:120].replace("|", "/")
