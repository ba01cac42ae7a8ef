"""Centring labels so that sums of their squares stay exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Ints
from semildp._kernels.sums import exact_total, overflow
from semildp._kernels.threads import slices
from semildp.masks import distinct_rows
from semildp.partition.samples import Samples, Scan

_EXACT_SQUARES = 2**52


@dataclass(frozen=True)
class LabelScale:
    """Labels are scored as (label - centre) >> shift. A shift of all labels changes no variance.

    Low bits are dropped only if the sum of squares would leave float64's exact range. On the usual grid of 1024 steps
    that happens when the noise is wider than some 65 label ranges at 10**6 people, 650 at 10**4.
    """

    centre: int
    shift: int

    @classmethod
    def find(cls, scan: Scan, features: Ints) -> LabelScale:
        """Look at the labels of people who make at least one of the features public; the others are never scored."""

        def scored(samples: Samples) -> Ints:
            shown = samples.once(("shown", *features.tolist()), lambda: _any_shown(samples.mask, features))
            labels = samples.labels if shown is None else samples.labels[shown]
            if len(labels) and max(-int(labels.min()), int(labels.max())) >= 2**62:  # less a centre, it might not fit
                raise overflow()
            return labels

        def squares(scale: LabelScale) -> int:
            def tally(samples: Samples) -> int:
                labels = scored(samples)
                return sum(_squares(scale(labels[s])) for s in slices(len(labels)))

            return scan(tally)

        people = scan(lambda samples: len(scored(samples)))
        total = scan(lambda samples: exact_total(scored(samples)))
        scale = cls(total // people if people else 0, 0)
        while squares(scale) >= _EXACT_SQUARES:
            scale = cls(scale.centre, scale.shift + 1)
        return scale

    def __call__(self, labels: Ints) -> Ints:
        """Return labels as they are scored."""
        return (labels - self.centre) >> self.shift


def _any_shown(mask: Bools, features: Ints) -> Bools | None:
    """Return who makes at least one of the features public; None if all do."""
    rows = distinct_rows(mask)
    hidden = np.ones(len(rows), dtype=np.bool_)
    for feature in features.tolist():
        hidden &= rows[:, feature]
        if not hidden.any():
            return None
    return np.broadcast_to(~hidden, len(mask))


def _squares(numbers: Ints) -> int:
    """Return the sum of squares, exactly; at least 2**52 where one alone is that large."""
    if np.abs(numbers).max(initial=0) >= 2**26:
        return _EXACT_SQUARES
    square = numbers * numbers  # below 2**52, so both halves can be added up in 64 bits
    return (int((square >> 26).sum()) << 26) + int((square & (2**26 - 1)).sum())
