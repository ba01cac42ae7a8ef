"""The methods by name. A file in `methods/` adds its own by decorating a function; nothing else has to be changed."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from experiments.common.problem import Problem
from experiments.common.rows import Row
from experiments.common.task import Task

Run = Callable[[Problem, Task], list[Row]]


@dataclass(frozen=True)
class Method:
    """A method as the runner sees it.

    Parameters
    ----------
    name
        Its name in tasks and in names of files; the rows it returns say what tables call it.
    studies
        The studies that run it.
    run
        From a problem and the task's settings to rows, one per grid point.
    when
        Which tasks of these studies run it.
    file
        Where it is written down: a change there makes its kept results invalid.
    """

    name: str
    studies: tuple[str, ...]
    run: Run
    when: Callable[[Task], bool]
    file: Path


METHODS: dict[str, Method] = {}


def method(name: str, *studies: str, when: Callable[[Task], bool] = lambda task: True) -> Callable[[Run], Run]:
    """Register the decorated function as a method of these studies."""

    def register(run: Run) -> Run:
        file = Path(inspect.getfile(run)).resolve()
        if name in METHODS and METHODS[name].file != file:
            raise ValueError(f"There is a method {name!r} already, in {METHODS[name].file}. Choose another name.")
        METHODS[name] = Method(name, studies, run, when, file)
        return run

    return register


def methods_of(task: Task) -> list[Method]:
    """Return the methods that a task's settings are run with, by name."""
    return [found for _, found in sorted(METHODS.items()) if task.study in found.studies and found.when(task)]


def import_all(package: str, path: Iterable[str]) -> None:
    """Import every file of a folder."""
    for found in pkgutil.iter_modules(list(path)):
        importlib.import_module(f"{package}.{found.name}")


def import_file(path: Path) -> None:
    """Import a file from anywhere, once: it may add methods and data sets."""
    name = f"experiments_from_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} must be a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
