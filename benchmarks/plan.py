"""How well plans predict: error planned over error measured, for functions and people that no plan has seen.

    python -m benchmarks.plan             errors
    python -m benchmarks.plan --seen      errors in settings that were seen before the plan was changed last
    python -m benchmarks.plan --effects   effects of the planned smallest size: how often they are found

A plan is told numbers only: shares of variance, how bent effects are, how many features matter. It never sees the
function. Both errors are means over replications, in units of the label's variance, with their standard errors. Studies
of the same kind differ much, so a plan is made several times, each with the default number of simulated studies; the
error planned is the mean over these plans. Ratios of the single plans, lowest and highest, show what one of them is
worth. Above MANY people errors differ less, and half the replications are made.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.plan_effects import print_found
from benchmarks.plan_settings import BEYOND, SEEN, SETTINGS, Setting, told
from semildp import SemiPrivateRegressor, WideBoundsWarning, plan

FRESH = 20_000
MANY = 10_000  # people
STUDIES = 20  # behind each error of a plan, by default
SEMI = "SemiPrivateRegressor"
KINDS: dict[str, tuple[Setting, ...]] = {  # by name: functions cannot be pickled
    "SEEN": SEEN,
    "BEYOND": BEYOND,
    "SETTINGS": SETTINGS,
}


class Mean(NamedTuple):
    """A mean, and its standard error."""

    value: float
    error: float


def main() -> None:
    """Print the table, as a page shows it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=40, help="measured, and planned; by twenties")
    parser.add_argument("--effects", action="store_true", help="check smallest effects instead of errors")
    parser.add_argument("--seen", action="store_true", help="settings that were seen before the plan was changed last")
    options = parser.parse_args()
    if options.effects:
        warnings.simplefilter("ignore", WideBoundsWarning)
        print_found(options.replications)
        return
    heads = ("function", "n", "d", "private", "ε", "explained: public, private")
    print("| " + " | ".join((*heads, "measured", "planned", "ratio", "of single plans")) + " |")
    print("|" + "---|" * 10)
    ratios = list(print_ratios("SEEN" if options.seen else "SETTINGS", options.replications))
    print(f"\nWorst factor: {max(max(r, 1 / r) for r in ratios):.2f}.\n\nBeyond what a plan can be told:\n")
    list(print_ratios("BEYOND", options.replications))


def print_ratios(which: str, replications: int) -> Iterator[float]:
    """Plan and measure settings, two at a time; print a row and yield planned over measured for each."""
    with ProcessPoolExecutor(2) as pool:
        one = partial(ratio_of, which, replications)
        for line, ratio in pool.map(one, range(len(KINDS[which]))):
            print(line, flush=True)
            yield ratio


def ratio_of(which: str, replications: int, place: int) -> tuple[str, float]:
    """Plan and measure one setting; return a row, and planned over measured."""
    warnings.simplefilter("ignore", WideBoundsWarning)
    s, seed = KINDS[which][place], [place + 100 * list(KINDS).index(which)]
    known = told(s)
    plans = max(replications // STUDIES // (1 + (s.n > MANY)), 1)
    made = [
        plan(s.n, s.d, s.private, s.epsilon, **known, replications=STUDIES, random_state=r).rows[0].errors[SEMI]
        for r in range(plans)
    ]
    means = np.array([each.mean for each in made])
    planned = Mean(float(means.mean()), math.sqrt(sum((each.standard_error or 0.0) ** 2 for each in made)) / plans)
    errors = np.array([measured(s, [*seed, r]) for r in range(plans * STUDIES)])
    found = Mean(float(errors.mean()), float(errors.std(ddof=1) / math.sqrt(len(errors))))
    ratio = planned.value / found.value
    off = ratio * math.hypot(planned.error / planned.value, found.error / found.value)
    shares = f"{known['public_share']:.2f}, {known['private_share']:.2f}"
    figures = [f"{each.value:.4f} ± {each.error:.4f}" for each in (found, planned)]
    line = (
        f"| {s.formula} | {s.n:,} | {s.d} | {s.private} | {s.epsilon:g} | {shares} | {' | '.join(figures)} "
        f"| {ratio:.2f} ± {off:.2f} | {means.min() / found.value:.2f} to {means.max() / found.value:.2f} |"
    )
    return line, ratio


def measured(setting: Setting, seed: list[int]) -> float:
    """Fit to people of the setting, and return the squared error against the function over the label's variance."""
    rng = np.random.default_rng([9, *seed])
    X, fresh = setting.features(setting.n, rng), setting.features(FRESH, rng)
    truth, y = setting.truth(fresh), setting.truth(X) + setting.noise * rng.normal(size=setting.n)
    deviation, middle = float(np.sqrt(truth.var() + setting.noise**2)), float(truth.mean())
    bounds = (middle - setting.width / 2 * deviation, middle + setting.width / 2 * deviation)
    mask = np.zeros(X.shape, dtype=np.bool_)
    mask[:, : setting.private] = rng.uniform(size=(setting.n, setting.private)) < setting.hide
    model = SemiPrivateRegressor(
        setting.epsilon, label_bounds=bounds, feature_bounds=(0, 1), clip=True, random_state=int(rng.integers(2**31))
    )
    predicted = model.fit(X, y, mask=mask).predict(fresh)
    return float(np.mean((predicted - truth) ** 2)) / deviation**2


if __name__ == "__main__":
    main()
