"""Making raw rows fit to be reported, on the device: bounds, missing private values, the mask to act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._checks import instance_of
from semildp._kernels.ranges import as_slice, rows_at
from semildp._kernels.threads import over_slices
from semildp.client import completing
from semildp.client.completing import check_classes, check_labels, check_shapes, complete_rows
from semildp.domains import LabelGrid
from semildp.errors import refusal
from semildp.masks import repeated
from semildp.sources import Source
from semildp.study import Classes, Study
from semildp.wire.columns import Enrolled


@dataclass(frozen=True, eq=False)
class People:
    """Raw rows and labels, within their bounds, and the masks people act on. They never leave the device.

    Parameters
    ----------
    rows, labels
        Features as numbers (a category as its code) and labels (a class as its place in the list).
    mask
        True where private.
    """

    rows: Floats
    labels: Floats
    mask: Bools

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: Ints | slice) -> People:
        chosen = as_slice(chosen)
        if isinstance(chosen, slice):
            return People(self.rows[chosen], self.labels[chosen], self.mask[chosen])
        return People(self.rows.take(chosen, axis=0), self.labels[chosen], rows_at(self.mask, chosen))


def ready(study: Study, X: Floats, y: Floats | None, mask: Bools, source: Source, *, clip: bool = True) -> People:
    """Check and complete raw rows: the one place where they come in.

    Private is what the person or the study says, and everything if masks are hidden. In a study without a label, `y` is
    not looked at and labels are 0.
    """
    instance_of("study", study, Study)
    X, mask = check_shapes(X, mask, len(study.features))
    acting = acting_mask(study, mask)
    rows = complete_rows(study.bounds, X, acting, source, clip=clip)
    if study.label is None:
        return People(rows, np.zeros(len(rows)), acting)
    if y is None:
        raise refusal("y", "given, as the study has a label", "None")
    if isinstance(study.label, Classes):
        labels = check_classes(len(study.label.values), y, source, clip=clip)
    else:
        labels = check_labels(LabelGrid(*study.label_bounds, 1), y, source, clip=clip)
    if len(labels) != len(rows):
        raise refusal("y", f"as many labels as rows, {len(rows)}", len(labels))
    return People(rows, labels, acting)


def enrol(people: People) -> Enrolled:
    """Return what people make public: their features where not masked, and the masks.

    Of many people, as there are in a simulation alone, no copy of all rows is made: see `EnrolledOnDemand`.
    """
    if len(people) >= completing.MANY:
        return EnrolledOnDemand(partial(_public, people), people.mask)
    return _public(people, slice(None))


def _public(people: People, chosen: Ints | slice) -> Enrolled:
    """Return what some people make public: the only copy of their rows that is made."""
    chosen = as_slice(chosen)
    mask = people.mask[chosen] if isinstance(chosen, slice) else rows_at(people.mask, chosen)
    out = np.empty((len(mask), people.rows.shape[1]))

    def redact(s: slice) -> None:
        rows = people.rows[chosen][s] if isinstance(chosen, slice) else people.rows.take(chosen[s], axis=0)
        np.copyto(out[s], rows)
        np.copyto(out[s], np.nan, where=mask[s])

    over_slices(redact, len(mask))
    return Enrolled(out, mask)


class EnrolledOnDemand(Enrolled):
    """What people make public, asked of their devices again whenever it is looked at, for those who are looked at.

    Parameters
    ----------
    ask
        Returns what some people make public.
    mask
        True where private.
    """

    _ask: Callable[[Ints | slice], Enrolled]

    def __init__(self, ask: Callable[[Ints | slice], Enrolled], mask: Bools) -> None:
        object.__setattr__(self, "_ask", ask)
        object.__setattr__(self, "mask", mask)

    @property
    def public(self) -> Floats:
        """Features of all as numbers; NaN where private. A copy of everything: read slices of people instead."""
        return self._ask(slice(None)).public

    def __len__(self) -> int:
        return len(self.mask)

    def __reduce__(self) -> tuple[type[Enrolled], tuple[Floats, Bools]]:
        return Enrolled, (self.public, self.mask)  # to another process go public features, never a way to rows

    def __getitem__(self, people: Ints | slice) -> Enrolled:
        people = as_slice(people)
        if not isinstance(people, slice) or people.indices(len(self))[2] != 1:
            return self._ask(people)
        start, stop, _ = people.indices(len(self))
        return EnrolledOnDemand(partial(_ask_within, self._ask, start, stop), self.mask[people])


def _ask_within(ask: Callable[[Ints | slice], Enrolled], start: int, stop: int, chosen: Ints | slice) -> Enrolled:
    """Ask some of the people from `start` to `stop`."""
    if isinstance(chosen, slice):
        first, last, step = chosen.indices(stop - start)
        return ask(slice(start + first, start + last, step))
    return ask(start + chosen)


def acting_mask(study: Study, mask: Bools) -> Bools:
    """Return the mask people act on: everything where masks are hidden, else their own and what the study forces."""
    if study.hide_mask:
        return repeated(np.ones(mask.shape[1], dtype=np.bool_), len(mask))
    forced = np.array([feature.private for feature in study.features])
    if mask.strides[0] == 0 and len(mask):
        return repeated(mask[0] | forced, len(mask))
    return np.asarray(mask | forced) if forced.any() else mask
