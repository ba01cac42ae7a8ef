"""Tables of fields for docs/wire-format.md, read off the schemas.

In the page, a table stands between `<!-- fields of NAME -->` and `<!-- end -->`, where NAME is a document's; what else
the page says is written by hand. `python -m semildp.wire.schemas docs/wire-format.md` writes the tables anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from semildp.wire.schemas import schema

_PLACE = re.compile(r"(<!-- fields of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_HEAD = ("| form | field | holds | if left out |", "|---|---|---|---|")
_PLAIN = {"string": "text", "number": "number", "boolean": "true or false", "null": "null", "integer": "whole number"}

Form = Mapping[str, Any]


def with_tables(page: str) -> str:
    """Return the page with its tables written anew; a form that two documents have stands in the first of them."""
    seen: set[str] = set()

    def table(place: re.Match[str]) -> str:
        forms = schema(place[2])["$defs"]
        new = {name: form for name, form in forms.items() if name not in seen}
        seen.update(forms)
        return place[1] + field_table(new) + place[3]

    return _PLACE.sub(table, page)


def field_table(forms: Mapping[str, Form]) -> str:
    """Return one table of the fields of all forms, in their order."""
    lines = [*_HEAD]
    for name, form in forms.items():
        for field, holds in form["properties"].items():
            left_out = "refused" if field in form["required"] else _default(holds)
            lines.append(f"| {name} | `{field}` | {words(holds)} | {left_out} |")
    return "\n".join(lines) + "\n"


def words(holds: Form) -> str:
    """Say in words what a field holds."""
    if "$ref" in holds:
        return str(holds["$ref"]).rpartition("/")[2]
    if "anyOf" in holds:
        return _or([words(each) for each in holds["anyOf"]])
    if "const" in holds or "enum" in holds:
        return _or([f"`{json.dumps(value)}`" for value in holds.get("enum", [holds.get("const")])])
    kind = holds["type"]
    if kind == "array":
        return f"list of {words(holds['items'])}" if "items" in holds else "list"
    if kind == "object":
        keys = holds.get("propertyNames", {}).get("pattern")
        named = f", names {_pattern(keys)}" if keys else ""
        return f"table of {words(holds['additionalProperties'])}{named}"
    return _PLAIN[kind] + _range(holds) + (f" {_pattern(holds['pattern'])}" if "pattern" in holds else "")


def _range(holds: Form) -> str:
    """Say between which numbers."""
    low, high, above = (holds.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
    if above is not None:
        return f" above {above}"
    if low is not None and high is not None:
        return f" from {_power(low)} to {_power(high)}"
    return "" if low is None else f" from {_power(low)}"


def _power(number: int) -> str:
    """Write large whole numbers by powers of two."""
    size = abs(number)
    for offset, tail in ((0, ""), (1, " - 1")):
        whole = size + offset
        if whole > 1024 and whole & (whole - 1) == 0:
            power = f"2^{whole.bit_length() - 1}{tail}"
            return power if number > 0 else f"-({power})"
    return str(number)


def _pattern(pattern: str) -> str:
    """Show a regular expression without the guard against a line's end, and so that a table's cell can hold it."""
    return "`" + pattern.replace(r"(?!\n)", "").replace("|", r"\|") + "`"


def _default(holds: Form) -> str:
    """Say what a field is if it is left out; a version may only be the one there is."""
    return f"`{json.dumps(holds['const'] if 'const' in holds else holds['default'])}`"


def _or(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else ", ".join(choices[:-1]) + f" or {choices[-1]}"
