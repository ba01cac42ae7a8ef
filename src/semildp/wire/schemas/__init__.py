"""JSON Schemas of the documents that travel: files beside this one, written by `python -m semildp.wire.schemas`.

A schema says which fields there are and of which types. What a reader must check beyond that is in docs/wire-format.md.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import msgspec

from semildp.wire.messages import VERSION

# By name, for the wire knows nothing of models.
DOCUMENTS = {
    "enrolment": ("semildp.wire.messages", "Enrolment"),
    "question": ("semildp.wire.messages", "Question"),
    "report": ("semildp.wire.messages", "Report"),
    "study": ("semildp.study", "Study"),
    "model": ("semildp.models", "Model"),
}


def schema(document: str) -> dict[str, Any]:
    """Return the schema of a document; its version is the one known here, and messages must state it."""
    module, name = DOCUMENTS[document]
    made = msgspec.json.schema(getattr(import_module(module), name))
    head = made["$defs"][name]
    head["properties"]["version"] = {"const": VERSION}
    if document != "study":
        head["required"].append("version")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": document, **made}


def schema_text(document: str) -> str:
    """Return the schema as the text of its file."""
    return json.dumps(schema(document), indent=2) + "\n"
