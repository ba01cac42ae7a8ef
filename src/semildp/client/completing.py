"""Raw rows and labels brought inside their public bounds, on the device; what is missing is drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._checks import as_array, instance_of, true_or_false
from semildp._kernels import plain
from semildp._kernels.choosing import compiled
from semildp._kernels.threads import in_threads, over_slices, slices
from semildp.domains import FeatureBounds, LabelGrid
from semildp.errors import InputError, refusal
from semildp.masks import times_hidden
from semildp.sources import Source, below, check_source, later

MANY = 1 << 17  # people from which no copy of all rows is made; a device has one
_CLIP_ADVICE = "Widen the bounds, or pass clip=True to move such values to the nearer bound."


def complete_rows(bounds: FeatureBounds, X: Floats, mask: Bools, source: Source, *, clip: bool = False) -> Floats:
    """Return the features inside their bounds, with missing private entries drawn uniformly from theirs.

    A public entry that is missing, or outside its bounds without `clip`, is refused. A private entry is never refused:
    a refusal could be seen. It is moved to the nearer bound; missing, it is drawn at random and says nothing. Words are
    drawn for all private entries, missing or not, so that the work done tells nothing of what is missing.
    """
    instance_of("bounds", bounds, FeatureBounds)
    check_source(source)
    true_or_false("clip", clip)
    X, mask = check_shapes(X, mask, bounds.n_features)
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


def check_classes(n_classes: int, y: Floats, source: Source | None = None, *, clip: bool = False) -> Floats:
    """Return labels that are classes, as their places 0..n_classes-1 in the list; without `clip`, others are refused.

    With `clip`, as on a device, what is no place in the list is drawn uniformly from all classes. Words are drawn for
    all labels, missing or not, so that the work done tells nothing.
    """
    y = as_array("labels", y, "f", 1, "a one-dimensional array of floats")
    bad = ~((y >= 0) & (y < n_classes) & (y == np.floor(y)))
    if true_or_false("clip", clip):
        if source is None:
            raise refusal("source", "given with clip=True, to draw what is missing", "None")
        check_source(source)
        return np.where(bad, below(source.words(len(y)), n_classes).astype(np.float64), y)
    if bad.any():
        raise InputError(
            f"Labels must be places in the list of classes, 0 to {n_classes - 1}. Got others in {int(bad.sum())} of "
            f"{len(y)} rows. Leave such rows out, or add their classes to the list."
        )
    return y


def _uniform(words: Words, low: Floats | float, high: Floats | float) -> Floats:
    """Map words to [low, high]; rounding must not lead out of it."""
    return np.minimum(low + words / 2.0**64 * (np.asarray(high) - low), high)


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


def check_shapes(X: Floats, mask: Bools, n_features: int) -> tuple[Floats, Bools]:
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
