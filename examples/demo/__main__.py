"""The command line: `python -m examples.demo [--quick] [--out DIR]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

INTERRUPTED = 130  # 128 + SIGINT, as shells expect


def main(arguments: list[str] | None = None) -> int:
    """Run the demo and say where the page is."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description="See what semildp does, in a minute.")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, for a first look or a test")
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="where to write (default: demo)")
    options = parser.parse_args(arguments)
    try:
        return _run(options.out, options.quick)
    except KeyboardInterrupt:
        print("\nStopped before the page was complete.", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"Could not write to {options.out}: {error.strerror or error}.", file=sys.stderr)
        return 1


def _run(out: Path, quick: bool) -> int:
    """Import late, so that an interrupt or a missing library ends in a sentence too."""
    try:
        from examples.demo.app import run
        from examples.demo.contest import QUICK, Size
        from examples.demo.second_act import PEOPLE, QUICK_PEOPLE, collect
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "tqdm"):
            raise
        print(f"The demo needs {error.name}: pip install 'semildp[plots]'.", file=sys.stderr)
        return 1
    page = run(out, QUICK if quick else Size())
    print(f"\nThe page is at {page}; open it in any browser.")
    study = collect(out, QUICK_PEOPLE if quick else PEOPLE)
    if study is not None:
        print(f"The study's model, totals, privacy statement and pictures are in {study}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
