"""Two features with one step each: a table of four means, which is their single effects and that of both at once."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.evidence import Posterior, normalised
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.functions import Family, Functions
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.two_asked import in_cells, over_cells

FIRST_STEP = 2  # functions of a number before its steps: a line and a parabola
ALONE, BOTH = (0.01, 0.1), (0.03, 0.1, 0.3)  # guess: of the residuals' variance, what either step and both explain


@dataclass(frozen=True, eq=False)
class Quadrants:
    """What is known of the effects of two features, and of both together, if all have the same two steps.

    `log_odds` is the log of how much likelier the reports are than without any effect of the two.
    """

    log_odds: float
    effects: dict[Family, Posterior]


@dataclass(frozen=True, eq=False)
class _Products:
    """Products with reports (`num`) and with each other (`gram`), for every two steps s and t.

    The first axes are those of the three functions: h_s, h_t, and h_s h_t less its mean `centre`; `people` were asked
    about both.
    """

    num: Floats
    gram: Floats
    centre: Floats
    people: int

    def __add__(self, other: _Products) -> _Products:
        people = self.people + other.people
        centre = (self.people * self.centre + other.people * other.centre) / max(people, 1)
        return _Products(self.num + other.num, self.gram + other.gram, centre, people)


def quadrants(functions: Functions, explained: Explained, family: Family, unit: float) -> Quadrants | None:
    """Weigh tables of four means by the evidence.

    None of features that are not two numbers, that nobody was asked about together, that some people show, or where
    people are told by other features: what single effects explain is then not told apart from what tables do.

    Steps are at any places s and t. The three coefficients have mean 0 and variances before anyone is asked of which
    each choice of `ALONE` and `BOTH` is as likely as any other.
    """
    known = [any(r.reports.knows(j) for j in family) for r in explained.asked]
    readings = [r for r in explained.asked if any(r.in_cells(j) for j in family)]
    if functions.categories & set(family) or not any(r.asked(family) for r in readings):
        return None
    if any(known) or any(r.personal or r.joint for r in readings):
        return None
    steps = [functions.single(j)[FIRST_STEP:] for j in family]
    spread = [functions.variance[j][FIRST_STEP:] for j in family]
    parts: list[Family] = [(j,) for j in family]
    left = [explained.without(k, {family, *parts}) for k, r in enumerate(explained.asked) if r in readings]
    told = reduce(add, (_products(r, family, steps, each) for r, each in zip(readings, left, strict=True)))
    scale = np.stack(np.broadcast_arrays(spread[0][:, None], spread[1], np.outer(*spread))) / unit
    log_odds, mean, square = _averaged(told, scale)
    return Quadrants(log_odds, _effects(family, functions, told.centre, mean, square))


def _averaged(told: _Products, scale: Floats) -> tuple[float, Floats, Floats]:
    """Return the log odds, and the expected coefficients and their squares, over all steps and sizes.

    With precision P before, the reports are likelier by |P|^(1/2) |G + P|^(-1/2) exp(num' (G + P)^-1 num / 2).
    """
    log_odds, means, squares = list[Floats](), list[Floats](), list[Floats]()
    for alone, both in itertools.product(ALONE, BOTH):
        precision = scale / np.array([alone, alone, both])[:, None, None]
        mean, variance, shrunk = _solved(told.gram, precision, told.num)
        log_odds.append(0.5 * ((mean * told.num).sum(axis=0) + np.log(precision).sum(axis=0) - shrunk))
        means.append(mean)
        squares.append(mean**2 + variance)
    total, weight = normalised(np.array(log_odds))
    expected = ((weight[:, None] * np.array(each)).sum(axis=0) for each in (means, squares))
    return total - float(np.log(weight.size)), *expected


def _solved(gram: Floats, precision: Floats, num: Floats) -> tuple[Floats, Floats, Floats]:
    """Return C num, the diagonal of C, and log |G + P|, with C = (G + P)^-1 and P diagonal, of 3 x 3 matrices.

    They are solved by formula: there are thousands of them.
    """
    a, b, c = (gram[i, i] + precision[i] for i in range(3))
    d, e, f = gram[0, 1], gram[0, 2], gram[1, 2]
    x, y, z = b * c - f * f, a * c - e * e, a * b - d * d
    u, v, w = e * f - d * c, d * f - e * b, d * e - a * f  # of the adjugate, off its diagonal
    size = a * x + d * u + e * v
    p, q, r = num
    mean = np.stack([x * p + u * q + v * r, u * p + y * q + w * r, v * p + w * q + z * r])
    return mean / size, np.stack([x, y, z]) / size, np.log(size)


def _effects(
    family: Family, functions: Functions, centre: Floats, mean: Floats, square: Floats
) -> dict[Family, Posterior]:
    """Return the effects of each feature and of both, from the coefficients of steps and their squares."""
    found = dict[Family, Posterior]()
    for axis, j in enumerate(family):
        h = functions.single(j)[FIRST_STEP:]
        a, b = mean[axis].sum(axis=1 - axis), square[axis].sum(axis=1 - axis)
        effect = a @ h
        variance = np.maximum(b @ h**2 - effect**2, 0.0)
        found[j,] = Posterior((j,), 0.0, effect, variance, np.pad(b, (FIRST_STEP, 0)))
    one, two = (functions.single(j)[FIRST_STEP:] for j in family)
    a, b = mean[2], square[2]
    effect = one.T @ a @ two - float((a * centre).sum())
    variance = np.maximum((one**2).T @ b @ two**2 - effect**2, 0.0)
    found[family] = Posterior(family, 0.0, effect, variance, np.pad(b, (FIRST_STEP, 0)))
    return found


def _products(reading: Reading, family: Family, steps: list[Floats], left: Floats) -> _Products:
    """Multiply steps with one question's sums, and with each other: see `weigh`."""
    reports, shares = reading.reports, reading.cells
    signs = None if reports.signs is None else reports.signs * shares
    shape = len(steps[0]), len(steps[1])
    each, centre = dict[int, Floats](), np.zeros(shape)  # what functions are in each cell, or add to the one sum
    for axis, (j, h) in enumerate(zip(family, steps, strict=True)):
        if reading.in_cells(j):
            mean = h @ reading.within_bins(j).T @ reading.expected[j][:1][0]
            away = h @ reading.within[j].T - mean[:, None]
            each[axis] = np.expand_dims(away if signs is None else (away @ signs)[:, None], 1 - axis)
    if reading.asked(family):
        centre, each[2] = _of_both(reading, family, steps, signs)
    people = reports.kept * len(reports)
    if signs is None:
        weight, count = reading.weight, people * shares
    else:
        weight, count = people / reports.cell_noise, np.full(1, people)
    num, gram = np.zeros((3, *shape)), np.zeros((3, 3, *shape))
    for a, one in each.items():
        weighed = one * weight
        num[a] = weighed @ left
        for b, two in each.items():
            gram[a, b] = gram[b, a] if b < a else np.einsum("stc,stc->st", weighed * count, two)
    return _Products(num, gram, centre, len(reports) if reading.asked(family) else 0)


def _of_both(reading: Reading, family: Family, steps: list[Floats], signs: Floats | None) -> tuple[Floats, Floats]:
    """Return the mean of h_s h_t, and what it is in each cell beyond it, or adds to the one sum."""
    turned = reading.reports.features != family
    first, second = steps[::-1] if turned else steps
    centre = over_cells(first, second, reading, reading.cells)
    if signs is None:
        away = np.moveaxis(in_cells(first, second, reading) - centre, 0, -1)
    else:
        away = (over_cells(first, second, reading, signs) - signs.sum() * centre)[..., None]
    return (centre.T, away.swapaxes(0, 1)) if turned else (centre, away)
