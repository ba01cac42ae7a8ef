"""Functions of one feature among which the evidence chooses: a line, a curve, steps; or one per value of a category."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from semildp._arrays import Floats

PLACES = 64  # a number's axis is cut into so many places; a step between two of them is found to 1 / 64 of the axis
LINE, CURVE, STEPS = 0.35, 0.15, 0.5  # guess: how often an effect is mostly a line, a parabola, a step
EDGE = 4  # places at each end between which there is no step: so few people would tell of it


@dataclass(frozen=True, eq=False)
class Factors:
    """Functions over the places of one feature's axis.

    Parameters
    ----------
    values
        One row per function, one column per place; mean 0 and mean square 1 over the places.
    prior
        How likely each function is, before anyone is asked; adds up to 1.
    """

    values: Floats
    prior: Floats

    @property
    def n_places(self) -> int:
        """Places of the axis."""
        return int(self.values.shape[1])

    def averaged(self, bins: int) -> Floats:
        """Return the functions' averages over so many equal bins of the axis, each place being as likely."""
        return average_places(self.values, bins)

    @lru_cache(maxsize=256)  # noqa: B019 (there are few factors, and they live as long as the process)
    def visible(self, bins: int) -> float:
        """Return the share of a function's variance that so many bins show, on average over the prior."""
        return float(self.prior @ (self.averaged(bins) ** 2).mean(axis=1))


@lru_cache(maxsize=64)
def factors_of(n_values: int | None) -> Factors:
    """Return the functions of a number (None), or of a category with so many values."""
    if n_values is not None:
        values = _standard(np.eye(n_values)) if n_values > 1 else np.zeros((1, 1))
        return Factors(values, np.full(n_values, 1 / n_values))
    place = (np.arange(PLACES) + 0.5) / PLACES
    steps = place > np.arange(EDGE, PLACES - EDGE + 1)[:, None] / PLACES
    values = _standard(np.vstack([place, (place - 0.5) ** 2, steps]))
    return Factors(values, np.array([LINE, CURVE, *[STEPS / len(steps)] * len(steps)]))


def average_places(values: Floats, bins: int) -> Floats:
    """Return averages over equal bins along the last axis; a place that two bins share counts in parts."""
    places = values.shape[-1]
    if bins == places:
        return values
    edges = np.arange(bins + 1) * (places / bins)
    total = np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(values, axis=-1)], axis=-1)
    whole = np.minimum(edges.astype(np.int64), places - 1)
    at = total[..., whole] + (edges - whole) * values[..., whole]
    return np.asarray(np.diff(at, axis=-1) * (bins / places))


def _standard(rows: Floats) -> Floats:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True)))
