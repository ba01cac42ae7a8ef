"""Methods and data sets are files of their own; results are kept by what determines them; workers have one thread."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from experiments.common import registry
from experiments.common.datasets import data_set, load
from experiments.common.registry import METHODS, methods_of
from experiments.common.rows import Row
from experiments.common.task import Task
from experiments.run import store as store_module
from experiments.run.runner import start_workers
from experiments.run.store import Store
from experiments.run.studies import RECIPES, by_method
from tests.standin import write_standin

ROOT = Path(__file__).parents[1]
TASK = Task("table", 0, 0, 2.0, data="ABA", preference="aligned", method="krr")


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    return write_standin(folder)


def test_two_methods_or_data_sets_cannot_share_a_name():
    with pytest.raises(ValueError, match=r"There is a method 'krr' already, in .*krr\.py"):
        registry.method("krr", "table")(lambda problem, task: [])
    with pytest.raises(ValueError, match="There is a data set 'ABA' already"):
        data_set("ABA", RECIPES["ABA"])


def test_every_study_has_methods_and_every_method_runs_somewhere():
    settings = [TASK, replace(TASK, study="beyond")]
    for study in ("trade-off", "consistency", "parameters", "beyond-simulation"):
        settings += [Task(study, 0, 0, 1.0, n_people=10, n_private=s) for s in range(6)]
    settings.append(Task("selection", 0, 0, 1.0, n_people=10, gamma=1.0))
    assert {task.method for task in by_method(settings)} == set(METHODS)
    names = {s: [found.name for found in methods_of(Task("trade-off", 0, 0, 1.0, n_private=s))] for s in (0, 2, 5)}
    assert names == {0: ["noisy-label-trees"], 2: ["hist-of-tree-grid", "joint"], 5: ["hist"]}


def test_a_key_changes_with_all_that_determines_the_rows(tmp_path, data):
    keys = {Store(tmp_path / "one", str(data)).key(TASK)}
    assert Store(tmp_path / "two", str(data)).key(TASK) in keys
    changes = ({"seed": 1}, {"replication": 1}, {"epsilon": 1.0}, {"preference": "personalized"}, {"method": "hist"})
    keys |= {Store(tmp_path, str(data)).key(replace(TASK, **change)) for change in changes}
    assert len(keys) == 6
    other = tmp_path / "other"
    other.mkdir()
    write_standin(other, n_rows=59)
    assert Store(tmp_path, str(other)).key(TASK) not in keys


def test_a_version_changes_with_the_methods_own_file_and_with_shared_code_alone(tmp_path, data, monkeypatch):
    store = Store(tmp_path, str(data))
    krr, hist = store.key(TASK), store.key(replace(TASK, method="hist"))
    changed = tmp_path / "krr.py"
    changed.write_text(METHODS["krr"].file.read_text() + "\n# changed\n")
    monkeypatch.setitem(METHODS, "krr", replace(METHODS["krr"], file=changed))
    again = Store(tmp_path, str(data))
    assert again.key(TASK) != krr
    assert again.key(replace(TASK, method="hist")) == hist
    monkeypatch.setattr(store_module, "shared_version", lambda: "another library")
    assert Store(tmp_path, str(data)).key(replace(TASK, method="hist")) != hist


def test_what_is_kept_is_found_by_any_command_and_not_under_other_settings(tmp_path, data):
    Store(tmp_path, str(data)).save(TASK, [Row("KRR", 0.5, bins=2)])
    store = Store(tmp_path, str(data))
    assert store.has(TASK)
    assert not store.has(replace(TASK, seed=1))
    store.merge([TASK], tmp_path / "rows.csv")
    assert "table,0,0,2.0,ABA,aligned,,,,KRR,0.5,nan" in (tmp_path / "rows.csv").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "experiments" / "methods").glob("*.py")), ids=lambda path: path.stem)
def test_a_method_uses_shared_code_and_public_names_only(path):
    """Its version covers its own file and what is shared; another method's file would be missing there."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith(("experiments.methods", "experiments.run", "experiments.show"))
            assert not any(part.startswith("_") for part in (node.module or "").split(".") if part != "__future__")
            assert not any(alias.name.startswith("_") for alias in node.names)


def _threads() -> tuple[list[int], str | None]:
    return [library["num_threads"] for library in threadpool_info()], os.environ.get("OMP_NUM_THREADS")


def test_a_worker_has_one_thread():
    with threadpool_limits(2), start_workers(1) as pool:
        threads, told = pool.submit(_threads).result()
    assert threads
    assert set(threads) == {1}
    assert told == "1"


def test_a_data_set_is_read_once_and_named_by_its_numbers(data):
    assert load("ABA", data) is load("ABA", data)
    assert load("ABA", data).digest != load("AQU", data).digest
