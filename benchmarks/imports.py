"""How long imports take: fresh processes in turn, medians. python -m benchmarks.imports [--rounds R]."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

ROUNDS = 9
NOTHING = "pass"
OURS, THEIRS = "import semildp", "import numpy"
ESTIMATOR, SKLEARN = "from semildp import SemiPrivateRegressor", "import sklearn"
BOOSTING = "from sklearn.ensemble import HistGradientBoostingRegressor"
DEVICE = "import semildp.client"
STATEMENTS = (NOTHING, OURS, THEIRS, DEVICE, SKLEARN, BOOSTING, ESTIMATOR)


def import_seconds(rounds: int, told: Callable[[str], None] = lambda statement: None) -> dict[str, float]:
    """Return the median seconds of a process that runs each statement, less those of one that runs nothing."""
    taken: dict[str, list[float]] = {statement: [] for statement in STATEMENTS}
    for turn in range(rounds + 1):  # the first turn fills the file system's cache
        for statement in STATEMENTS:
            told(statement)
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            if turn:
                taken[statement].append(time.perf_counter() - start)
    nothing = median(taken[NOTHING])
    return {statement: max(median(seconds) - nothing, 0.0) for statement, seconds in taken.items()}


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    seconds = import_seconds(parser.parse_args().rounds)
    for statement, taken in seconds.items():
        print(f"{taken:8.3f} s  {statement}")
    print(f"{seconds[OURS] / seconds[THEIRS]:8.2f}    {OURS} / {THEIRS}")
    print(f"{seconds[ESTIMATOR] / seconds[SKLEARN]:8.2f}    {ESTIMATOR} / {SKLEARN}")
    print(f"{seconds[ESTIMATOR] / seconds[BOOSTING]:8.2f}    {ESTIMATOR} / {BOOSTING}")


if __name__ == "__main__":
    main()
