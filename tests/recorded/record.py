"""Write the predictions down: run from the repository's root as `python -m tests.recorded.record`.

Do so only for a change that is meant to change predictions, and say which in CHANGELOG.md.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.recorded import cases


def main() -> None:
    """Write one file per family of fits."""
    for name, each in cases.FILES.items():
        rows = {case: cases.recorded(cases.predictions(estimator, mask)) for case, estimator, mask in each()}
        lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(row)}" for case, row in rows.items())
        (Path(__file__).parent / f"{name}.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
