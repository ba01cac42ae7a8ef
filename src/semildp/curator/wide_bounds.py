"""Whether label bounds are far wider than the labels: seen from noisy label reports alone, and said in a warning."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.threads import over_slices
from semildp.curator.waves import State
from semildp.domains import LabelGrid
from semildp.errors import WideBoundsWarning
from semildp.mechanisms import DiscreteLaplace, WindowResponse
from semildp.wire.forms import read_mechanism
from semildp.wire.messages import AskLabel

WIDE = 12.0  # bounds wider than so many standard deviations of the labels are too wide
SURE = 3.1  # standard errors: fewer than 1 false alarm in 100 studies whose bounds are just so wide
ROOM = 4.0  # standard deviations on each side of the mean that better bounds would have
FEWER = 2.0  # better bounds must do with so many times fewer people
FEWEST = 100  # people without whom standard errors mean little


@dataclass(frozen=True)
class LabelSpread:
    """What noisy label reports tell of the labels' place and spread.

    Parameters
    ----------
    grid
        The bounds in use, or the window that was found within them.
    n_people
        How many reports there were.
    mean, variance
        Estimates of the labels' mean, within the bounds, and of their variance, 0 at least.
    most
        Upper confidence limit of the variance, `SURE` standard errors above the estimate.
    noise
        Mean variance of one report's noise.
    """

    grid: LabelGrid
    n_people: int
    mean: float
    variance: float
    most: float
    noise: float

    @property
    def likely(self) -> tuple[float, float]:
        """Bounds that hold nearly all labels, to two digits of their distance."""
        reach = ROOM * math.sqrt(self.most)
        unit = 10.0 ** math.floor(math.log10(2 * reach) - 1) if reach > 0 else self.grid.step
        low, high = math.floor((self.mean - reach) / unit) * unit, math.ceil((self.mean + reach) / unit) * unit
        return max(low, self.grid.low), min(high, self.grid.high)

    @property
    def enough(self) -> int:
        """How many people would do for the same error of a mean if the bounds were the likely ones."""
        low, high = self.likely
        narrower = (high - low) / (self.grid.high - self.grid.low)
        return math.ceil(self.n_people * (self.variance + self.noise * narrower**2) / (self.variance + self.noise))

    @property
    def too_wide(self) -> bool:
        """Whether labels surely spread over a small part of the bounds, and narrower ones would save most people."""
        if self.n_people < FEWEST or WIDE * math.sqrt(self.most) >= self.grid.high - self.grid.low:
            return False
        return self.noise > 0 and FEWER * self.enough <= self.n_people


def label_spread(grid: LabelGrid, mechanism: WindowResponse | DiscreteLaplace, outputs: Ints) -> LabelSpread:
    """Estimate mean and variance of labels from their reports.

    A report's square is that of the rounded label plus noise of known variance, both taken from the middle of the
    bounds, so the labels' variance is the mean square less the noise less the mean's square. Rounding at random counts
    as spread, so a coarse grid tells little: of two grid points, that labels near a bound cannot spread far.
    """
    unit, n = 1 / grid.steps, len(outputs)  # from here on the bounds are 1 apart

    def averages(*functions: Callable[[Floats], Floats]) -> list[float]:
        """Average functions of the reports' places, a slice at a time."""

        def totals(s: slice) -> list[float]:
            place = mechanism.estimate(outputs[s]) * unit - 0.5
            return [float(function(place).sum()) for function in functions]

        return [math.fsum(each) / n for each in zip(*over_slices(totals, n), strict=True)]

    centre, raw = averages(lambda place: place, np.square)
    mean = min(max(centre, -0.5), 0.5)
    noise = mechanism.mean_variance(outputs) * unit**2
    coarse = grid.steps == 1
    square = 0.25 if coarse else raw - noise

    def off(place: Floats) -> Floats:
        """How far one report's term of the estimate lies from the mean term, squared."""
        slope = 2 * mean * (place - centre)
        return np.asarray(slope**2 if coarse else (place**2 - slope - raw) ** 2)

    spread, error = averages(lambda place: (place - centre) ** 2, off)
    own = spread / n  # the mean's own variance has passed for its square
    variance = max(square - mean**2 + own, 0.0)
    most = variance + own + SURE * math.sqrt(error / n)
    width = grid.high - grid.low
    middle = (grid.low + grid.high) / 2
    return LabelSpread(grid, n, middle + mean * width, variance * width**2, most * width**2, noise * width**2)


def spread_of(state: State) -> LabelSpread:
    """Read it off the last wave that asked for labels: where earlier waves have found a window, bounds cost little."""
    asked = [(done.wave.asked[0].question.asks[0], done.answers) for done in state.done]
    ask, answers = [(ask, answers) for ask, answers in asked if isinstance(ask, AskLabel)][-1]
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    assert isinstance(mechanism, WindowResponse | DiscreteLaplace)
    return label_spread(LabelGrid(ask.low, ask.high, mechanism.n_values - 1), mechanism, answers[0][0].value)


def warn_of_wide_bounds(spread: LabelSpread, stacklevel: int) -> None:
    """Warn if better bounds would help, and say which; all of it follows from the reports."""
    if not spread.too_wide:
        return
    low, high = spread.likely
    warnings.warn(
        f"Noise grows with the width of the label bounds. The labels seem to lie within about ({low:g}, {high:g}) of "
        f"the bounds ({spread.grid.low:g}, {spread.grid.high:g}). With those, {spread.enough:,} people instead of "
        f"{spread.n_people:,} would do for the same error. Pass label_bounds=({low:g}, {high:g}), with clip=True, in "
        "the next study, or ask more people. The estimate is made from noisy reports alone, so it costs no "
        "privacy to use it with new people.",
        WideBoundsWarning,
        stacklevel=stacklevel,
    )
