"""Public features as the columns of linear models, and the members that their coefficients make."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._kernels.choosing import pays
from semildp._kernels.columns import N_SPLINES, spline_columns
from semildp.backends import chunks
from semildp.curator.learning.extent import Extent
from semildp.curator.learning.rows import Rows
from semildp.models.learned import Linear, Numbers, Splines

_EDGE = 0.005  # share of people beyond either outer knot: few far outliers must not use up the knots
_SAMPLE = 20_000  # people whose quantiles place knots
_MOST_SPLINES = 700  # more splines than this, or than twice the people, are not solved for: time and memory


@dataclass(frozen=True, eq=False)
class Design:
    """The columns [1, x standardised, missing or not, splines]; what is missing counts as the mean.

    Parameters
    ----------
    centre, scale
        Mean and standard deviation of each feature.
    gaps
        Features with missing values, some of each.
    curved
        Features with splines: those with more than two values.
    low, high
        Their outer knots.
    compiled
        Whether there are so many people that compiled loops are worth it.
    """

    centre: Floats
    scale: Floats
    gaps: Ints
    curved: Ints
    low: Floats
    high: Floats
    compiled: bool = False

    @classmethod
    def of(cls, X: Rows, extent: Extent) -> Design:
        """Choose columns for these people; every feature has at least two values."""
        gaps, centre, scale = np.flatnonzero(extent.gaps), extent.mean, extent.deviation
        low, high = _outer_knots(X, extent.low, extent.high)
        curved = np.flatnonzero(_more_than_two_values(X, extent.low, extent.high))
        if len(curved) * N_SPLINES > min(_MOST_SPLINES, 2 * len(X)):
            curved = curved[:0]
        scale = np.where(scale > 0, scale, 1.0)
        return cls(centre, scale, gaps, curved, low[curved], high[curved], pays(len(X) * len(centre)))

    @property
    def n_linear(self) -> int:
        """Number of columns without splines, the column of ones included."""
        return 1 + len(self.centre) + len(self.gaps)

    def columns(self, X: Floats) -> Floats:
        """Return all columns for some people."""
        found = np.zeros((len(X), self.n_linear + N_SPLINES * len(self.curved)))
        found[:, 0], d = 1.0, len(self.centre)
        line = found[:, 1 : 1 + d]
        np.divide(X - self.centre, self.scale, out=line)
        if len(self.gaps):
            found[:, 1 + d : self.n_linear] = np.isnan(line[:, self.gaps])
            np.nan_to_num(line, copy=False)
        if len(self.curved):
            filled = line[:, self.curved] * self.scale[self.curved] + self.centre[self.curved]
            spline_columns(filled, self.low, self.high, found[:, self.n_linear :], compiled=self.compiled)
        return found

    def member(self, coefficients: Floats) -> Linear | Splines:
        """Return the function columns . coefficients; short coefficients have no splines."""
        d = len(self.centre)
        slope, missing = coefficients[1 : 1 + d] / self.scale, np.zeros(d)
        missing[self.gaps] = coefficients[1 + d : self.n_linear]
        line = Linear(_numbers(self.centre), _numbers(slope), _numbers(missing), float(coefficients[0]))
        if len(coefficients) == self.n_linear:
            return line
        values = coefficients[self.n_linear :].reshape(-1, N_SPLINES)
        knots = (_numbers(self.low), _numbers(self.high))
        return Splines(line, tuple(self.curved.tolist()), *knots, tuple(_numbers(v) for v in values))


def _outer_knots(X: Rows, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return quantiles near 0 and 1 of every feature; its ends, `low` and `high`, where these are the same."""
    some = X[:: 1 + len(X) // _SAMPLE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature may be missing for all of them
        inner = np.nanquantile(some, [_EDGE, 1 - _EDGE], axis=0)
    wide = inner[0] < inner[1]
    return np.where(wide, inner[0], low), np.where(wide, inner[1], high)


def _more_than_two_values(X: Rows, low: Floats, high: Floats) -> Bools:
    """Return for every feature whether a value is within its ends; the first people often tell."""
    found: Bools = np.zeros(len(low), dtype=np.bool_)
    for rows in chunks(len(X), _SAMPLE):
        some = X[rows]
        found |= ((low < some) & (high > some)).any(axis=0)
        if found.all():
            break
    return found


def _numbers(array: Floats) -> Numbers:
    return tuple(array.tolist())
