"""Public names that are loaded when they are first used: importing a package does not load what it may never need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def from_homes(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's `__getattr__`: it loads a name from the module that `homes` gives for it.

    A name that is a module itself has that module for its home.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        return home if homes[name] == f"{package}.{name}" else getattr(home, name)

    return load
