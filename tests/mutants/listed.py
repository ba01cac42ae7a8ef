"""The list of planted faults: one table per room in faults/, checked against the source and the tests."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent / "faults"
_REQUIRED, _ALLOWED = {"id", "leaks", "file", "old", "new", "tests"}, {"equivalent"}


@dataclass(frozen=True)
class Fault:
    """One fault: what leaks, in plain words, the text that is replaced, and the tests that must then fail.

    `equivalent` says why a fault leaks nothing after all; it is then planted nowhere and needs no test.
    """

    id: str
    room: str
    leaks: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str = ""


def read_faults(folder: Path = LISTS) -> list[Fault]:
    """Return all faults, room by room; a list that cannot be read is refused in a sentence."""
    faults: list[Fault] = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("fault", []):
            if not _REQUIRED <= set(entry) <= _REQUIRED | _ALLOWED:
                raise ValueError(f"{path.name}: a fault must have {sorted(_REQUIRED)}. Got {sorted(entry)}.")
            faults.append(Fault(**{**entry, "room": path.stem, "tests": tuple(entry["tests"])}))
    return faults


def problems(faults: list[Fault], root: Path = ROOT) -> list[str]:
    """Say, a sentence each, what is out of date: ids, texts to replace, names of tests."""
    found = []
    names = [fault.id for fault in faults]
    found += [f"{name}: the id must be given once." for name in sorted({n for n in names if names.count(n) > 1})]
    for fault in faults:
        found += [f"{fault.id}: {problem}" for problem in _problems(fault, root)]
    return found


def _problems(fault: Fault, root: Path) -> list[str]:
    path = root / fault.file
    times = path.read_text(encoding="utf-8").count(fault.old) if path.is_file() else 0
    found = []
    if times != 1:
        found.append(
            f"`old` must occur exactly once in {fault.file}. It occurs {times} times: bring the fault up to date."
        )
    if fault.new == fault.old:
        found.append("`new` must differ from `old`.")
    if not fault.tests and not fault.equivalent:
        found.append("it must name a test that catches it, or say why it is equivalent.")
    found += [f"no such test: {test}." for test in fault.tests if not _exists(root, test)]
    return found


def _exists(root: Path, test: str) -> bool:
    """Look a test up by its file and its function's name; what is in brackets is left to pytest."""
    file, _, name = test.partition("::")
    return name.split("[")[0] in _functions(root / file)


@cache
def _functions(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
