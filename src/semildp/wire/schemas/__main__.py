"""Write the schemas: `python -m semildp.wire.schemas`; with pages as arguments, the tables of fields in these too."""

from __future__ import annotations

import sys
from pathlib import Path

from semildp.wire.schemas import DOCUMENTS, schema_text
from semildp.wire.schemas.page import with_tables

if __name__ == "__main__":
    for document in DOCUMENTS:
        (Path(__file__).parent / f"{document}.json").write_text(schema_text(document), encoding="utf-8")
    for page in map(Path, sys.argv[1:]):
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
