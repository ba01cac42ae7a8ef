"""Public domains: the box the features live in, and the grid the label is rounded to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._checks import finite_number, privacy_parameter, short, whole_number
from semildp.errors import refusal

RANDOM_ROUNDING = 1 / 6  # variance of rounding at random, in squared steps: u (1 - u) for u uniform on [0, 1]
LARGEST, NARROWEST = 1e100, 1e-100  # bounds beyond which squares of numbers leave float64


def check_interval(name: str, low: object, high: object) -> tuple[float, float]:
    """Return (low, high) as finite floats with low < high, or refuse them."""
    required = "two finite numbers, low < high"
    a, b = finite_number(name, low, required), finite_number(name, high, required)
    if not a < b:
        raise refusal(name, required, f"({low!r}, {high!r})")
    if max(-a, b) > LARGEST or b - a < NARROWEST:
        raise refusal(name, f"at most {LARGEST:g} in size and {NARROWEST:g} apart", f"({low!r}, {high!r})")
    return a, b


@dataclass(frozen=True)
class FeatureBounds:
    """The public box of the features.

    Parameters
    ----------
    low, high
        Bounds of each feature, known before anyone is asked.
    names
        What the features are called, for refusals to name them; nothing if they have no names.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    names: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, ends in (("low", self.low), ("high", self.high)):
            if not isinstance(ends, list | tuple):
                raise refusal(name, "a tuple of numbers, one per feature", short(ends))
        if len(self.low) != len(self.high):
            raise refusal("feature_bounds", "as many low as high ends", f"{len(self.low)} and {len(self.high)}")
        words = isinstance(self.names, tuple) and all(isinstance(name, str) for name in self.names)
        if not words or len(self.names) not in (0, len(self.low)):
            raise refusal("names", f"a tuple of {len(self.low)} names, or an empty one", short(self.names))
        pairs = [
            check_interval(f"feature_bounds[{self.name(j)}]", a, b)
            for j, (a, b) in enumerate(zip(self.low, self.high, strict=True))
        ]
        object.__setattr__(self, "low", tuple(a for a, _ in pairs))
        object.__setattr__(self, "high", tuple(b for _, b in pairs))

    @property
    def n_features(self) -> int:
        """How many features the box has."""
        return len(self.low)

    def name(self, feature: int) -> str:
        """Return what a sentence calls a feature: its name in quotes, or its position."""
        return short(self.names[feature]) if self.names else str(feature)

    def scale(self, X: Floats) -> Floats:
        """Map each feature to [0, 1]; what lies outside is moved to the nearer end, NaN stays NaN."""
        low, high = np.asarray(self.low), np.asarray(self.high)
        return np.asarray((np.clip(X, low, high) - low) / (high - low))

    def unscale(self, feature: int, points: Floats, times: float = 1.0) -> Floats:
        """Return, for each point above 0, the smallest x whose scale(x) * times is at least that; infinity if none is.

        So x is compared instead of its scaled value, with the same outcome to the last bit: each of the roundings on
        the way to scale(x) * times keeps the order. Found by halving the floats between the bounds.
        """
        return np.array(_first_reaching(self.low[feature], self.high[feature], tuple(points.tolist()), times))


@lru_cache(maxsize=256)
def _first_reaching(low: float, high: float, points: tuple[float, ...], times: float) -> tuple[float, ...]:
    ends, reach = np.array([low, high]), np.array(points)
    least, most = (np.full(len(reach), key) for key in _order(ends))

    def reached(keys: Words) -> Bools:
        return np.asarray((_disorder(keys) - low) / (high - low) * times >= reach)

    never = ~reached(most)
    while (least < most).any():  # at most 64 times
        middle = least + (most - least) // np.uint64(2)
        enough = reached(middle)
        least, most = np.where(enough, least, np.minimum(middle + np.uint64(1), most)), np.where(enough, middle, most)
    return tuple(np.where(never, np.inf, _disorder(most)).tolist())


def _order(x: Floats) -> Words:
    """Return the floats' bits as whole numbers that have the floats' order."""
    bits = (x + 0.0).view(np.uint64)  # -0 becomes 0
    return np.asarray(np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63)))


def _disorder(keys: Words) -> Floats:
    """Return the floats again."""
    bits = np.where(keys >> np.uint64(63), keys ^ np.uint64(1 << 63), ~keys)
    return np.asarray(bits.view(np.float64))


def bin_of(unit: Floats, bins: int | Ints) -> Ints:
    """Return which of equal bins each number of [0, 1] is in: min(floor(x * bins), bins - 1)."""
    return np.asarray(np.minimum(unit * bins, np.subtract(bins, 1)).astype(np.int64))


@dataclass(frozen=True)
class LabelGrid:
    """The public, evenly spaced grid that labels are rounded to before noise is added.

    Parameters
    ----------
    low, high
        Bounds of the label, known before anyone is asked.
    steps
        Number of intervals; grid points are 0..steps. Rounding moves a label by at most half a step.
    """

    low: float
    high: float
    steps: int

    def __post_init__(self) -> None:
        low, high = check_interval("label_bounds", self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "steps", whole_number("steps", self.steps, 1, 2**30))

    @classmethod
    def for_epsilon(cls, low: float, high: float, epsilon: float) -> LabelGrid:
        """Choose the grid from public numbers: 1024 steps, and at least 64 steps per unit of noise scale."""
        wanted = max(1024.0, 64.0 * privacy_parameter("epsilon", epsilon))
        return cls(low, high, 2 ** min(30, math.ceil(math.log2(wanted))))

    @property
    def step(self) -> float:
        """Distance between neighbouring grid points, in label units."""
        return (self.high - self.low) / self.steps

    def encode(self, labels: Floats) -> Ints:
        """Round labels to grid points 0..steps; a label outside the bounds goes to the nearer end."""
        points = np.rint((labels - self.low) / (self.high - self.low) * self.steps)
        return np.clip(points, 0, self.steps).astype(np.int64)

    def encode_at_random(self, labels: Floats, words: Words) -> Ints:
        """Round labels to one of the two nearest grid points, with probabilities that keep their mean."""
        place = np.clip((labels - self.low) / (self.high - self.low) * self.steps, 0, self.steps)
        below = np.floor(place)
        return (below + (words / 2.0**64 < place - below)).astype(np.int64)

    def decode(self, points: Ints | Floats) -> Floats:
        """Turn grid coordinates, whole or averaged, back into label units."""
        return np.asarray(self.low + np.asarray(points, dtype=np.float64) * self.step)
