"""Results on disk: one small file per task, written whole or not at all, so that a stopped run can go on."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

import semildp
from experiments.rows import COLUMNS, Row
from experiments.task import Task

TASK_COLUMNS = tuple(field.name for field in fields(Task))


def code_version() -> str:
    """A fingerprint of what can change a result: the library, and the experiments apart from tables and plots."""
    digest = hashlib.sha256()
    computing = [path for path in Path(__file__).parent.glob("*.py") if path.stem.split("_")[0] not in PRESENTATION]
    for path in sorted([*Path(semildp.__path__[0]).rglob("*.py"), *computing]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


PRESENTATION = {"", "store", "runner", "summary", "tables", "plots", "figures", "figure", "claims", "studies"}


class Store:
    """A folder of finished tasks, of one version of the code."""

    def __init__(self, root: Path) -> None:
        self.folder = root / f"tasks-{code_version()}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def _path(self, task: Task) -> Path:
        return self.folder / f"{task.study}-{task.key}.csv"

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
                settings = ["" if value is None else str(value) for value in asdict(task).values()]
                with open(self._path(task), newline="") as rows:
                    writer.writerows([*settings, *row] for row in csv.reader(rows))
