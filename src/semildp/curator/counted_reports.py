"""Counted label reports of one ask: their likelihood for each label, and how well any law could explain them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.domains import LabelGrid
from semildp.errors import refusal
from semildp.mechanisms import WindowResponse
from semildp.wire.forms import read_mechanism
from semildp.wire.messages import AskLabel

ROWS = 32  # neighbouring outputs are merged until there are at most so many, for speed
UNUSUAL = 1.0  # standard deviations above the mean of chi-squared at which reports count as explained; 0 fitted noise
NEVER = 1e-200  # stands for a probability of 0, so that its logarithm is finite


@dataclass(frozen=True)
class CountedReports:
    """Reports of one ask, counted; neighbouring outputs are merged.

    Parameters
    ----------
    grid, nearest, response
        What labels were rounded to, whether to the nearest point (else at random), and how points were sent.
    counts
        How many reports there were of each merged output.
    """

    grid: LabelGrid
    nearest: bool
    response: WindowResponse
    counts: Floats

    @classmethod
    def of(cls, ask: AskLabel, outputs: Ints) -> CountedReports:
        """Count the reports that answer an ask."""
        response = read_mechanism(ask.mechanism, ask.epsilon)
        if not isinstance(response, WindowResponse):
            raise refusal("asked", "label reports by a window response", f"{ask.mechanism.kind!r}")
        counts = _merge(np.bincount(outputs, minlength=response.n_outputs).astype(np.float64))
        return cls(LabelGrid(ask.low, ask.high, response.steps), ask.rounding == "nearest", response, counts)

    def likelihood(self, labels: Floats) -> Floats:
        """Return the probability of each (merged) output, in rows, for each label, in columns."""
        steps = self.grid.steps
        table = np.exp(self.response.log_probability(self.response.output_domain[:, None], np.arange(steps + 1)))
        table = np.maximum(_merge(table), NEVER)
        place = np.clip((labels - self.grid.low) / self.grid.step, 0, steps)
        if self.nearest:
            return np.asarray(table[:, np.rint(place).astype(np.int64)])
        below = np.minimum(place.astype(np.int64), steps - 1)
        return np.asarray(table[:, below] * (1 - (place - below)) + table[:, below + 1] * (place - below))

    @property
    def most(self) -> float:
        """The largest log likelihood that any probabilities of outputs reach."""
        seen = self.counts[self.counts > 0]
        return float(seen @ np.log(seen / seen.sum())) if len(seen) else 0.0

    @property
    def information(self) -> float:
        """Inverse variance of the estimated share of people at one place, if few are there."""
        w, fall = self.response.window, math.exp(-self.response.epsilon)
        inside = w / (w + self.response.steps * fall)  # probability of an output near the place, of people there
        outside = inside * fall  # and of others
        return float(self.counts.sum()) * (inside - outside) ** 2 / max(outside * (1 - outside), 1e-12)


def explained(groups: list[CountedReports]) -> float:
    """Log likelihood of a law that explains the counts: its deviance is chi-squared, little above its mean."""
    free = sum(len(g.counts) - 1 for g in groups)
    return sum(g.most for g in groups) - (free + UNUSUAL * math.sqrt(2 * free)) / 2


def overdispersion(groups: list[CountedReports], fit: float) -> float:
    """Deviance per degree of freedom of the best simple law: how much too sure its likelihood is (quasi-likelihood)."""
    return 2 * (sum(g.most for g in groups) - fit) / sum(len(g.counts) - 1 for g in groups)


def _merge(table: Floats) -> Floats:
    """Add neighbouring rows up until there are at most `ROWS`."""
    return np.asarray(np.add.reduceat(table, np.arange(0, len(table), math.ceil(len(table) / ROWS))))
