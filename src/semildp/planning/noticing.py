"""The smallest effect of a private feature that reports are likely to tell from noise: a formula."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit, logsumexp
from scipy.stats import norm

from semildp.curator.effects.evidence import SHARES
from semildp.curator.effects.factors import SHAPES
from semildp.curator.effects.fitting import expected_effects
from semildp.curator.pair_plan import MOST_NUMBERS, cut_normal
from semildp.curator.wave_menu import Asking
from semildp.curator.wave_plan import Known, Plan, nothing_known, plan_question
from semildp.domains import LabelGrid
from semildp.mechanisms import WindowResponse, best_pair_response
from semildp.planning.assumptions import Assumptions
from semildp.planning.spread import Law, bins_of_line, laws_of

FOUND = 0.8  # how likely the smallest effect is found
FIRST_SHARE = 1 / 3  # of the people who are asked for labels, by default
WINDOW = 4.0  # width, in standard deviations of the label, of the window that labels are asked in; about


def smallest_effects(assumed: Assumptions, n_people: int, epsilon: float) -> dict[int, float]:
    """Return, for an effect of one private feature and of two together, the smallest share of the label's variance.

    An effect of share S that follows a line (a product of two) moves the reports by sqrt(I S) standard errors: I is the
    number of people asked about it over their noise, on average over private features, or pairs of them. Reports make
    an effect likelier than none from z standard errors on, by the same prior that the estimator has. It is found with
    probability 80 % if sqrt(I S) = z + 0.84. What is asked is what would be planned before anything is known; 1 or more
    means that no effect would be found. Tried by benchmarks.plan: one feature 82 %, two together 67 %.
    """
    if assumed.n_private == 0 or assumed.hide <= 0.5:  # the public prediction has them all
        return {}
    unit, plan = _planned(assumed, n_people, epsilon)
    asked = (1 - FIRST_SHARE) * n_people * assumed.hide
    found, laws = {}, laws_of(assumed.spread)
    for size in range(1, min(assumed.n_private, 2) + 1):
        likely = _expected(assumed, size) * SHAPES[size][0] ** size
        groups = list(itertools.combinations(range(assumed.n_private), size))
        told = sum(_information(plan, group, asked, epsilon, laws) for group in groups) / len(groups)
        found[size] = min(unit * _needed(told, likely), math.inf)
    return found


def _planned(assumed: Assumptions, n_people: int, epsilon: float) -> tuple[float, Plan]:
    """Return the variance of residuals, in units of the label's, and what would be asked."""
    values: dict[int, int | None] = dict.fromkeys(range(assumed.n_private))
    public = tuple(range(assumed.n_private, assumed.n_features))
    grid = LabelGrid(0.0, min(assumed.width, WINDOW), WindowResponse.best_steps(epsilon))
    noise = float(np.mean(WindowResponse(epsilon, grid.steps).variance(np.arange(grid.steps + 1)))) * grid.step**2
    labels = FIRST_SHARE * n_people / (1 + noise)
    known, private = assumed.explained
    numbers = min(1 + len(public), MOST_NUMBERS)
    unit = 1 - known - private + known / (1 + known / numbers * labels) + private
    left = max(round((1 - FIRST_SHARE) * n_people), 1)
    return unit, plan_question(Known(nothing_known(values, public), values, len(public), labels), left, epsilon)


def _information(plan: Plan, group: Sequence[int], n_people: float, epsilon: float, laws: Sequence[Law]) -> float:
    """Return n kept**2 r / noise, added up over questions about these features; r is what bins keep of a line."""
    kept, square = cut_normal(plan.reach)
    spread = square / plan.reach**2
    total = 0.0
    for asking, share in plan.asks:
        if set(group) <= set(asking.features):
            noise = best_pair_response(epsilon, asking.n_cells, spread).noise(spread) * plan.reach**2
            total += share * n_people * kept**2 * _kept_by_bins(asking, group, laws) / noise
    return total


def _kept_by_bins(asking: Asking, group: Sequence[int], laws: Sequence[Law]) -> float:
    """Return the share of the variance of a line, or of a product of two, that a question's bins or signs show.

    It is averaged over the ways in which features may lie, the same for both features of a pair.
    """
    found = []
    for law in laws:
        people, table = np.ones(()), np.ones(())
        for feature, bins in zip(asking.features, asking.bins, strict=True):
            share, line = bins_of_line(law, bins)
            people = np.multiply.outer(people, share)
            table = np.multiply.outer(table, line if feature in group else np.ones(bins))
        if asking.signs is None:
            found.append(float(np.sum(people * table**2)))
        else:
            signs = np.asarray(asking.signs)
            found.append(float(people.ravel() @ (table.ravel() * signs)) ** 2)
    return math.fsum(found) / len(found)


def _expected(assumed: Assumptions, size: int) -> float:
    """Return how likely an effect is before anyone is asked."""
    private = range(assumed.n_private)
    family = (0,) if size == 1 else (0, 1)
    return expected_effects([family], private, assumed.n_private)[family]


def _needed(told: float, likely: float) -> float:
    """Return the share, in units of the residuals' variance, that is found with probability `FOUND`."""
    if told <= 0:
        return math.inf
    size = np.asarray(SHARES) * told

    def log_odds(z: float) -> float:
        each = -0.5 * np.log1p(size) + 0.5 * z**2 * size / (1 + size)
        return float(logsumexp(each) - np.log(len(SHARES)) + logit(likely))

    if log_odds(0.0) >= 0:
        return 0.0
    enough = float(brentq(log_odds, 0.0, 1e3)) if log_odds(1e3) > 0 else math.inf
    return float((enough + norm.ppf(FOUND)) ** 2 / told)
