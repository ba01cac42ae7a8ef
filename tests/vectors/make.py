"""Write the vectors: run from the repository's root as `python -m tests.vectors.make`.

The files are what counts. A change of them is a change of the wire format, and belongs in CHANGELOG.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.vectors import answers, enrolments, parts, questions, reports

HERE = Path(__file__).parent


def files() -> dict[str, bytes]:
    """Name and content of every file."""
    studies = {name: study.to_json().decode() for name, study in parts.STUDIES.items()}
    made = {
        "studies.json": [json.dumps({"name": name, "text": text}) for name, text in studies.items()],
        "enrolments.json": [_line(entry) for entry in enrolments.entries()],
        "questions.json": [_line(entry) for entry in questions.entries()],
        "reports.json": [_line(entry) for entry in reports.entries()],
        "answers.json": [_line(entry) for entry in answers.entries()],
    }
    return {name: ("[\n" + ",\n".join(lines) + "\n]\n").encode("ascii") for name, lines in made.items()}


def _line(entry: dict[str, Any]) -> str:
    """An entry on a line: the message's bytes as `text`, or as `hex` where they are not text."""
    written: dict[str, Any] = {}
    for key, value in entry.items():
        if key != "message":
            written[key] = value
        elif isinstance(value, bytes):
            written["hex"] = value.hex()
        else:
            written["text"] = value
    return json.dumps(written)


def main() -> None:
    """Write them."""
    for name, content in files().items():
        (HERE / name).write_bytes(content)


if __name__ == "__main__":
    main()
