"""What is loaded by what: nothing heavy before it is used. benchmarks/imports.py says how long it takes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("numba", "dask", "distributed", "matplotlib", "starlette", "sqlalchemy", "tqdm")


def loaded(code: str) -> set[str]:
    """Return the modules that a fresh process has after this code."""
    code = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    """Return top-level packages, without the standard library's and the compiled parts of others."""
    tops = {name.split(".")[0] for name in modules} - set(sys.stdlib_module_names)
    return {name for name in tops if not name.startswith("_") and "cython" not in name}


def test_the_package_alone_loads_the_standard_library_only():
    assert packages(loaded("import semildp")) == packages(loaded("")) | {"semildp"}


def test_help_loads_neither_numpy_nor_scikit_learn():
    code = (
        "import contextlib, io, semildp.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    semildp.cli.main(['--help'])"
    )
    assert not packages(loaded(code)) & {
        "numpy",
        "sklearn",
        "scipy",
        "msgspec",
        *HEAVY,
    }


@pytest.mark.parametrize("name", ["SemiPrivateRegressor", "HistOfTreeRegressor"])
def test_an_estimator_loads_little_beyond_scikit_learn(name):
    with_ours = loaded(f"from semildp import {name}")
    scikit_learn = loaded("import sklearn")
    assert packages(with_ours - scikit_learn) <= {"semildp", "msgspec", "typing_extensions"}
    for part in ("client", "curator", "protocols", "simulate", "service", "audit"):
        assert f"semildp.{part}" not in with_ours
    assert not {module for module in with_ours - scikit_learn if module.startswith(("sklearn", "scipy"))}


def test_a_device_loads_numpy_and_the_codec():
    beyond = packages(loaded("import semildp.client") - loaded("import numpy"))
    assert beyond <= {"numpy", "semildp", "msgspec", "typing_extensions"}
