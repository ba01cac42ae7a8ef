"""Writing a study as TOML: a table of its fields, then one table per feature."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def write_toml(document: Mapping[str, Any]) -> str:
    """Return TOML that holds what a study's JSON holds: text, numbers, truth values, lists of text, tables of these."""
    plain = {key: value for key, value in document.items() if not _is_table(value)}
    tables = {key: value for key, value in document.items() if _is_table(value)}
    lines = [f"{_text(key)} = {toml_value(value)}" for key, value in plain.items()]
    for key, value in tables.items():
        head = f"[{_text(key)}]" if isinstance(value, Mapping) else f"[[{_text(key)}]]"
        for table in [value] if isinstance(value, Mapping) else value:
            lines += ["", head, *(f"{_text(name)} = {toml_value(entry)}" for name, entry in table.items())]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    rows = isinstance(value, Sequence) and not isinstance(value, str) and any(isinstance(row, Mapping) for row in value)
    return isinstance(value, Mapping) or rows


def toml_value(value: Any) -> str:
    """Return one value as TOML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)} = {toml_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return _text(value) if isinstance(value, str) else "[" + ", ".join(toml_value(entry) for entry in value) + "]"


def _text(text: str) -> str:
    """Return a quoted string; TOML takes what JSON escapes, once it is written in full rather than in ASCII."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
