"""`scripts/mutants`: plants every fault in a copy of the source, one by one, and shows which test catches it."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutants.listed import Fault, problems, read_faults
from tests.mutants.planting import PASSED, Garden, Outcome, try_fault


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if every fault is caught, 1 if one survives or the list is out of date, 130 if interrupted."""
    parser = argparse.ArgumentParser(prog="scripts/mutants", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="ID", help="plant these faults alone")
    parser.add_argument("--list", action="store_true", help="print the list and plant nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="faults tried at a time")
    options = parser.parse_args(arguments)
    faults = read_faults()
    outdated = problems(faults)
    unknown = sorted(set(options.only or ()) - {fault.id for fault in faults})
    outdated += [f"{name}: no such fault." for name in unknown]
    if outdated:
        print("\n".join(outdated), file=sys.stderr)
        return 1
    chosen = [fault for fault in faults if options.only is None or fault.id in options.only]
    if options.list:
        for fault in chosen:
            print(f"{fault.id:<6} {fault.room:<12} {fault.leaks}" + (" (equivalent)" if fault.equivalent else ""))
        return 0
    with tempfile.TemporaryDirectory(prefix="semildp-mutants-") as folder:
        garden = Garden(Path(folder))
        try:
            return _plant(chosen, garden, max(1, options.jobs))
        except KeyboardInterrupt:
            print("\nStopped; nothing is left behind.", file=sys.stderr)
            return 130
        finally:
            garden.close()


def _plant(faults: list[Fault], garden: Garden, jobs: int) -> int:
    planted = [fault for fault in faults if not fault.equivalent]
    tests = sorted({test for fault in planted for test in fault.tests})
    outcomes: list[Outcome] = []
    pool = ThreadPoolExecutor(jobs)
    try:
        unharmed = pool.submit(_tests_pass, tests, garden)
        for done in as_completed([pool.submit(try_fault, fault, garden) for fault in planted]):
            outcomes.append(done.result())
            _progress(f"{len(outcomes)} of {len(planted)} planted, {sum(o.caught for o in outcomes)} caught")
        _progress("")
        sound = unharmed.result()
    except BaseException:
        garden.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    _print_table(sorted(outcomes, key=lambda outcome: faults.index(outcome.fault)))
    return _summary(outcomes, [fault for fault in faults if fault.equivalent], sound)


def _tests_pass(tests: list[str], garden: Garden) -> str:
    """Run all named tests on the source as it is; return what they wrote if one fails."""
    with garden.copy() as place:
        code, written = garden.run_tests(place, tests)
    return "" if code == PASSED or not tests else written


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="" if text else "\r", file=sys.stderr, flush=True)


def _print_table(outcomes: Iterable[Outcome]) -> None:
    print(f"{'id':<6} {'room':<12} {'seconds':>7}  what leaks; caught by")
    for outcome in outcomes:
        fault, by = outcome.fault, outcome.caught_by or f"SURVIVES {outcome.trouble}"
        print(f"{fault.id:<6} {fault.room:<12} {outcome.seconds:>7.1f}  {fault.leaks}\n{'':<28}  {by}")


def _summary(outcomes: list[Outcome], equivalent: list[Fault], sound: str) -> int:
    for fault in equivalent:
        print(f"{fault.id:<6} {fault.room:<12} {'':>7}  {fault.leaks}\n{'':<28}  equivalent: {fault.equivalent}")
    survivors = [outcome.fault.id for outcome in outcomes if not outcome.caught]
    caught = len(outcomes) - len(survivors)
    print(f"\n{caught} of {len(outcomes)} planted faults are caught; {len(equivalent)} more are equivalent.")
    if survivors:
        print(f"Not caught: {', '.join(survivors)}.")
    if sound:
        print(f"The named tests must pass without a fault. They do not:\n{sound[-3000:]}")
    return 1 if survivors or sound else 0


if __name__ == "__main__":
    sys.exit(main())
