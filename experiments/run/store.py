"""Results on disk: one small file per task, written whole or not at all, so that a stopped run can go on.

A file is named by a hash of what determines its rows: the task's settings, method and seed, the numbers of its data
set, and the method's version. A version is a hash of code: of the library, of what methods share (`common/`), and of
the file that the method is written in; and of the versions of NumPy and scikit-learn. So a change to a method makes its
own results invalid and no others; a change to tables and figures, none.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path

import numpy as np
import sklearn

import semildp
from experiments import common
from experiments.common.datasets import RECIPES, load
from experiments.common.registry import METHODS
from experiments.common.rows import COLUMNS, Row
from experiments.common.task import Task

TASK_COLUMNS = tuple(field.name for field in fields(Task) if field.name != "method")  # rows name their method


@lru_cache(maxsize=1)
def shared_version() -> str:
    """Return a hash of the code that all methods use."""
    digest = hashlib.sha256(f"{np.__version__} {sklearn.__version__}".encode())
    for package in (semildp, common):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def version(file: Path) -> str:
    """Return the version of a method that is written in this file."""
    return hashlib.sha256(shared_version().encode() + file.read_bytes()).hexdigest()


class Store:
    """A folder of finished tasks, whichever command ran them."""

    def __init__(self, root: Path, data_folder: str = "") -> None:
        self.folder, self.data_folder = root / "tasks", data_folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._versions: dict[str, str] = {}

    def key(self, task: Task) -> str:
        """Return a hash of everything that determines the task's rows."""
        if task.method not in self._versions:
            self._versions[task.method] = version(METHODS[task.method].file)
        data = load(task.data, Path(self.data_folder)).digest if task.data in RECIPES else None
        told = {**asdict(task), "numbers": data, "version": self._versions[task.method]}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]

    def _path(self, task: Task) -> Path:
        return self.folder / f"{task.study}-{task.method}-{self.key(task)}.csv"

    def has(self, task: Task) -> bool:
        """Whether the task is finished."""
        return self._path(task).exists()

    def save(self, task: Task, rows: Sequence[Row]) -> None:
        """Write a task's rows; a half-written file never gets the final name."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(row.cells() for row in rows)
        unfinished = self._path(task).with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(text.getvalue())
        unfinished.replace(self._path(task))

    def merge(self, tasks: Iterable[Task], target: Path) -> None:
        """Write all rows of the tasks, in the order of the tasks, to one CSV file."""
        with open(target, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*TASK_COLUMNS, *COLUMNS])
            for task in tasks:
                values = (getattr(task, name) for name in TASK_COLUMNS)
                settings = ["" if value is None else str(value) for value in values]
                with open(self._path(task), newline="") as rows:
                    writer.writerows([*settings, *row] for row in csv.reader(rows))
