"""Command line: python -m experiments figure NAME | table | all | beyond."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from experiments.common.datasets import ENVIRONMENT_VARIABLE, DataNotFoundError, find_folder
from experiments.common.real_data import BEYOND_EPSILONS, EPSILONS, PREFERENCES
from experiments.common.registry import import_file
from experiments.common.task import Task
from experiments.run.runner import run_all
from experiments.run.store import Store
from experiments.run.studies import (
    FIGURES,
    beyond_simulation_tasks,
    beyond_tasks,
    figure_tasks,
    function_tasks,
    hiding_tasks,
    table_tasks,
)
from experiments.show import figures, tables, tables_beyond

SPLITS, BEYOND_SPLITS, QUICK_SPLITS = 50, 20, 2
QUICK_EPSILONS = (2.0,)
WRITERS: dict[str, Callable[[Path, Path], list[Path]]] = {
    **{name: partial(figures.write, name) for name in FIGURES},
    "table": tables.write,
    "beyond": tables_beyond.write,  # with what is always run beside it
}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description="Rerun the paper's tables and figures.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    figure = verbs.add_parser("figure", help="one figure")
    figure.add_argument("name", choices=FIGURES)
    table = verbs.add_parser("table", help="the tables on real data")
    everything = verbs.add_parser("all", help="all tables and figures, and beyond")
    beyond = verbs.add_parser("beyond", help="our estimators beside the paper's methods, on the same splits")
    for verb in (table, everything, beyond):
        verb.add_argument("--epsilon", type=float, nargs="+", metavar="E", help="1 2 4 for table, .5 to 8 for beyond")
        verb.add_argument("--preference", nargs="+", choices=PREFERENCES, default=list(PREFERENCES))
        verb.add_argument(
            "--splits", type=int, help="random splits of each data set (50, of which 20 for beyond; 2 with --quick)"
        )
        verb.add_argument("--data", help=f"folder of the ten data sets (default: the variable {ENVIRONMENT_VARIABLE})")
    for verb in (figure, table, everything, beyond):
        verb.add_argument("--quick", action="store_true", help="few replications, to see that it works")
        verb.add_argument("--out", type=Path, default=Path("results"), help="where results go (default: results)")
        verb.add_argument("--workers", type=int, help="processes (default: one per core)")
        verb.add_argument("--seed", type=int, default=0)
        verb.add_argument(
            "--with",
            dest="files",
            type=Path,
            nargs="+",
            default=[],
            metavar="FILE",
            help="Python files with more methods or data sets",
        )
    return parser.parse_args(arguments)


def tasks_by_study(options: argparse.Namespace) -> dict[str, list[Task]]:
    """Return what is to be run, by table or figure."""
    if options.verb == "figure":
        return {options.name: figure_tasks(options.name, options.seed, options.quick)}
    names = FIGURES if options.verb == "all" else ()
    tasks = {name: figure_tasks(name, options.seed, options.quick) for name in names}
    splits = options.splits or (QUICK_SPLITS if options.quick else SPLITS)
    if options.verb != "beyond":
        tasks["table"] = table_tasks(options.seed, splits, options.epsilon or EPSILONS, options.preference)
    if options.verb != "table":
        few = options.splits if options.splits and options.verb == "beyond" else min(splits, BEYOND_SPLITS)
        tasks |= _beyond(options, few, options.epsilon or (QUICK_EPSILONS if options.quick else BEYOND_EPSILONS))
    return tasks


def _beyond(options: argparse.Namespace, splits: int, epsilons: Sequence[float]) -> dict[str, list[Task]]:
    """Return what `beyond` consists of; with --quick one split, and one epsilon, of what only our estimator runs."""
    splits_here, epsilons_here = (1, epsilons[:1]) if options.quick else (splits, epsilons)
    return {
        "beyond": beyond_tasks(options.seed, splits, epsilons, options.preference),
        "beyond-simulation": beyond_simulation_tasks(options.seed, options.quick, epsilons),
        "hiding": hiding_tasks(options.seed, splits_here, epsilons_here),
        "functions": function_tasks(options.seed, options.quick, epsilons_here),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then write CSV files, tables and plots."""
    options = parse(arguments)
    for file in options.files:
        import_file(file)
    studies = tasks_by_study(options)
    try:
        folder = str(find_folder(options.data)) if options.verb != "figure" else ""
    except DataNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 2
    store = Store(options.out, folder)
    try:
        once = dict.fromkeys(task for tasks in studies.values() for task in tasks)
        run_all(list(once), store, folder, options.workers, options.files)
    except KeyboardInterrupt:
        print("\nStopped. What is finished is kept: the same command goes on from here.", file=sys.stderr)
        return 130
    merged = {name: options.out / f"{name}.csv" for name in studies}
    for name, rows in merged.items():
        store.merge(studies[name], rows)
    for name, rows in merged.items():
        written = WRITERS[name](rows, options.out) if name in WRITERS else []
        print("\n".join(f"wrote {path}" for path in [rows, *written]))
    return 0
