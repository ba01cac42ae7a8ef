"""Many threads and processes on one ledger, killed at random: python -m benchmarks.ledger [--seconds 60].

Every process opens the ledger, answers questions from many threads, writes every report it was handed to a log, closes,
and tries again; most of the time it is refused, because another has the ledger. Meanwhile processes are killed with
SIGKILL, every second time the one that has the ledger, and replaced. In the end: one report per question, each of them
in the ledger, and what is spent is what is recorded. Exit code 1 says that a rule was broken.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from benchmarks.ledger_check import Verdict, check
from benchmarks.ledger_worker import Terms, work

OPENER = "semildp.client:Ledger.open"


def stress(folder: str, opener: str, threads: int, processes: int, seconds: float, n_questions: int) -> Verdict:
    """Run the processes for so many seconds, kill and replace them at random, and check what is left."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.ledger_worker"])
    first = context.Process(target=time.sleep, args=(0,))  # returns when the server of processes is ready
    first.start()
    first.join()
    terms = Terms(folder, opener, threads, time.monotonic(), seconds, n_questions)
    logs = (Path(terms.folder, f"{number}.log") for number in count())

    def start() -> ForkServerProcess:
        worker = context.Process(target=work, args=(terms, next(logs)), daemon=True)
        worker.start()
        return worker

    workers = [start() for _ in range(processes)]
    killed = []
    try:
        for _ in _moments(terms):
            place = _victim(terms, workers)
            killed.append(_kill(workers[place]))
            workers[place] = start()
    finally:
        ended = [_kill(worker) for worker in workers]
    verdict = check(terms)
    verdict.counts["kills"] = sum(killed)
    if not all(killed + ended):
        verdict.violations.append("A process ended by itself.")
    return verdict


def _moments(terms: Terms) -> Iterator[None]:
    """Yield at random moments, three times a second or more, until the run is over."""
    while (left := terms.start + terms.seconds - time.monotonic()) > 0:
        time.sleep(min(left, random.uniform(0, 0.3)))
        yield


def _victim(terms: Terms, workers: list[ForkServerProcess]) -> int:
    """Return which process to kill: every second time the one that has the ledger, as far as can be known."""
    try:
        holder = int(Path(terms.folder, "holder").read_text())
    except (FileNotFoundError, ValueError):  # nobody yet, or being written
        holder = -1
    known = [place for place, worker in enumerate(workers) if worker.pid == holder]
    return known[0] if known and random.random() < 0.5 else random.randrange(len(workers))


def _kill(worker: ForkServerProcess) -> bool:
    """Kill a process; return whether it was alive."""
    alive = worker.is_alive()
    worker.kill()
    worker.join()
    worker.close()
    return alive


def main() -> int:
    """Run, print the figures, and return 1 if a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=20)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--folder", help="where the ledger is to live; a folder in memory writes faster than a disk")
    parser.add_argument("--opener", default=OPENER, help="module:function that opens the ledger, to try another one")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        verdict = stress(folder, chosen.opener, chosen.threads, chosen.processes, chosen.seconds, chosen.questions)
    print(f"{chosen.seconds:g} seconds, {chosen.processes} processes of {chosen.threads} threads: ", end="")
    print(f"{verdict.counts['kills']} kills, {verdict.line()}.")
    for violation in verdict.violations[:20]:
        print(violation)
    print(f"Rules broken: {len(verdict.violations)}.")
    return 1 if verdict.violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
