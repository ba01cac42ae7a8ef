"""Made-up rows of figures, as the store writes them."""

from __future__ import annotations

import csv
from itertools import product

from experiments.common.names import JOINT
from experiments.common.rows import COLUMNS
from experiments.run.store import TASK_COLUMNS

PEOPLE = (1000, 2000, 4000, 8000, 16000)
GAMMAS = (0.5, 1.0, 2.0)


def write_rows(path, rows, replications=range(3)):
    """Write rows as the store does: all columns, empty for None; errors differ a little between replications."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, [*TASK_COLUMNS, *COLUMNS], restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            wobble = row.pop("wobble", 0.001)
            for replication in replications:
                error = row["error"] * (1 + wobble * (replication - 1))
                writer.writerow({**row, "replication": replication, "seed": 0, "honest": "nan", "error": repr(error)})
    return path


def trade_off_rows(error=lambda epsilon, private: 0.1 * (1 + private) / epsilon):
    for epsilon, private in product((0.5, 4.0, 1024.0), range(6)):
        setting = {"study": "trade-off", "epsilon": epsilon, "n_people": 10_000, "n_private": private}
        height = error(epsilon, private)
        if private == 0:
            yield {**setting, "method": "mean", "error": 0.5}
            yield {**setting, "method": "ParDT", "error": 1e-9, "depth": 1, "leaf": 1}  # not in the figure
            yield {**setting, "method": "LabelDT", "error": height, "depth": 1, "leaf": 1}
        elif private == 5:
            yield {**setting, "method": "Hist", "error": height, "bins": 1, "threshold": 0.01}
        else:
            yield {**setting, "method": JOINT, "error": height / 10}
            for depth in (1, 2):
                grid = {"s": private, "depth": depth, "bins": 1, "label_share": 0.5}
                yield {**setting, **grid, "method": "HistOfTree ME", "error": height * depth}


def consistency_rows(error=lambda n, private: n ** (-0.5 / private)):
    for n, private in product(PEOPLE, range(1, 5)):
        setting = {"study": "consistency", "epsilon": 4.0, "n_people": n, "n_private": private}
        grid = {"s": private, "depth": 1, "bins": 1, "label_share": 0.5}
        yield {**setting, **grid, "method": "HistOfTree ME", "error": error(n, private)}


def parameters_rows(lowest=lambda bins: 1 + bins, lift=lambda bins: abs(bins - 2)):
    for depth, bins in product(range(7), (1, 2, 3, 4)):
        setting = {"study": "parameters", "epsilon": 4.0, "n_people": 10_000, "n_private": 2}
        height = 1 + (depth - lowest(bins)) ** 2 + lift(bins)
        grid = {"s": 2, "depth": depth, "bins": bins, "label_share": 0.5}
        yield {**setting, **grid, "method": "HistOfTree ME", "error": height}


def selection_rows(excess=0.1, best_s=lambda gamma: 1 if gamma < 1 else 2, error=lambda gamma: 1 / gamma):
    for gamma in GAMMAS:
        setting = {"study": "selection", "epsilon": 4.0, "n_people": 4000, "gamma": gamma}
        for s in range(5):
            grid = {"s": s, "depth": 1, "bins": 1, "label_share": 0.5}
            height = error(gamma) * (1 + 0.3 * abs(s - best_s(gamma)))
            yield {**setting, **grid, "method": "HistOfTree ME", "error": height}
        adaptive = {**setting, **grid, "method": "AdHistOfTree ME", "bias_weight": 0.1}
        yield {**adaptive, "error": error(gamma) * (1 + excess)}
