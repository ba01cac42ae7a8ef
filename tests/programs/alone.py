"""A device's program with numpy and the codec alone: a vector from standard input, the report to standard output."""

from __future__ import annotations

import importlib.util
import json
import sys

import semildp.client
from semildp.client import Device, Ledger
from semildp.study import Study


def main() -> None:
    """Answer one question; print the report, what was spent, the packages loaded and those that could be."""
    entry = json.load(sys.stdin)
    person = entry["person"]
    ledger = Ledger(2)
    device = Device(
        Study.from_dict(json.loads(entry["study"])), person["values"], person["label"], person["hidden"], ledger
    )
    told = {
        "from": semildp.client.__file__,
        "enrolment": device.enrol().decode(),
        "report": device.answer(entry["question"].encode()).decode(),
        "again": device.answer(entry["question"].encode()).decode(),
        "spent": str(ledger.spent),
        "loaded": sorted({name.partition(".")[0] for name in sys.modules}),
        "found": [name for name in entry["sought"] if importlib.util.find_spec(name) is not None],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
