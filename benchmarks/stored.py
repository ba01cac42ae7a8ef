"""Reports in Parquet files: python -m benchmarks.stored [--people N] [--repeats N] [--folder DIR].

The model of the paper's method (depth 6, two bins, two private features of four) is made from so many stored reports.
Beside it, in the same run, pyarrow alone reads the same columns of the same files. Each is a process of its own, in
turns; medians are shown. At least a third of pyarrow's speed, and less than 1 GiB, are wanted at 10**8 reports.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.stored_people import STUDY, write

PER_FILE = 10_000_000


def read_alone(files: list[Path]) -> int:
    """Let pyarrow read all columns, batch after batch."""
    import pyarrow.parquet as pq

    return sum(len(batch) for file in files for batch in pq.ParquetFile(file).iter_batches(batch_size=1 << 16))


def fit(files: list[Path], backend: str) -> int:
    """Make the model; return from how many people."""
    from semildp.backends import Serial, Threads
    from semildp.stored import fit_reports, open_reports

    model = fit_reports(open_reports(files, STUDY), Serial() if backend == "serial" else Threads())
    return sum(group.n_people for group in model.spent)


def measured(step: str, folder: Path) -> dict[str, float]:
    """Take one step in this process: seconds, people and the most memory it held."""
    files = sorted(folder.glob("*.parquet"))
    started = time.perf_counter()
    people = read_alone(files) if step == "pyarrow" else fit(files, step)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "people": people, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def run(folder: Path, repeats: int) -> None:
    """Take all steps in turns, and print a table."""
    found: dict[str, list[dict[str, float]]] = {"pyarrow": [], "serial": [], "threads": []}
    for _ in range(repeats):
        for step, results in found.items():
            command = [sys.executable, "-m", "benchmarks.stored", "--step", step, "--folder", str(folder)]
            results.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    alone = median(each["seconds"] for each in found["pyarrow"])
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    print(f"{found['pyarrow'][0]['people']:,.0f} people, {size / 1e9:.2f} GB, medians of {repeats}")
    print(f"{'':10}{'seconds':>10}{'ns/person':>12}{'of pyarrow':>12}{'MiB, most':>12}")
    for step, results in found.items():
        seconds, people = median(each["seconds"] for each in results), results[0]["people"]
        most = max(each["memory"] for each in results)
        print(f"{step:10}{seconds:10.2f}{seconds / people * 1e9:12.1f}{alone / seconds:12.2f}{most:12.0f}")


def main() -> None:
    """Write reports, unless they are there, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the files are, or are written and left")
    parser.add_argument("--step", choices=["pyarrow", "serial", "threads"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps(measured(options.step, options.folder)))
        return
    folder = options.folder or Path(tempfile.mkdtemp())
    try:
        if not list(folder.glob("*.parquet")):
            write(folder, options.people, PER_FILE)
        run(folder, options.repeats)
    finally:
        if options.folder is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
