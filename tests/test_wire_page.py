"""The tables of docs/wire-format.md are those of the schemas, and say every kind of thing that schemas say."""

from __future__ import annotations

from pathlib import Path

import pytest

from semildp.wire.schemas import DOCUMENTS, page

PAGE = (Path(__file__).parents[1] / "docs" / "wire-format.md").read_text(encoding="utf-8")


def test_the_page_s_tables_are_those_of_the_schemas():
    assert page.with_tables(PAGE) == PAGE, "run: python -m semildp.wire.schemas docs/wire-format.md"


def test_every_document_has_a_table_and_every_form_stands_in_one():
    for document in DOCUMENTS:
        assert f"<!-- fields of {document} -->" in PAGE
        for form in page.schema(document)["$defs"]:
            assert f"\n| {form} | `" in PAGE


def test_a_changed_field_changes_the_page(monkeypatch):
    changed = page.schema("report")
    changed["$defs"]["Report"]["properties"]["extra"] = {"type": "boolean", "default": False}
    original = page.schema
    monkeypatch.setattr(page, "schema", lambda name: changed if name == "report" else original(name))
    assert "| Report | `extra` | true or false | `false` |" in page.with_tables(PAGE)


@pytest.mark.parametrize(
    ("holds", "told"),
    [
        ({"type": "number", "exclusiveMinimum": 0}, "number above 0"),
        ({"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**31}, "whole number from -(2^53 - 1) to 2^31"),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "list of text or null"),
        ({"enum": ["a", "b", 3]}, '`"a"`, `"b"` or `3`'),
        ({"type": "string", "pattern": r"^(0|1)$(?!\n)"}, r"text `^(0\|1)$`"),
        ({"$ref": "#/$defs/Tree"}, "Tree"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "table of number"),
    ],
)
def test_words(holds, told):
    assert page.words(holds) == told
