"""`semildp fit`: the model of reports that are in Parquet files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semildp.cli.verbs import add_verb

if TYPE_CHECKING:
    from semildp.backends import Backend

_AFTER = """\
examples:
  semildp fit reports/*.parquet --study study.toml -o model.json
  semildp fit reports/*.parquet --study study.toml -o model.json \\
      --backend dask --scheduler tcp://head:8786

Files are those that `semildp export` writes: docs/stored-reports.md describes them. They are read
in batches, and memory does not grow with the number of people; but semi-private, and protocols that
fit a tree to people's rows, hold all of them in memory. The model is the same, to the last bit,
whatever the back end. A cluster's workers must find the files under the same names.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "fit",
        run,
        about="make the model from reports in Parquet files",
        text="Make the model from reports in Parquet files: on this machine, or on a Dask cluster.",
        stopped="Stopped before all reports were read; no model was written.",
        after=_AFTER,
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="reports (Parquet)")
    parser.add_argument("--study", type=Path, required=True, metavar="FILE", help="the study's file, TOML or JSON")
    parser.add_argument("-o", "--out", "--output", type=Path, metavar="FILE", help="where to write (default: print)")
    parser.add_argument(
        "--backend", choices=["threads", "serial", "dask"], default="threads", help="where it runs (default: threads)"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster (default: one on this machine)")
    parser.add_argument("--threads", type=int, metavar="N", help="how many (default: one for each processor)")
    parser.add_argument("--in-memory", type=int, metavar="N", help="people whose rows are held, at most (3,000,000)")


def run(options: argparse.Namespace) -> int:
    """Read the reports, and write the model."""
    from semildp._checks import whole_number
    from semildp.cli.files import written_whole
    from semildp.cli.progress import progress_bar
    from semildp.stored import fit_reports, open_reports
    from semildp.stored.fitting import MOST_IN_MEMORY
    from semildp.study import Study

    backend, most = _backend(options), MOST_IN_MEMORY
    if options.in_memory is not None:
        most = whole_number("--in-memory", options.in_memory, 1, 2**40)
    reports = open_reports(options.files, Study.read(options.study))
    with progress_bar(reports.n_people, "people") as bar:
        model = fit_reports(reports, backend, bar.update, most_in_memory=most)
    raw = model.to_json()
    if options.out is None:
        sys.stdout.buffer.write(raw)
        return 0
    with written_whole(options.out) as stream:
        stream.write(raw.decode())
    people = sum(group.n_people for group in model.spent if group.total > 0)
    print(f"The model, from {people:,} people, is in {options.out}.", file=sys.stderr)
    return 0


def _backend(options: argparse.Namespace) -> Backend:
    """Return the back end, or refuse options that belong to another."""
    from semildp.backends import Serial, Threads
    from semildp.errors import InputError

    for name, own in (("scheduler", "dask"), ("threads", "threads")):
        if getattr(options, name) is not None and options.backend != own:
            raise InputError(f"--{name} belongs to --backend {own}. Got --backend {options.backend}. Leave one out.")
    if options.backend == "dask":
        from semildp.backends.dask import Dask

        return Dask(options.scheduler)
    return Serial() if options.backend == "serial" else Threads(options.threads)
