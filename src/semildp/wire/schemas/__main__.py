"""Write the schemas: `python -m semildp.wire.schemas`."""

from __future__ import annotations

from pathlib import Path

from semildp.wire.schemas import DOCUMENTS, schema_text

if __name__ == "__main__":
    for document in DOCUMENTS:
        (Path(__file__).parent / f"{document}.json").write_text(schema_text(document), encoding="utf-8")
