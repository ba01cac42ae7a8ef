"""Making raw rows fit to be reported, on the device: bounds, missing private values, the mask to act on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._checks import as_array, instance_of, true_or_false
from semildp.domains import FeatureBounds, LabelGrid
from semildp.errors import InputError, refusal
from semildp.sources import Source, check_source
from semildp.study import Study
from semildp.wire.columns import Enrolled

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
    """Return what people make public: their features where not masked, and the masks."""
    return Enrolled(np.where(people.mask, np.nan, people.rows), people.mask)


def acting_mask(study: Study, mask: Bools) -> Bools:
    """Return the mask people act on: everything where masks are hidden, else their own and what the study forces."""
    if study.hide_mask:
        return np.ones_like(mask)
    return np.asarray(mask | np.array([feature.private for feature in study.features]))


def complete_rows(bounds: FeatureBounds, X: Floats, mask: Bools, source: Source, *, clip: bool = False) -> Floats:
    """Return the features inside their bounds, with missing private entries drawn uniformly from theirs.

    A public entry that is missing, or outside its bounds without `clip`, is refused. A private entry is never refused:
    a refusal could be seen. It is moved to the nearer bound; missing, it is drawn at random and says nothing. Words are
    drawn for all private entries, missing or not, so that the work done tells nothing of what is missing.
    """
    instance_of("bounds", bounds, FeatureBounds)
    check_source(source)
    true_or_false("clip", clip)
    low, high = np.asarray(bounds.low), np.asarray(bounds.high)
    X, mask = _check_shapes(X, mask, bounds.n_features)
    refuse_missing(bounds, X, mask)
    outside = ((low > X) | (high < X)) & ~mask
    if outside.any() and not clip:
        raise InputError(
            f"Public features must lie within their bounds. Got values outside in {_where(outside, bounds)}. "
            + _CLIP_ADVICE
        )
    inside = np.clip(X, low, high)
    words = np.zeros(X.shape, dtype=np.uint64)
    words[mask] = source.words(int(mask.sum()))
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
