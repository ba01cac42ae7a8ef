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
from collections.abc import Callable
from pathlib import Path
from statistics import median

from distributed import Client, LocalCluster

from benchmarks.stored_people import STUDY, write
from semildp.backends import Serial, nothing
from semildp.backends.dask import Dask
from semildp.stored import Reports, fit_reports, open_reports

MANY = 10**9
WORKERS = (1, 16, 64)


def on_cluster(reports: Reports, n_workers: int, repeats: int, bar: Callable[[int], object] = nothing) -> list[float]:
    """Return the seconds that a cluster takes, after a first scan that is not counted; its bits are checked."""
    wanted, seconds = fit_reports(reports, Serial()).to_json(), list[float]()
    with (
        LocalCluster(n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        for _ in range(repeats + 1):
            started = time.perf_counter()
            assert fit_reports(reports, Dask(client), bar).to_json() == wanted
            seconds.append(time.perf_counter() - started)
    return seconds[1:]


def killed(reports: Reports) -> tuple[float, bool]:
    """Kill one of two workers half-way; return the seconds it took in all, and whether the bits are the same."""
    wanted, read, victim = fit_reports(reports, Serial()).to_json(), 0, list[int]()
    with (
        LocalCluster(2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=60) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        pids = list(client.run(os.getpid).values())

        def done(people: int) -> None:
            nonlocal read
            read += people
            if read >= reports.n_people / 3 and not victim:
                victim.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        started = time.perf_counter()
        same = fit_reports(reports, Dask(client), done).to_json() == wanted
        return time.perf_counter() - started, same and bool(victim)


def main() -> None:
    """Measure, and calculate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reports = open_reports(write(Path(folder), options.people, 1_000_000), STUDY)
        size = sum(os.stat(part.path).st_size for part in reports.parts)
        one, two = list[float](), list[float]()
        for _ in range(options.repeats):
            one += on_cluster(reports, 1, 1)
            two += on_cluster(reports, 2, 1)
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
