"""What the curator's functions are given during a fit: each call's name and arguments, as bytes."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

_OUTSIDE = ("semildp.curator", "semildp.client", "semildp.audit")


class Given:
    """Listens at every place from which a function of the curator is called."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[str, list[bytes]]] = []
        for name, module in list(sys.modules.items()):
            if name.startswith("semildp.") and not name.startswith(_OUTSIDE):
                for attribute, value in list(vars(module).items()):
                    if inspect.isfunction(value) and value.__module__.startswith("semildp.curator"):
                        patch.setattr(module, attribute, self._heard(value))

    def _heard(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def listening(*args: Any, **kwargs: Any) -> Any:
            self.calls.append((function.__name__, [_bytes(arg) for arg in (*args, *kwargs.values())]))
            return function(*args, **kwargs)

        return listening


def _bytes(argument: Any) -> bytes:
    """Return the argument as bytes; of a function, the name."""
    if callable(argument):
        return getattr(argument, "__qualname__", type(argument).__name__).encode()
    return pickle.dumps(argument)
