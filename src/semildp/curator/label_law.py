"""Where labels lie within generous public bounds, from noisy reports alone, and where to ask the next people.

Noise grows with the square of the window that labels are asked in. A few people asked in the full bounds tell roughly
where labels lie; the next are asked in a narrower window, and so on. All of it follows from reports and public numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.counted_reports import CountedReports, explained, overdispersion
from semildp.curator.simple_laws import simple_laws
from semildp.domains import RANDOM_ROUNDING
from semildp.errors import refusal
from semildp.mechanisms import WindowResponse
from semildp.wire.forms import mechanism_message
from semildp.wire.messages import AskLabel

STEPS = 64  # of the grid of a place ask
CELLS, PLACES = 32, 16  # of each group's bounds: cells of the law, and places of simple laws
FEWEST = 20  # people without whom bounds stay as they are
ITERATIONS, GAIN = 500, 0.01  # EM ends after so many, or when the log likelihood grows by less
FLOOR = 0.005  # mass laid where a law has none, for EM to start from; .02 left windows wider at epsilon 4
EVIDENCE = 3.0  # log likelihood that mass far from the rest must gain to be believed
COEFFICIENTS = 8  # to be learnt from the next people: a guess
PREDICTABLE = 0.5  # share of the cut-off parts' variance that features would have explained: a guess
QUANTILE, CAP = 0.1, 0.3  # a cut label loses CAP / sqrt(doubt) times the distance of these quantiles at most; a guess
KNOWN = 4.0  # a share of so many standard errors is taken to be known; a guess
MOST_CUT = 0.2  # share of the law that a window cuts off on a side at most, however great noise is
BLIND = 0.4  # with greater doubt the bounds stay: not even a majority at one place would be seen for sure
WORTH = 0.97  # a window is taken if it leaves so much of the error or less
SHARES = (0.03, 0.04, 0.06, 0.12)  # of all people, in the cohorts that find the place


def place_ask(low: float, high: float, epsilon: float) -> AskLabel:
    """Return the ask of a wave whose purpose is to find where labels lie: the window response on a fine grid.

    Its noise as a label is that of the best response times 1.32, 1.04, 1.00, 1.00 and 1.02 at epsilon .5, 1, 2, 4 and 8
    (the best one has 1 and 3 steps at .5 and 1, too coarse to see a place). Tried and dropped, with 10^4 people, bounds
    21 times too wide and epsilon .5 to 4: width 1 on 16 steps (generalised response), 19 times the noise at .5, and a
    larger error in the end; the Square Wave's width (Li et al. 2020) and half the width, 1.1 to 2.5 times the noise,
    and the same error in the end.
    """
    return AskLabel(low, high, "random", mechanism_message(WindowResponse(epsilon, STEPS)), epsilon)


def place_cohorts(n_people: int) -> tuple[int, ...]:
    """Return how many people to ask in each window before the final one, of `n_people` in all.

    Cohorts grow, because their windows narrow: later cohorts lose little as noisy labels. A cohort whose window does
    not cover the final one has biased labels, and should not be pooled with it.

    Tried with uniform labels, epsilon 1, 10^4 people, bounds 21 times too wide, 8 to 16 runs: error over that of tight
    bounds 2.5 for shares (.05, .05), 3.9 for (.04, .05, .08), 1.4 to 1.6 for these, 1.4 for (.04, .05, .07, .14). The
    smallest number of people, about 670, is a guess; 1000 were tried.
    """
    sizes = tuple(round(share * n_people) for share in SHARES)
    return sizes if sizes[0] >= FEWEST else ()


@dataclass(frozen=True)
class LabelLaw:
    """An estimated distribution of labels within public bounds.

    Parameters
    ----------
    low, high
        The bounds.
    points, mass
        Labels, ascending from low to high, and the probability of each.
    n_people
        How many reports it was made from.
    doubt
        Standard error of the share of people at one place, where few are.
    """

    low: float
    high: float
    points: Floats
    mass: Floats
    n_people: int
    doubt: float = 0.0

    @property
    def mean(self) -> float:
        """Mean of the law."""
        return float(self.points @ self.mass)

    @property
    def deviation(self) -> float:
        """Standard deviation of the law, labels far away counting as nearer: see `_far`."""
        low, high = self._outer
        far = self._far(low, high)
        near = np.clip(self.points, low - far, high + far)
        return math.sqrt(float(self.mass @ (near - near @ self.mass) ** 2))

    @property
    def _outer(self) -> Floats:
        """Return the outer quantiles: those of `QUANTILE`, or further out, if shares are known so well."""
        share = min(QUANTILE, KNOWN * self.doubt)
        return _quantiles(self.points, self.mass, (share, 1 - share))

    def _far(self, low: float, high: float) -> float:
        """Return the distance beyond which labels count as nearer, from the outer quantiles of the law.

        The greater `doubt` is, the less it is: shares that noise could explain, far away, would otherwise decide.
        """
        return CAP / math.sqrt(max(self.doubt, 1e-9)) * max(high - low, float(np.diff(self.points).min()))

    def inside(self, low: float, high: float) -> float:
        """Return the share of labels that a window does not cut; half at least."""
        cut = (self.points < low) | (self.points > high)
        return max(1 - float(self.mass[cut].sum()), 0.5)

    def lost(self, low: float, high: float, kept: float, variance: float) -> float:
        """Return what the mean of labels loses if they are cut at a window, and stretched around its middle.

        It is drawn to 0 as far as chance explains it: `variance` is that with which label reports tell of a mean.
        """
        middle = (low + high) / 2
        found = self.mean - middle - float((np.clip(self.points, low, high) - middle) @ self.mass) / kept
        return found**3 / max(found**2 + variance, 1e-300)

    def window(self, epsilon: float, n_rest: int) -> tuple[float, float]:
        """Return the window in which to ask the next `n_rest` people for labels; the bounds if none is clearly better.

        With e what a label loses by being cut at the window, v the response's noise, k = `COEFFICIENTS` and
        r = `PREDICTABLE`, it minimises k v / n_rest + (1 - r) (E e)^2 + r E e^2. The law is wide if little is known, so
        is the window then. Loss e is capped, the lower the greater `doubt` is: shares that noise could explain, far
        away, would otherwise decide. So 1 % of people far from all others are cut off unless many reports show them.
        """
        width = self.high - self.low
        if self.n_people < FEWEST or self.doubt > BLIND or n_rest < 1:
            return self.low, self.high
        points = (self.points - self.low) / width
        above, below = self._cut(points)
        shift = above[0][None, :] - below[0][:, None]  # rows: lower ends; columns: upper ends
        square = above[1][None, :] + below[1][:, None]
        apart = points[None, :] - points[:, None]
        rate = COEFFICIENTS / n_rest
        loss = rate * _noise(epsilon) * apart**2 + (1 - PREDICTABLE) * shift**2 + PREDICTABLE * square
        total = np.cumsum(self.mass)
        inside = (total - self.mass <= MOST_CUT)[:, None] & (total >= 1 - MOST_CUT)
        loss = np.where((apart > 0) & inside, loss, np.inf) + rate * (self.deviation / width) ** 2
        first, last = np.unravel_index(np.argmin(loss), loss.shape)
        if loss[first, last] > WORTH * loss[0, -1]:
            return self.low, self.high
        return float(self.points[first]), float(self.points[last])

    def _cut(self, points: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Return mean and mean square of what is cut off above each point, and below each point."""
        low, high = self._outer
        far = self._far(low, high) / (self.high - self.low)
        away = points[None, :] - points[:, None]
        over, under = np.clip(away, 0.0, far), np.clip(-away, 0.0, far)
        return (over @ self.mass, over**2 @ self.mass), (under @ self.mass, under**2 @ self.mass)


def label_law(asked: Sequence[tuple[AskLabel, Ints]]) -> LabelLaw:
    """Estimate the law of labels from groups of reports, each with its ask; the widest bounds are the law's.

    A label outside a group's bounds counts as on their end. The start is the posterior mean over simple laws. From
    there expectation-maximisation runs until the reports are explained to within chance. Mass far from the rest is
    believed only if it adds `EVIDENCE` to the log likelihood.
    """
    groups = [CountedReports.of(ask, outputs) for ask, outputs in asked]
    if not groups:
        raise refusal("asked", "at least one group of label reports", "none")
    low, high = min(g.grid.low for g in groups), max(g.grid.high for g in groups)
    ends, places = (_marks(groups, low, high, parts) for parts in (CELLS, PLACES))
    points = (ends[1:] + ends[:-1]) / 2
    points[[0, -1]] = 0.0, 1.0
    labels = low + points * (high - low)
    chance = np.concatenate([g.likelihood(labels) for g in groups])
    counts = np.concatenate([g.counts for g in groups])
    enough = explained(groups)
    laws, log_prior = simple_laws(ends, places)
    fits = np.log(laws @ chance.T) @ counts
    score = log_prior + fits / max(1.0, overdispersion(groups, float(fits.max())))
    weight = np.exp(score - score.max())
    size = np.diff(ends)
    mass = _smooth(weight @ laws / weight.sum(), size)
    fit = float(counts @ np.log(chance @ mass))
    for floor, needed in ((_near(points, size, mass), 0.0), (_heavy_tails(points, size, mass), EVIDENCE)):
        if fit < enough:
            tried, better = _maximise((1 - FLOOR) * mass + FLOOR * floor, chance, counts, enough)
            if better > fit + needed:
                mass, fit = tried, better
    doubt = 1 / math.sqrt(1 + sum(g.information for g in groups))
    return LabelLaw(low, high, labels, mass, int(counts.sum()), doubt)


def _marks(groups: list[CountedReports], low: float, high: float, parts: int) -> Floats:
    """Return the ends of each group's equal parts where no narrower group has its own, ascending on [0, 1]."""
    every = [np.linspace(g.grid.low - low, g.grid.high - low, parts + 1) / (high - low) for g in groups]
    every.sort(key=np.ptp)
    marks = every[0]
    for wider in every[1:]:
        first, last = marks[0] - (marks[1] - marks[0]) / 4, marks[-1] + (marks[-1] - marks[-2]) / 4
        marks = np.concatenate([wider[wider < first], marks, wider[wider > last]])
    marks[[0, -1]] = 0.0, 1.0
    return np.asarray(marks)


def _maximise(mass: Floats, chance: Floats, counts: Floats, enough: float) -> tuple[Floats, float]:
    """Return the law, and its log likelihood, after steps of expectation-maximisation until it is `enough`."""
    last = -math.inf
    for _ in range(ITERATIONS):
        fitted = chance @ mass
        fit = float(counts @ np.log(fitted))
        if fit >= enough or fit - last < GAIN:
            break
        last = fit
        mass = mass * (chance.T @ (counts / fitted))
        mass = mass / mass.sum()
    return mass, fit


def _smooth(mass: Floats, size: Floats) -> Floats:
    """Return the law whose density is 1/4, 1/2, 1/4 of those of a cell and its neighbours."""
    density = np.pad(mass / size, 1, mode="edge")
    smooth = (density[:-2] + 2 * density[1:-1] + density[2:]) * size
    return np.asarray(smooth / smooth.sum())


def _near(points: Floats, size: Floats, mass: Floats) -> Floats:
    """Return a uniform law from the first percentile to the last, and half their distance beyond."""
    low, high = _quantiles(points, mass, (0.01, 0.99))
    reach = (high - low) / 2 + float(size.min())
    inside = np.where((points >= low - reach) & (points <= high + reach), size, 0.0)
    return np.asarray(inside / inside.sum())


def _heavy_tails(points: Floats, size: Floats, mass: Floats) -> Floats:
    """Return a law that falls with the fourth power of the distance: mass behind a window's end is likelier near."""
    low, median, high = _quantiles(points, mass, (QUANTILE, 0.5, 1 - QUANTILE))
    scale = max((high - low) / 2, float(size.min()))
    tails = size / (1 + ((points - median) / scale) ** 2) ** 2
    return np.asarray(tails / tails.sum())


def _quantiles(points: Floats, mass: Floats, shares: tuple[float, ...]) -> Floats:
    """Return the least points below or at which these shares of the mass are."""
    return np.asarray(points[np.minimum(np.searchsorted(np.cumsum(mass), shares), len(points) - 1)])


def _noise(epsilon: float) -> float:
    """Variance of the best response for a label uniform on [0, 1], its rounding included."""
    response = WindowResponse(epsilon, WindowResponse.best_steps(epsilon))
    values = np.arange(response.steps + 1)
    return (float(response.variance(values).mean()) + RANDOM_ROUNDING) / response.steps**2
