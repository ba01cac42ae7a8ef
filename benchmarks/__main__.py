"""Measure everything side by side in one run and write BENCHMARKS.md and its picture: python -m benchmarks.

Sections: fits (time and memory, growing with people, features, depth and cells), predict, calls (first, cached),
randomisers (beside other packages, in an environment of their own), imports.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks import first_call, imports, peers, racing, randomisers, report, scaling, tables
from benchmarks.contenders import CONTENDERS, Case
from benchmarks.plot import draw

ROOT = Path(__file__).parents[1]
QUICK_PATIENCE = 1.0
INTERRUPTED = 130  # 128 + SIGINT, as shells expect
TITLES = {
    "fits": "Fits",
    "predict": "Predictions",
    "calls": "First and later calls",
    "randomisers": "Randomisers beside other packages",
    "imports": "Imports",
}


def millions(text: str) -> int:
    """Read a number of people in millions."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.1 <= value <= 100:
        raise argparse.ArgumentTypeError(f"must be a number from 0.1 to 100, in millions of people. Got {text!r}.")
    return round(value * 1e6)


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small cases, under a minute; writes to results/bench")
    parser.add_argument(
        "--million",
        type=millions,
        metavar="M",
        help="fit up to M million people (default: 2); 10 takes some minutes more",
    )
    parser.add_argument("--only", nargs="+", choices=report.ORDER, metavar="SECTION", help=", ".join(report.ORDER))
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to write (default: this repository)")
    options = parser.parse_args(arguments)
    if options.quick and options.million:
        parser.error("--quick fits few people: leave out --million, or --quick.")
    return options


class Run:
    """One run: measures the sections that were asked for, and shows how far it is."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.quick: bool = options.quick
        self.names: tuple[str, ...] = tuple(options.only or report.ORDER)
        self.most: int = scaling.QUICK_MOST if self.quick else options.million or scaling.MOST
        self.fits: list[racing.Measured] = []

    def measure(self, name: str) -> str:
        """Return the body of a section."""
        self.bar = tqdm(total=0, desc=TITLES[name], unit="case", leave=False, disable=None)
        with self.bar:
            body: str = getattr(self, f"_{name}")()
        return body

    def _begins(self, what: Any) -> None:
        words = f"{CONTENDERS[what.method].label}, {what.n:,} people" if isinstance(what, Case) else str(what)
        self.bar.set_postfix_str(words)
        self.bar.update()

    def _expect(self, steps: int) -> None:
        self.bar.reset(total=steps)

    def _fits(self) -> str:
        groups = scaling.by_people(self.most) + ([] if self.quick else scaling.by_shape(self.most))
        self._expect(sum(len(group) for group in groups))
        patience = QUICK_PATIENCE if self.quick else racing.PATIENCE
        self.fits = scaling.measure(groups, self._begins, patience)
        return tables.fits(self.fits)

    def _predict(self) -> str:
        rows = scaling.QUICK_PREDICTED if self.quick else scaling.PREDICTED
        fitted = scaling.QUICK_FITTED if self.quick else scaling.FITTED
        self._expect(len(scaling.PREDICTORS))
        return tables.predict(scaling.predictions(rows, fitted, self._begins), rows, fitted)

    def _calls(self) -> str:
        methods = first_call.QUICK_METHODS if self.quick else first_call.METHODS
        self._expect(len(methods))
        return tables.calls(first_call.first_calls(methods, self._begins))

    def _randomisers(self) -> str:
        with_peers = not self.quick
        self._expect(3 + (len(peers.REQUIRED) if with_peers else 0))
        found: dict[str, dict[str, float] | str] = {**randomisers.randomiser_times(self._begins)}
        if with_peers:
            found |= peers.peer_times(self._begins)
        return tables.randomisers(found, {name: peers.version_of(name) for name in peers.REQUIRED})

    def _imports(self) -> str:
        rounds = 1 if self.quick else imports.ROUNDS
        self._expect((rounds + 1) * len(imports.STATEMENTS))
        return tables.imports(imports.import_seconds(rounds, self._begins))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure section by section, and write each to the page when it is done; return the exit code."""
    options = read_options(arguments)
    folder: Path = options.out or (ROOT / "results" / "bench" if options.quick else ROOT)
    command = " ".join(["scripts/bench", *(sys.argv[1:] if arguments is None else arguments)])
    run, caution = Run(options), report.busy()
    if caution:
        print(f"Caution: {caution}.", file=sys.stderr)
    page, done = folder / "BENCHMARKS.md", list[str]()
    try:
        for name in run.names:
            body = run.measure(name)
            section = report.section(name, TITLES[name], body, command, caution)
            folder.mkdir(parents=True, exist_ok=True)
            page.write_text(report.merged(page.read_text() if page.exists() else "", {name: section}))
            if name == "fits":
                draw(run.fits, folder / "docs" / "images" / "benchmarks.png")
            done.append(name)
    except KeyboardInterrupt:
        print(f"\nStopped. Written before: {', '.join(done) or 'nothing'}.", file=sys.stderr)
        return INTERRUPTED
    except (racing.BenchmarkError, OSError) as problem:
        print(f"\nStopped: {problem} Written before: {', '.join(done) or 'nothing'}.", file=sys.stderr)
        return 1
    print(f"Wrote {page.relative_to(Path.cwd()) if page.is_relative_to(Path.cwd()) else page}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
