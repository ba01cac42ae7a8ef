"""All that reaches the curator: enrolments, questions and marks, wave by wave, and what its functions are given."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import struct
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

import msgspec
import numpy as np
import pytest

from semildp import simulate
from semildp.curator.waves import Collected, State, Wave
from semildp.study import Study

_PLAIN = frozenset({bool, int, str, bytes, type(None)})
_OUTSIDE = ("semildp.curator", "semildp.client", "semildp.audit", "semildp.simulate")


class Given:
    """Listens where the curator is told something.

    That is whenever a protocol is asked what comes next, when reports come back, when a batch of them is added up, and
    at every place outside from which a function of the curator is called.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[str, Any]] = []
        patch.setattr(simulate, "conduct", self._conducting(simulate.conduct))
        patch.setattr(State, "batch", self._heard(State.batch))
        for module, attribute in _functions(len(sys.modules)):
            patch.setattr(module, attribute, self._heard(getattr(module, attribute)))

    def _heard(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def listening(*args: Any, **kwargs: Any) -> Any:
            name = getattr(function, "__name__", type(function).__name__)
            self.calls.append((name, told([*args, *kwargs.values()])))
            return function(*args, **kwargs)

        return listening

    def _conducting(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def conduct(protocol: Any, state: State, collect: Callable[[Wave], Collected]) -> Any:
            def collecting(wave: Wave) -> Collected:
                self.calls.append(("asked", told([state, wave])))
                if wave.tally is not None:
                    wave = dataclasses.replace(wave, tally=self._heard(wave.tally))
                back = collect(wave)
                self.calls.append(("collected", told(back)))
                return back

            result = own(protocol, state, collecting)
            self.calls.append(("conducted", told([state, *result])))
            return result

        return conduct


@lru_cache(maxsize=1)
def _functions(n_modules: int) -> list[tuple[ModuleType, str]]:
    """Return where the curator's functions stand outside of it; looked for anew once more modules are loaded."""
    return [
        (module, attribute)
        for name, module in list(sys.modules.items())
        if name.startswith("semildp.") and not name.startswith(_OUTSIDE)
        for attribute, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__.startswith("semildp.curator")
    ]


def _bits(*numbers: float) -> bytes:
    return struct.pack(f"{len(numbers)}d", *numbers)


@lru_cache(maxsize=1000)
def _fields(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields that messages and data classes of a kind have."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def told(value: Any) -> Any:
    """Return all that can be read off a value, in plain types; of a function or a source, its name."""
    kind = type(value)
    if kind is float:
        return _bits(value)
    if kind in _PLAIN:
        return kind, value
    if kind in (list, tuple):
        kinds = set(map(type, value))
        if kinds == {float}:
            return _bits(*value)
        if kinds <= _PLAIN:
            return [*map(type, value)], [*value]
        return [told(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if kind is Study:
        return value.to_json()
    if (names := _fields(kind)) is not None:
        return kind.__name__, [told(getattr(value, name)) for name in names]
    if hasattr(value, "words") or callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    if isinstance(value, Mapping):
        return {name: told(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [told(entry) for entry in value]
    return pickle.dumps(value)
