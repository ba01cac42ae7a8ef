"""Reading JSON strictly: no field twice, nothing that is not finite, nothing before or after."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from semildp.errors import InputError

_SURELY_FINITE = 300  # digits of a whole number that fits in 64-bit floating point, whatever they are


class JsonError(InputError):
    """Text that is not strict JSON; `problem` is "not-json", "duplicate-field" or "not-finite"."""

    def __init__(self, problem: str, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = problem


def strict_json(text: bytes | str) -> Any:
    """Return what JSON text in UTF-8 holds, or refuse it."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        data = json.loads(
            text, object_pairs_hook=_each_once, parse_constant=_not_finite, parse_float=_finite, parse_int=_whole
        )
        if "\\u" in text:
            json.dumps(data, ensure_ascii=False).encode("utf-8")  # fails where half a character was written
        return data
    except JsonError:
        raise
    except UnicodeError:
        raise JsonError("not-json", "JSON must be in UTF-8. Got other bytes.") from None
    except (TypeError, ValueError, RecursionError) as problem:
        raise JsonError("not-json", f"What was sent must be JSON. {problem}.") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise JsonError("duplicate-field", "JSON must not name a field twice.")
    return dict(pairs)


def _not_finite(word: str) -> NoReturn:
    raise JsonError("not-finite", f"Numbers must be finite. Got {word}.")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if abs(number) != float("inf") else _not_finite(digits[:40])


def _whole(digits: str) -> int:
    if len(digits) <= _SURELY_FINITE:
        return int(digits)
    _finite(digits)
    return int(digits)
