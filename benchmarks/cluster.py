"""Scans on a Dask cluster: python -m benchmarks.cluster [--people N] [--repeats N].

One worker against two, in turns, each a process with one thread, on this machine; then two of which one is killed when
half of the reports are read. From the rates it is calculated what 10**9 reports need. Wanted: two workers at least 1.6
times as fast as one, and the same bits always.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from distributed import Client, LocalCluster

from benchmarks.stored_people import STUDY, write
from semildp.backends import Serial
from semildp.backends.dask import Dask
from semildp.stored import Reports, fit_reports, open_reports

MANY = 10**9
WORKERS = (1, 16, 64)


@contextmanager
def started(n_workers: int) -> Iterator[Client]:
    """Start a cluster of processes with one thread each."""
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 60}
    one_thread = {"SEMILDP_THREADS": "1"}
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, env=one_thread, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def in_turns(reports: Reports, repeats: int) -> tuple[list[float], list[float]]:
    """Return the seconds that one worker and two take, after a first scan of each that is not counted."""
    wanted = fit_reports(reports, Serial()).to_json()
    seconds: tuple[list[float], list[float]] = ([], [])
    with started(1) as one, started(2) as two:
        for _ in range(repeats + 1):
            for client, taken in zip((one, two), seconds, strict=True):
                begun = time.perf_counter()
                assert fit_reports(reports, Dask(client)).to_json() == wanted
                taken.append(time.perf_counter() - begun)
    return seconds[0][1:], seconds[1][1:]


def killed(reports: Reports) -> tuple[float, bool]:
    """Kill one of two workers half-way; return the seconds it took in all, and whether the bits are the same."""
    wanted, read, victim = fit_reports(reports, Serial()).to_json(), 0, list[int]()
    with started(2) as client:
        pids = list(client.run(os.getpid).values())

        def done(people: int) -> None:
            nonlocal read
            read += people
            if read >= reports.n_people / 3 and not victim:
                victim.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        begun = time.perf_counter()
        same = fit_reports(reports, Dask(client), done).to_json() == wanted
        return time.perf_counter() - begun, same and bool(victim)


def main() -> None:
    """Measure, and calculate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reports = open_reports(write(Path(folder), options.people, 1_000_000), STUDY)
        size = sum(os.stat(part.path).st_size for part in reports.parts)
        one, two = in_turns(reports, options.repeats)
        rate = options.people / median(one)
        print(f"{options.people:,} people in {len(reports.parts)} parts, {size / 1e9:.2f} GB")
        print(f"one worker {median(one):.2f} s, two {median(two):.2f} s: {median(one) / median(two):.2f} times as fast")
        seconds, same = killed(reports)
        print(f"one of two killed: {seconds:.2f} s, the same bits: {'yes' if same else 'NO'}")
        print(f"\n10**9 reports, at {rate / 1e6:.1f} million a second and worker, {size / options.people:.0f} B each:")
        for workers in WORKERS:
            share = median(one) / median(two) / 2  # of a worker's speed that is left when there are more
            took = MANY / rate / (workers * (share if workers > 1 else 1))
            speed = size / options.people * MANY / took / 1e9
            print(f"  {workers:3} workers: {took / 60:6.1f} min, reading {speed:.2f} GB/s")


if __name__ == "__main__":
    main()
