"""What the paper says of its figures and tables, checked against the numbers. A claim that fails is reported so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from experiments.show.figure_data import (
    ADAPTIVE,
    Curves,
    Line,
    Results,
    consistency_curves,
    parameters_curves,
    selection_curves,
    trade_off_curves,
)
from experiments.show.figure_slopes import Slope, measured_slope, overall_slope
from experiments.show.figure_steps import NOISE, Step, all_fall, steps_along, why_no_u
from experiments.show.figure_text import with_error

CLOSE = 0.15
COMPETITORS = ("Hist", "KRR", "ParDT")
RANK_SUM_EPSILONS = (1.0, 2.0)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, whether it holds here, and the numbers that say so."""

    text: str
    holds: bool
    evidence: str


def trade_off_claims(results: Results) -> list[Claim]:
    """Judge figure 2a."""
    curves: Curves = {line: curve for line, curve in trade_off_curves(results).items() if isinstance(line, int)}
    more_public = [
        Step(f"ε {x:g}, {more} to {fewer} private features", curves[more].at(x), curves[fewer].at(x))
        for more, fewer in pairwise(reversed(curves))
        for x in curves[more].x
        if x in curves[fewer].x
    ]
    return [
        Claim("The error falls as ε grows.", *all_fall(steps_along(curves, "private features", "ε"))),
        Claim("The error falls as more features are public, from LDP to label LDP.", *all_fall(more_public)),
    ]


def consistency_claims(results: Results) -> list[Claim]:
    """Judge figure 2b."""
    curves = consistency_curves(results)
    slopes = {line: measured_slope(curve) for line, curve in curves.items()}
    overall = {line: overall_slope(curve) for line, curve in curves.items()}
    in_order = list(slopes.values())
    faster = all(_lead(a, b) >= -_noise(a, b) for a, b in pairwise(in_order))
    faster = faster and _lead(in_order[0], in_order[-1]) > _noise(in_order[0], in_order[-1])
    return [
        Claim("The error falls as n grows.", *all_fall(steps_along(curves, "private features", "n"))),
        Claim(
            "The error falls faster for small s.",
            faster,
            f"Slopes over the larger half of n: {_listed(slopes)}. Required: none flatter than that of the next s* by "
            f"more than {NOISE:g} standard errors, and the first steeper than the last by more than that. For "
            f"comparison, slopes over all n: {_listed(overall)}.",
        ),
    ]


def _listed(slopes: Mapping[Line, Slope]) -> str:
    return ", ".join(
        f"{with_error(slope.value, slope.standard_error, 3)} (s* = {line})" for line, slope in slopes.items()
    )


def _lead(a: Slope, b: Slope) -> float:
    """How much steeper a falls than b."""
    return b.value - a.value


def _noise(a: Slope, b: Slope) -> float:
    noise = NOISE * math.hypot(a.standard_error, b.standard_error)
    return 0.0 if math.isnan(noise) else noise


def parameters_claims(results: Results) -> list[Claim]:
    """Judge figure 2c."""
    curves = parameters_curves(results)
    shapes = {line: why_no_u(curve) for line, curve in curves.items()}
    depths = {line: curve.x[curve.lowest] for line, curve in curves.items()}
    in_order = list(depths.values())
    heights = {line: float(curve.mean.min()) for line, curve in curves.items()}
    return [
        Claim(
            "For each t the error is U-shaped in p.",
            not any(shapes.values()),
            "; ".join(f"t = {line}: {why or 'yes'}" for line, why in shapes.items()) + ".",
        ),
        Claim(
            "The best p grows with t.",
            all(a <= b for a, b in pairwise(in_order)) and in_order[0] < in_order[-1],
            "Lowest at " + ", ".join(f"p = {p:g} (t = {line})" for line, p in depths.items()) + ".",
        ),
        Claim(
            "The lowest error is at t = 2.",
            min(heights, key=lambda line: heights[line]) == 2,
            "Lowest errors: " + ", ".join(f"{height:.4f} (t = {line})" for line, height in heights.items()) + ".",
        ),
    ]


def selection_claims(results: Results) -> list[Claim]:
    """Judge figure 2d."""
    curves = selection_curves(results)
    fixed = {line: curve for line, curve in curves.items() if line != ADAPTIVE}
    adaptive = dict(zip(curves[ADAPTIVE].x, curves[ADAPTIVE].mean, strict=True))
    winners = {gamma: _best_line(fixed, gamma) for gamma in adaptive}
    excess = {gamma: error / fixed[winners[gamma]].at(gamma).mean - 1 for gamma, error in adaptive.items()}
    n_close = sum(value <= CLOSE for value in excess.values())
    listed = ", ".join(f"{100 * value:+.0f} % (gamma {gamma:g})" for gamma, value in excess.items())
    best = "Best fixed s: " + ", ".join(f"{line} (gamma {gamma:g})" for gamma, line in winners.items()) + "."
    return [
        Claim(
            f"The adaptive s is close to the best fixed s: within {100 * CLOSE:.0f} % at every gamma.",
            n_close == len(excess),
            f"So at {n_close} of {len(excess)}; error above that of the best fixed s: {listed}.",
        ),
        Claim("The error falls as gamma grows.", *all_fall(steps_along(curves, "histogram features", "gamma"))),
        Claim("No s is best at every gamma.", len(set(winners.values())) > 1, best),
        Claim("The best s is 1 or 2.", set(winners.values()) <= {1, 2}, best),
    ]


def _best_line(curves: Curves, x: float) -> Line:
    return min(curves, key=lambda line: curves[line].at(x).mean)


def rank_sum_claims(summary: Mapping[tuple[float, str], Mapping[str, float]]) -> list[Claim]:
    """Judge the tables: (epsilon, preference) -> method -> rank sum."""
    return [
        _ranked_first(epsilon, preference, sums)
        for (epsilon, preference), sums in summary.items()
        if epsilon in RANK_SUM_EPSILONS
    ]


def _ranked_first(epsilon: float, preference: str, sums: Mapping[str, float]) -> Claim:
    ours = {method: value for method, value in sums.items() if method.startswith("HistOfTree")}
    theirs = {method: value for method, value in sums.items() if method in COMPETITORS}
    return Claim(
        f"ε = {epsilon:g}, {preference}: HistOfTree, with either rule, has a lower rank sum than "
        f"{', '.join(COMPETITORS[:-1])} and {COMPETITORS[-1]}.",
        bool(ours and theirs and max(ours.values()) < min(theirs.values())),
        "Rank sums: " + ", ".join(f"{method} {value:g}" for method, value in {**ours, **theirs}.items()) + ".",
    )


def to_markdown(claims: Iterable[Claim]) -> str:
    """Write one line per claim."""
    lines = [f"- {'holds' if c.holds else '**does not hold**'}: {c.text} {c.evidence}" for c in claims]
    return "\n".join(lines)
