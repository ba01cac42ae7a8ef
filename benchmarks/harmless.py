"""Whether SemiPrivate does harm: python -m benchmarks.harmless [--data DIR] [--splits S] [--seed K] [--out FILE].

Ten data sets, the paper's two preferences and three further kinds of masks, five epsilons. Beside SemiPrivateRegressor
with its defaults stand the private mean, the same estimator without the private features, and HistOfTreeRegressor with
its defaults: same splits, same guarantee. Printed are the cells in which SemiPrivate errs more than 5 % above the best
of these by more than 2 standard errors of the difference, and those in which its error rises with epsilon, or is larger
with all people than with every second of them, by more than 2 standard errors. Standard errors are over random splits
of one data set, which overlap: they are somewhat too small.

Every split's errors are kept in FILE; a run that was stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

import experiments.data  # noqa: F401  (lists the data sets)
from experiments.common.datasets import RECIPES, find_folder
from experiments.common.hiding import HIDING
from experiments.common.names import BOUNDED_MEAN, JOINT, PRIVATE_MEAN, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.common.real_data import BEYOND_EPSILONS, PREFERENCES, real_data_problem
from experiments.common.task import Task
from experiments.methods.joint import joint
from experiments.methods.private_mean import private_means
from experiments.methods.semi_private import error_with, with_and_without
from semildp._arrays import Floats

SEED = 20_261_203
ABOVE, SURE = 1.05, 2.0  # how far above the best is harm; in standard errors, when it is told from chance
OTHERS = (PRIVATE_MEAN, BOUNDED_MEAN, WITHOUT_PRIVATE, JOINT)
HALF = "half of the people"
METHODS = (SEMI_PRIVATE, *OTHERS, HALF)
MASKS = (*PREFERENCES, *HIDING)


class Cell(NamedTuple):
    """A setting of which splits are averaged."""

    data: str
    mask: str
    epsilon: float


Table = dict[Cell, Floats]  # errors: split x method


def main() -> None:
    """Run what is missing, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder of the data sets; by default that of the variable SEMILDP_DATA")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--sets", nargs="+", default=list(RECIPES), choices=list(RECIPES))
    parser.add_argument("--masks", nargs="+", default=list(MASKS), choices=list(MASKS))
    parser.add_argument("--out", type=Path, default=Path("harmless.csv"))
    options = parser.parse_args()
    if options.splits < 2:
        parser.error(f"--splits must be at least 2: one split has no standard error. Got {options.splits}.")
    cells = [Cell(*each) for each in product(options.sets, options.masks, BEYOND_EPSILONS)]
    table = gather(cells, options.splits, options.seed, str(find_folder(options.data)), options.out)
    print_table(table)
    for line in (*harms(table), *rises(table), *worse_with_more(table)):
        print(line)
    print(
        f"{len(table)} cells: {len(harms(table))} comparisons show harm, {len(rises(table))} a rise with epsilon, "
        f"{len(worse_with_more(table))} a rise with the number of people."
    )


def gather(cells: list[Cell], splits: int, seed: int, folder: str, out: Path) -> Table:
    """Return all errors: those in the file, and those that are missing there, which are added to it."""
    known = read(out)
    wanted = [(cell, split) for split in range(splits) for cell in cells]
    missing = [each for each in wanted if each not in known]
    with ProcessPoolExecutor() as pool, out.open("a", newline="") as file:
        writer = csv.writer(file)
        run = pool.map(partial(errors, seed, folder), missing)
        for (cell, split), found in zip(missing, tqdm(run, total=len(missing), file=sys.stderr), strict=True):
            writer.writerow([*cell, split, *found])
            file.flush()
            known[cell, split] = found
    return {cell: np.array([known[cell, split] for split in range(splits)]) for cell in cells}


def read(out: Path) -> dict[tuple[Cell, int], tuple[float, ...]]:
    """Read the errors of an earlier run."""
    if not out.exists():
        return {}
    with out.open(newline="") as file:
        return {
            (Cell(data, mask, float(epsilon)), int(split)): tuple(float(x) for x in found)
            for data, mask, epsilon, split, *found in csv.reader(file)
        }


def errors(seed: int, folder: str, one: tuple[Cell, int]) -> tuple[float, ...]:
    """Fit everything on one split."""
    (data, mask, epsilon), split = one
    task = Task("harmless", split, seed, epsilon, data=data, preference=mask)
    problem = real_data_problem(task, folder)
    rows = [*with_and_without(problem, task), *private_means(problem, task), *joint(problem, task)]
    found = {row.method: row.error for row in rows}
    half = replace(problem, X=problem.X[::2], y=problem.y[::2], mask=problem.mask[::2])
    found[HALF] = error_with(half, task, half.X, half.X_test, half.mask)
    return tuple(found[name] for name in METHODS)


def compared(ours: Floats, other: Floats, factor: float = 1.0) -> tuple[float, float]:
    """Return the mean of ours over that of the other, and in standard errors how far ours is above factor * other."""
    away = ours - factor * other
    spread = float(away.std(ddof=1)) / np.sqrt(len(away)) if len(away) > 1 else np.inf
    return float(ours.mean() / other.mean()), float(away.mean()) / max(spread, 1e-300)


def print_table(table: Table) -> None:
    """Print, for each cell, SemiPrivate's error over that of each other method."""
    print("| data | masks | ε | over " + " | over ".join(OTHERS) + " |\n|" + "---|" * (3 + len(OTHERS)))
    for cell, found in table.items():
        ratios = [f"{compared(found[:, 0], found[:, k])[0]:.3f}" for k in range(1, len(OTHERS) + 1)]
        print(f"| {cell.data} | {cell.mask} | {cell.epsilon:g} | {' | '.join(ratios)} |")


def harms(table: Table) -> list[str]:
    """Name cells in which another method is better by more than is allowed."""
    found = []
    for cell, each in table.items():
        for k, name in enumerate(OTHERS, start=1):
            ratio, sure = compared(each[:, 0], each[:, k], ABOVE)
            if sure > SURE:
                found.append(f"Harm: {cell.data}, {cell.mask}, ε = {cell.epsilon:g}: {ratio:.2f} of {name}, {sure:.1f}")
    return found


def rises(table: Table) -> list[str]:
    """Name cells in which the error is larger than at the next smaller epsilon."""
    found = []
    for low, high in pairwise(table):
        if low[:2] == high[:2]:
            ratio, sure = compared(table[high][:, 0], table[low][:, 0])
            if sure > SURE:
                found.append(f"Rises: {high.data}, {high.mask}, ε = {low.epsilon:g} to {high.epsilon:g}: {ratio:.2f}")
    return found


def worse_with_more(table: Table) -> list[str]:
    """Name cells in which the error is larger than with half of the people."""
    found = []
    for cell, each in table.items():
        ratio, sure = compared(each[:, 0], each[:, METHODS.index(HALF)])
        if sure > SURE:
            found.append(f"Rises: {cell.data}, {cell.mask}, ε = {cell.epsilon:g}: {ratio:.2f} of {HALF}, {sure:.1f}")
    return found


if __name__ == "__main__":
    main()
