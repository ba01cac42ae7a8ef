"""Raw rows that tell who has them in hand: arrays with hooks, and a look at the variables of every function."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np

from semildp.client import People

MAY = ("semildp.client", "semildp.estimators", "semildp.simulate")
HELPERS = ("semildp.partition", "semildp.domains", "semildp.mechanisms", "semildp._checks", "semildp._kernels")
_PLAIN = frozenset({bool, int, float, str, bytes, type(None)})
_looked_at: dict[CodeType, bool] = {}
_seen: list[str] | None = None


def offender(frame: FrameType | None) -> str | None:
    """Return the module on whose behalf something is done, if it must not have raw rows.

    That is the innermost module of semildp on the stack. Helpers of the device act for who called them.
    """
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith("semildp") and not name.startswith(HELPERS):
            return None if name.startswith(MAY) else name
        frame = frame.f_back
    return None


def touched(frame: FrameType | None) -> None:
    if _seen is not None and (name := offender(frame)) is not None:
        _seen.append(name)


class Raw(np.ndarray):
    """An array that notes on whose behalf it is read, copied or computed with."""

    def __array_finalize__(self, source: Any) -> None:
        touched(sys._getframe(1))

    def __getitem__(self, key: Any) -> Any:
        touched(sys._getframe(1))
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Any]:
        touched(sys._getframe(1))
        return super().__iter__()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        touched(sys._getframe(1))
        plain = [x.view(np.ndarray) if isinstance(x, Raw) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        touched(sys._getframe(1))
        return super().__array_function__(function, types, args, kwargs)


def raw(values: np.ndarray) -> Raw:
    """Return a copy that owns its memory, so that every view of it leads back to it."""
    copy = Raw(np.shape(values))
    copy[...] = np.asarray(values)
    return copy


@contextmanager
def watched() -> Iterator[list[str]]:
    """Give a list that fills with the modules that have raw rows in hand and must not."""
    global _seen
    _seen, before = [], sys.getprofile()
    sys.setprofile(_look)
    try:
        yield _seen
    finally:
        sys.setprofile(before)
        _seen = None


def _look(frame: FrameType, event: str, argument: Any) -> None:
    """At every call and return, look at the variables of functions that must not have raw rows."""
    if event not in ("call", "return"):
        return
    code = frame.f_code
    if code not in _looked_at:
        module = str(frame.f_globals.get("__name__"))
        _looked_at[code] = module.startswith("semildp") and not module.startswith(MAY)
    if not _looked_at[code]:
        return
    if _seen is None or (name := offender(frame)) is None:
        return
    held = [*frame.f_locals.values(), argument]
    if any(_is_raw(value) for value in held):
        _seen.append(name)


def _is_raw(value: Any, deep: int = 2) -> bool:
    """Whether this is a raw array, a view of one, or holds one."""
    if type(value) in _PLAIN:
        return False
    if isinstance(value, np.ndarray):
        while value is not None and not isinstance(value, Raw):
            value = getattr(value, "base", None)
        return value is not None
    if isinstance(value, People):
        return True
    if not deep:
        return False
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    if parts is None and type(value).__module__.startswith("semildp"):
        parts = getattr(value, "__dict__", {}).values()
    if not parts or (deep == 1 and not any(issubclass(kind, np.ndarray | People) for kind in set(map(type, parts)))):
        return False  # what parts hold in their turn is not looked at
    return any(_is_raw(part, deep - 1) for part in parts)
