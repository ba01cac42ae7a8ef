"""What we say of our estimators, checked against the numbers. What was not run is left out; what fails is said to."""

from __future__ import annotations

import math

from experiments.common.names import SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.common.real_data import EPSILONS, PREFERENCES
from experiments.show.claims import Claim
from experiments.show.figure_data import Best, Results
from experiments.show.figure_steps import NOISE, is_lower
from experiments.show.figure_text import with_error
from experiments.show.summary import Cell
from experiments.show.summary_beyond import Table, best_of_paper, epsilons_of, excess, private_mean, simulation_curves

SHARE_OF_WINS = 0.9  # 27 of 30
SHARE_OF_WINS_TWICE = 0.8  # 8 of 10
ABOVE_MEAN = 0.05
BARS = {
    (10_000, 1.0): 0.155,
    (10_000, 2.0): 0.07,
    (10_000, 4.0): 0.033,
    (100_000, 1.0): 0.055,
    (100_000, 2.0): 0.03,
    (100_000, 4.0): 0.017,
}
MANY = 100_000
# Variance of sin(x1) + sin(x2), x uniform on [0, 1]: the two private features of the simulation.
PUBLIC_ONLY = 2 * (0.5 - math.sin(2) / 4 - (1 - math.cos(1)) ** 2)


def real_data_claims(table: Table) -> list[Claim]:
    """Judge SemiPrivate on the ten data sets, preference by preference."""
    found: list[Claim] = []
    for preference in PREFERENCES:
        runs = {epsilon: cells for (epsilon, name), cells in sorted(table.items()) if name == preference}
        if set(EPSILONS) <= set(runs):
            found.append(_wins(preference, {epsilon: runs[epsilon] for epsilon in EPSILONS}))
        if {2.0, 4.0} <= set(runs):
            found.append(_wins_at_half(preference, runs[2.0], runs[4.0]))
        if runs:
            found.append(_never_far_above_mean(preference, runs))
    return found


def _wins(preference: str, runs: dict[float, dict[str, Cell]]) -> Claim:
    pairs = {
        f"ε = {epsilon:g}, {data}": (cell, cell) for epsilon, cells in runs.items() for data, cell in cells.items()
    }
    text = (
        f"{preference}: SemiPrivate, untuned, is lower than the best of the paper's methods at the same ε in hindsight"
    )
    return _count(text, pairs, SHARE_OF_WINS)


def _wins_at_half(preference: str, ours: dict[str, Cell], theirs: dict[str, Cell]) -> Claim:
    pairs = {data: (cell, theirs[data]) for data, cell in ours.items()}
    text = f"{preference}: SemiPrivate at ε = 2 is lower than the best of the paper's methods at ε = 4 in hindsight"
    return _count(text, pairs, SHARE_OF_WINS_TWICE)


def _count(text: str, pairs: dict[str, tuple[Cell, Cell]], share: float) -> Claim:
    """Compare SemiPrivate in the first cell with the paper's best in the second; list where it is not lower."""
    others = []
    for name, (ours, theirs) in pairs.items():
        mine, (best, method) = ours.ratio(SEMI_PRIVATE), best_of_paper(theirs)
        if not mine < best:
            others.append(f"{name} ({mine:.2f} against {best:.2f}, {method})")
    wins, needed = len(pairs) - len(others), math.ceil(share * len(pairs) - 1e-9)
    listed = f"; not in {'; '.join(others)}" if others else ""
    return Claim(f"{text}, in at least {needed} of {len(pairs)}.", wins >= needed, f"So in {wins}{listed}.")


def _never_far_above_mean(preference: str, runs: dict[float, dict[str, Cell]]) -> Claim:
    cells = {(epsilon, data): cell for epsilon, found in runs.items() for data, cell in found.items()}
    worst = max(cells, key=lambda key: excess(cells[key]))
    cell = cells[worst]
    return Claim(
        f"{preference}: SemiPrivate is nowhere more than {ABOVE_MEAN:.0%} above the private mean.",
        excess(cell) <= ABOVE_MEAN,
        f"Furthest at ε = {worst[0]:g}, {worst[1]}: {excess(cell):+.1%} "
        f"({cell.ratio(SEMI_PRIVATE):.2f} against {private_mean(cell):.2f}).",
    )


def simulation_claims(results: Results) -> list[Claim]:
    """Judge SemiPrivate on the simulation, and whether it really uses private features."""
    found = []
    for (n, epsilon), bar in BARS.items():
        best = _at(results, epsilon, n, SEMI_PRIVATE)
        if best is not None:
            text = f"n = {n:,}, ε = {epsilon:g}: the error of SemiPrivate is at most {bar:g}."
            found.append(Claim(text, best.mean <= bar, f"{_told(best)}, {len(best.errors)} replications."))
    for epsilon in epsilons_of(results):
        with_private, without = (_at(results, epsilon, MANY, line) for line in (SEMI_PRIVATE, WITHOUT_PRIVATE))
        if with_private is None or without is None:
            continue
        found.append(
            Claim(
                f"n = {MANY:,}, ε = {epsilon:g}: private features lower the error, by more than {NOISE:g} standard "
                f"errors, to less than any prediction from public features alone can have, {PUBLIC_ONLY:.3f}.",
                is_lower(with_private, without) and with_private.mean < PUBLIC_ONLY,
                f"Without them {_told(without)}; with them {_told(with_private)}.",
            )
        )
    return found


def _at(results: Results, epsilon: float, n: int, line: str) -> Best | None:
    if epsilon not in epsilons_of(results):
        return None
    curve = simulation_curves(results, epsilon)[line]
    return curve.at(n) if n in curve.x else None


def _told(best: Best) -> str:
    return with_error(best.mean, best.standard_error)
