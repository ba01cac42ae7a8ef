"""Another back end in one small file: scans as Ray tasks. python -m examples.ray_backend study.toml reports/*.parquet.

Whatever runs functions elsewhere and brings their results back will do. Three things are needed of it: run
`tally_part(tally, part)` somewhere, for every part; add results up with `+`, in any order; and run a part again if
whoever had it is lost. What reports mean, and what is done with the sums, is not its business.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from semildp.backends import Part, nothing, tally_part
from semildp.backends.base import Done

B = TypeVar("B")
T = TypeVar("T")


class Ray:
    """A Ray cluster, to which the process is connected (`ray.init`)."""

    def fold(self, tally: Callable[[B], T], parts: Sequence[Part[B]], done: Done = nothing) -> T:
        """Add up `tally(batch)` over all batches of all parts, each part by a task of its own."""
        import ray

        scan = ray.remote(max_retries=3)(tally_part)  # again, if a worker is lost
        shared = ray.put(tally)
        running: dict[Any, int] = {scan.remote(shared, part): len(part) for part in parts}
        total: Any = None
        while running:
            (ready,), _ = ray.wait(list(running))
            one = ray.get(ready)
            total = one if total is None else total + one
            done(running.pop(ready))
        result: T = total
        return result


def main() -> None:
    """Make a model from files."""
    import ray

    from semildp.stored import fit_reports, open_reports
    from semildp.study import Study

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    ray.init()
    sys.stdout.buffer.write(fit_reports(open_reports(options.files, Study.read(options.study)), Ray()).to_json())


if __name__ == "__main__":
    main()
