"""Has anything become twice as slow? python -m benchmarks.guard [--write].

Measures a handful of small ratios again and holds them against benchmarks/ratios.toml; smaller is better. One that is
more than twice what is recorded is measured up to three times before this fails. --write records today's.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from tqdm import tqdm

from benchmarks.ratios import RATIOS

RECORDED = Path(__file__).with_name("ratios.toml")
WORSE = 2.0  # so many times as slow as recorded is too slow
TRIES = 3
INTERRUPTED = 130
HEAD = """\
# Ours over theirs, in one run on 2 cores: smaller is better. `python -m benchmarks.guard` fails if one has doubled;
# `python -m benchmarks.guard --write` measures and records all of them anew.

"""

Measure = Callable[[], float]


def judge(measures: Mapping[str, Measure], recorded: Mapping[str, float], told: Callable[[str], None]) -> list[str]:
    """Return a sentence for each ratio that was more than twice as bad as recorded at every try."""
    problems = []
    for name, measure in measures.items():
        told(name)
        if name not in recorded:
            problems.append(f"{name} is not recorded: run `python -m benchmarks.guard --write` on an idle machine.")
            continue
        found: list[float] = []
        while len(found) < TRIES and (not found or found[-1] > WORSE * recorded[name]):
            found.append(measure())
        if min(found) > WORSE * recorded[name]:
            problems.append(
                f"{name} must stay below {WORSE:g} times what is recorded, {recorded[name]:.3g}. Got "
                f"{min(found):.3g} at best in {TRIES} tries: find what has become slow, or record it with --write."
            )
    return problems


def record(measures: Mapping[str, Measure], told: Callable[[str], None]) -> str:
    """Measure all ratios, each three times, and return the middle ones as TOML."""
    lines = []
    for name, measure in measures.items():
        told(name)
        lines.append(f'"{name}" = {sorted(measure() for _ in range(TRIES))[TRIES // 2]:.3g}')
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Judge or record; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="record today's ratios")
    options = parser.parse_args()
    start = time.perf_counter()
    try:
        with tqdm(total=len(RATIOS), unit="ratio", leave=False, disable=None) as bar:

            def told(name: str) -> None:
                bar.set_postfix_str(name)
                bar.update()

            if options.write:
                RECORDED.write_text(record(RATIOS, told))
                print(f"Recorded {len(RATIOS)} ratios.")
                return 0
            problems = judge(RATIOS, tomllib.loads(RECORDED.read_text()), told)
    except KeyboardInterrupt:
        print("\nStopped; nothing was judged or recorded.", file=sys.stderr)
        return INTERRUPTED
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(
            f"{len(RATIOS)} ratios are within {WORSE:g} times the recorded ones ({time.perf_counter() - start:.0f} s)."
        )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
