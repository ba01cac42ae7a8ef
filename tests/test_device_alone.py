"""A device runs where only numpy and msgspec are installed, and answers a question from its bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from semildp.study import Study
from tests.test_vectors import FILES, STUDIES, judged_by_curator

ROOT = Path(__file__).parents[1]
INSTALLED = ("numpy", "msgspec")
ABSENT = ("sklearn", "scipy", "pandas", "polars", "joblib", "matplotlib", "pytest", "pip")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has these two packages and no other."""
    home = tmp_path_factory.mktemp("device")
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt", system_site_packages=False).create(home)
    folder = next(home.glob("lib/python*/site-packages"))
    for name in INSTALLED:
        tops = {Path(str(file)).parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}
        for top in tops:
            (folder / top).symlink_to(distribution(name).locate_file(top))
    return home / "bin" / "python"


def alone(python: Path, entry: dict[str, Any]) -> dict[str, Any]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    clean["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [python, "-s", "-W", "error", "-m", "tests.programs.alone"],
        input=json.dumps(entry),
        text=True,
        env=clean,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "cost"),
    [("pair, subset", "1"), ("label and bins", "3/2"), ("cell, binary", "1"), ("label and signed", "2")],
)
def test_a_device_with_numpy_and_msgspec_alone_answers_a_question(name, cost, python):
    entry = next(entry for entry in FILES["answers"] if entry["name"] == name)
    study: Study = STUDIES[entry["study"]]
    told = alone(python, {**entry, "study": study.to_json().decode(), "sought": [*INSTALLED, *ABSENT]})
    assert told["from"] == str(ROOT / "src" / "semildp" / "client" / "__init__.py")
    assert told["found"] == list(INSTALLED)
    strangers = set(told["loaded"]) - set(sys.stdlib_module_names) - {"semildp", "tests", "__main__", *INSTALLED}
    assert not {name for name in strangers if not name.startswith("_")}
    assert told["again"] == told["report"]
    assert told["spent"] == cost
    assert judged_by_curator({**entry, "text": told["report"], "enrolment": told["enrolment"]}) is None
