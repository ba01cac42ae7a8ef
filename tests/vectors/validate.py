"""As much of JSON Schema as the published schemas use, by hand."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
KNOWN = {
    *("$schema", "$ref", "$defs", "title", "description", "default", "discriminator", "type", "const", "enum", "anyOf"),
    *("pattern", "minimum", "maximum", "exclusiveMinimum", "items", "required", "properties", "propertyNames"),
    "additionalProperties",
}


def accepts(schema: dict[str, Any], value: Any, root: dict[str, Any] | None = None) -> bool:
    """Whether a value is as the schema says."""
    root = schema if root is None else root
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema and not accepts(root["$defs"][schema["$ref"].split("/")[-1]], value, root):
        return False
    if "anyOf" in schema and not any(accepts(each, value, root) for each in schema["anyOf"]):
        return False
    if "const" in schema and (value != schema["const"] or isinstance(value, bool)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "type" in schema and not _is(schema["type"], value):
        return False
    return _within(schema, value) and _parts(schema, value, root)


def _is(name: str, value: Any) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _within(schema: dict[str, Any], value: Any) -> bool:
    if isinstance(value, str):
        return "pattern" not in schema or re.search(schema["pattern"], value) is not None
    if not isinstance(value, int | float):
        return True
    inside = schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return inside and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])


def _parts(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    if isinstance(value, list):
        return all(accepts(schema.get("items", {}), each, root) for each in value)
    if not isinstance(value, dict):
        return True
    own, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    for name, part in value.items():
        if "propertyNames" in schema and not accepts(schema["propertyNames"], name, root):
            return False
        if name not in own and others is False:
            return False
        if not accepts(own.get(name, others), part, root):
            return False
    return set(schema.get("required", [])) <= set(value)
