"""What a splitter may look at: public features, who made them public, and labels as numbers; by scans only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._kernels import plain
from semildp._kernels.choosing import compiled
from semildp._kernels.plain import Codes
from semildp._kernels.threads import over_slices
from semildp.domains import FeatureBounds

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Samples:
    """A batch of people as a splitter sees them.

    Parameters
    ----------
    unit
        Features scaled to [0, 1], one row per person; entries that are private hold NaN and are never read.
    mask
        True where the entry is private.
    labels
        One whole number per person, or a row of them: splits are judged by the sum of what each column says.
    first
        Position of the first of them among all people.
    """

    unit: Floats
    mask: Bools
    labels: Ints
    first: int = 0
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return `make()`, computed when first asked for under this key."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]  # type: ignore[no-any-return]

    @property
    def columns(self) -> list[Ints]:
        """The labels' columns; one where there is one number per person."""
        if self.labels.ndim == 1:
            return [self.labels]
        return self.once("columns", lambda: list(np.ascontiguousarray(self.labels.T)))

    def rows(self, part: slice) -> Floats:
        """Return the features of some people, on the scale that `cuts` are on."""
        return self.unit[part]

    def cuts(self, feature: int, points: Floats) -> Floats:
        """Return points of [0, 1] on the scale of `rows`: x is at least a cut iff its scaled value is the point."""
        return points

    def codes(self, features: Ints, points: Sequence[Floats]) -> Codes:
        """Return how many of a feature's points are at most x: (person, feature), HIDDEN where x is private.

        Points are rising, above 0, and at most MOST_CUTS for each feature.
        """
        cuts = [self.cuts(int(f), each) for f, each in zip(features, points, strict=True)]
        first = np.cumsum([0, *(len(each) for each in cuts)]).astype(np.int64)
        flat = np.concatenate([np.zeros(0), *cuts])
        out: Codes = np.empty((len(self.labels), len(features)), dtype=np.uint8)
        loops = compiled(len(out)) or plain

        def work(s: slice) -> None:
            loops.places(self.rows(s), self.mask[s], features, first, flat, out[s])

        over_slices(work, len(out))
        return out


class SamplesOnDemand(Samples):
    """A batch whose features are read when they are looked at, a slice at a time: no scaled copy of them is kept.

    Parameters
    ----------
    read
        Returns the public features of a slice of the people, not scaled.
    bounds
        Their public bounds.
    mask, labels, first
        As in `Samples`.
    """

    read: Callable[[slice], Floats]
    bounds: FeatureBounds

    def __init__(
        self, read: Callable[[slice], Floats], bounds: FeatureBounds, mask: Bools, labels: Ints, first: int = 0
    ) -> None:
        fields = {"read": read, "bounds": bounds, "mask": mask, "labels": labels, "first": first, "_kept": {}}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def unit(self) -> Floats:
        """All features scaled to [0, 1]: a copy."""
        return self.bounds.scale(self.rows(slice(0, len(self.labels))))

    def rows(self, part: slice) -> Floats:
        """Return the features of some people, as they are."""
        return self.read(part)

    def cuts(self, feature: int, points: Floats) -> Floats:
        """Return the points in the feature's own unit."""
        return self.bounds.unscale(feature, points)


class Scan(Protocol):
    """Adds up a function of samples over all batches."""

    def __call__(self, tally: Callable[[Samples], T], /) -> T:
        """Return the sum of `tally(batch)` over all batches."""
        ...


def scan_over(*batches: Samples) -> Scan:
    """Return a scan over batches held in memory."""

    def scan(tally: Callable[[Samples], T], /) -> T:
        total = tally(batches[0])
        for batch in batches[1:]:
            total = total + tally(batch)  # type: ignore[operator]
        return total

    return scan
