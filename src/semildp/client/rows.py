"""Making raw rows fit to be reported, on the device: bounds, missing private values, the mask to act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._checks import as_array, instance_of, true_or_false
from semildp._kernels import plain
from semildp._kernels.choosing import compiled
from semildp._kernels.ranges import as_slice
from semildp._kernels.threads import in_threads, over_slices, slices
from semildp.domains import FeatureBounds, LabelGrid
from semildp.errors import InputError, refusal
from semildp.masks import repeated, times_hidden
from semildp.sources import Source, check_source, later
from semildp.study import Study
from semildp.wire.columns import Enrolled

MANY = 1 << 17  # people from which no copy of all rows is made; a device has one
_CLIP_ADVICE = "Widen the bounds, or pass clip=True to move such values to the nearer bound."


@dataclass(frozen=True, eq=False)
class People:
    """Raw rows and labels, within their bounds, and the masks people act on. They never leave the device.

    Parameters
    ----------
    rows, labels
        Features as numbers (a category as its code) and labels.
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
        return People(self.rows[chosen], self.labels[chosen], self.mask[chosen])


def ready(study: Study, X: Floats, y: Floats, mask: Bools, source: Source, *, clip: bool = True) -> People:
    """Check and complete raw rows: the one place where they come in.

    Private is what the person or the study says, and everything if masks are hidden.
    """
    instance_of("study", study, Study)
    X, mask = _check_shapes(X, mask, len(study.features))
    acting = acting_mask(study, mask)
    rows = complete_rows(study.bounds, X, acting, source, clip=clip)
    labels = check_labels(LabelGrid(*study.label_bounds, 1), y, source, clip=clip)
    if len(labels) != len(rows):
        raise refusal("y", f"as many labels as rows, {len(rows)}", len(labels))
    return People(rows, labels, acting)


def enrol(people: People) -> Enrolled:
    """Return what people make public: their features where not masked, and the masks.

    Of many people, as there are in a simulation alone, no copy of all rows is made: see `EnrolledOnDemand`.
    """
    if len(people) >= MANY:
        return EnrolledOnDemand(lambda chosen: _public(people[chosen]), people.mask)
    return _public(people)


def _public(people: People) -> Enrolled:
    out = np.empty(people.rows.shape)

    def redact(s: slice) -> None:
        np.copyto(out[s], people.rows[s])
        np.copyto(out[s], np.nan, where=people.mask[s])

    over_slices(redact, len(people))
    return Enrolled(out, people.mask)


class EnrolledOnDemand(Enrolled):
    """What people make public, asked of their devices again whenever it is looked at, for those who are looked at.

    Parameters
    ----------
    ask
        Returns what some people make public.
    mask
        True where private.
    """

    def __init__(self, ask: Callable[[Ints | slice], Enrolled], mask: Bools) -> None:
        object.__setattr__(self, "_ask", ask)
        object.__setattr__(self, "mask", mask)

    @property
    def public(self) -> Floats:  # type: ignore[override]
        """Features of all as numbers; NaN where private. A copy of everything: read slices of people instead."""
        return self._ask(slice(None)).public  # type: ignore[attr-defined, no-any-return]

    def __len__(self) -> int:
        return len(self.mask)

    def __getitem__(self, people: Ints | slice) -> Enrolled:
        people = as_slice(people)
        if not isinstance(people, slice) or people.indices(len(self))[2] != 1:
            return self._ask(people)  # type: ignore[attr-defined, no-any-return]
        start, stop, _ = people.indices(len(self))
        return EnrolledOnDemand(partial(_ask_within, self._ask, start, stop), self.mask[people])  # type: ignore[attr-defined]


def _ask_within(
    ask: Callable[[Ints | slice], Enrolled], start: int, stop: int, chosen: Ints | slice
) -> Enrolled:
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


def complete_rows(bounds: FeatureBounds, X: Floats, mask: Bools, source: Source, *, clip: bool = False) -> Floats:
    """Return the features inside their bounds, with missing private entries drawn uniformly from theirs.

    A public entry that is missing, or outside its bounds without `clip`, is refused. A private entry is never refused:
    a refusal could be seen. It is moved to the nearer bound; missing, it is drawn at random and says nothing. Words are
    drawn for all private entries, missing or not, so that the work done tells nothing of what is missing.
    """
    instance_of("bounds", bounds, FeatureBounds)
    check_source(source)
    true_or_false("clip", clip)
    X, mask = _check_shapes(X, mask, bounds.n_features)
    if len(X) >= MANY:
        return _complete_many(bounds, X, mask, source, clip=clip)
    _refuse(bounds, X, mask, clip=clip)
    return _completed(X, mask, np.asarray(bounds.low), np.asarray(bounds.high), source.words(int(mask.sum())))


def _refuse(bounds: FeatureBounds, X: Floats, mask: Bools, *, clip: bool) -> None:
    """Refuse public entries that are missing, or outside their bounds without `clip`."""
    refuse_missing(bounds, X, mask)
    outside = ((np.asarray(bounds.low) > X) | (np.asarray(bounds.high) < X)) & ~mask
    if outside.any() and not clip:
        raise InputError(
            f"Public features must lie within their bounds. Got values outside in {_where(outside, bounds)}. "
            + _CLIP_ADVICE
        )


def _completed(X: Floats, mask: Bools, low: Floats, high: Floats, drawn: Words) -> Floats:
    """Return rows inside their bounds; a missing entry has its word, of those drawn for private entries, in order."""
    inside = np.clip(X, low, high)
    words = np.zeros(X.shape, dtype=np.uint64)
    words[mask] = drawn
    return np.where(np.isnan(X), _uniform(words, low, high), inside)


def _complete_many(bounds: FeatureBounds, X: Floats, mask: Bools, source: Source, *, clip: bool) -> Floats:
    """Do the same for many people, in slices: rows that fit are not copied, words that are not needed not drawn.

    This is a simulation: nobody can see how much work is done for whom.
    """
    X, low, high = np.asarray(X, dtype=np.float64), np.asarray(bounds.low), np.asarray(bounds.high)
    loops = compiled(len(X)) or plain

    def misfits(s: slice) -> Ints:
        found = np.zeros(4, dtype=np.int64)
        loops.misfits(X[s], mask[s], low, high, found)
        return found

    found = over_slices(misfits, len(X))
    missing, outside, *private = np.sum(found, axis=0)
    if missing or (outside and not clip):
        _refuse(bounds, X, mask, clip=clip)
    if not outside and not any(private):
        later(source, int(times_hidden(mask).sum()))
        return X
    out, jobs = np.array(X), list[Callable[[], None]]()
    for s, here in zip(slices(len(X)), found, strict=True):
        words = later(source, int(np.count_nonzero(mask[s])))
        if here.any():
            jobs.append(partial(_complete_slice, out[s], mask[s], low, high, words))
    in_threads(jobs)
    return out


def _complete_slice(rows: Floats, mask: Bools, low: Floats, high: Floats, words: Callable[[], Words]) -> None:
    rows[...] = _completed(rows, mask, low, high, words())


def refuse_missing(bounds: FeatureBounds, X: Floats, mask: Bools) -> None:
    """Refuse rows in which a public entry is missing."""
    bad = np.isnan(X) & ~mask
    if bad.any():
        raise InputError(
            f"Public features must not be missing. Got NaN in {_where(bad, bounds)}. "
            "Mark the entry private or fill it in."
        )


def check_labels(grid: LabelGrid, y: Floats, source: Source | None = None, *, clip: bool = False) -> Floats:
    """Return the labels inside their bounds; without `clip`, those outside and missing ones are refused.

    A refusal can be seen, and the label is private: a device passes `clip=True` and a source. Then a label outside,
    infinity included, is moved to the nearer bound, and a missing one (NaN) is drawn uniformly within the bounds. Words
    are drawn for all labels, missing or not, so that the work done tells nothing. Refusing is for the analyst who runs
    a simulation and mistook the bounds.
    """
    instance_of("grid", grid, LabelGrid)
    y = as_array("labels", y, "f", 1, "a one-dimensional array of floats")
    if true_or_false("clip", clip):
        if source is None:
            raise refusal("source", "given with clip=True, to draw what is missing", "None")
        check_source(source)
        drawn = _uniform(source.words(len(y)), grid.low, grid.high)
        return np.where(np.isnan(y), drawn, np.clip(y, grid.low, grid.high))
    if all(bool(((y[s] >= grid.low) & (y[s] <= grid.high)).all()) for s in slices(len(y))):
        return y
    if not np.isfinite(y).all():
        raise InputError("Labels must be finite numbers. Got NaN or infinity. Leave such rows out.")
    outside = (y < grid.low) | (y > grid.high)
    if outside.any():
        raise InputError(
            f"Labels must lie within label_bounds ({grid.low}, {grid.high}). Got values outside in "
            f"{int(outside.sum())} of {len(y)} rows. " + _CLIP_ADVICE
        )
    return y


def _uniform(words: Words, low: Floats | float, high: Floats | float) -> Floats:
    """Map words to [low, high]; rounding must not lead out of it."""
    return np.minimum(low + words / 2.0**64 * (np.asarray(high) - low), high)


def _check_shapes(X: Floats, mask: Bools, n_features: int) -> tuple[Floats, Bools]:
    """Refuse rows and masks that do not belong together: the one place where a device's raw rows come in."""
    rows = as_array("X", X, "f", 2, "a two-dimensional array of floats")
    hidden = as_array("mask", mask, "b", 2, "a two-dimensional array of True and False")
    if rows.shape[1] != n_features or hidden.shape != rows.shape:
        shapes = f"{rows.shape} and {hidden.shape}"
        raise refusal("X", f"of {n_features} columns, and `mask` of the same shape", shapes)
    return rows, hidden


def _where(bad: Bools, bounds: FeatureBounds) -> str:
    columns = np.flatnonzero(bad.any(axis=0))
    shown = ", ".join(bounds.name(c) for c in columns[:5]) + (", ..." if len(columns) > 5 else "")
    return f"{int(bad.any(axis=1).sum())} rows, feature {shown}"
