"""Ridge regressions on everybody and on all but one fold, from sums over each fold alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.threads import in_threads
from semildp.curator.learning.boosting import Targets
from semildp.curator.learning.design import Design
from semildp.curator.learning.folds import Folds
from semildp.curator.learning.rows import Rows
from semildp.models.learned import Linear, Splines

_CHUNK = 2**13  # people expanded at a time: memory
_AT_ONCE = 8  # of these: their sums are held until they are added up
_KEPT = 2 * 10**6  # numbers that are kept rather than made twice: 16 megabytes
_PENALTIES = np.logspace(-2, 6, 25)  # in units of one person of mean weight, for columns of variance 1


@dataclass(frozen=True, eq=False)
class Ridges:
    """A linear and, if a feature has more than two values, a spline regression; labels have mean about 0.

    Parameters
    ----------
    members
        The regressions on everybody.
    means
        Mean label outside each fold.
    everyone
        (people, members, folds): predictions for everybody from the people outside each fold.
    """

    members: list[Linear | Splines]
    means: Floats
    everyone: Floats

    @classmethod
    def of(cls, design: Design, X: Rows, y: Floats, w: Floats, folds: Folds, everybody: Floats | None) -> Ridges:
        """Fit both on everybody, and on all but each fold; `everybody` are sums as of `gram`, if there are more."""
        columns = _Columns(design, X)
        sums = _fold_sums(columns, y, w, folds)
        total = sums.sum(axis=0)
        outside = total - sums
        n_columns = len(total) - 1
        widths = [design.n_linear, n_columns] if len(design.curved) else [n_columns]
        found = np.zeros((n_columns, len(widths), len(sums)))
        for i, width in enumerate(widths):
            for fold, rest in enumerate(outside):
                found[:width, i, fold] = ridge(rest, width)
        everyone = _predictions(columns, folds, found.reshape(n_columns, -1)).reshape(len(X), len(widths), len(sums))
        members = [design.member(ridge(total if everybody is None else everybody, width)) for width in widths]
        return cls(members, outside[:, 0, n_columns] / outside[:, 0, 0], everyone)

    def write_outside(self, folds: Folds, found: Floats) -> None:
        """Write, by member and person, everybody's prediction from the other folds, less their mean label."""
        for k, fold in enumerate(folds.inside):
            np.subtract(self.everyone[fold, :, k].T, self.means[k], out=found[:, fold])

    def targets(self, folds: Folds, y: Floats, guess: Floats) -> list[Targets]:
        """Return what trees predict for people outside each fold: labels less their mean, and less the regressions.

        The regressions are weighed by `guess`. The second keeps one number per person and fold, not all predictions.
        """
        left = [y[rest] - self.everyone[rest, :, k] @ guess for k, rest in enumerate(folds.rest)]
        plain = [partial(np.subtract, y[rest], mean) for rest, mean in zip(folds.rest, self.means, strict=True)]
        return [plain, [partial(np.asarray, each) for each in left]]


class _Columns:
    """The design's columns for a slice of people; made once if they are few enough to keep, otherwise at every call."""

    def __init__(self, design: Design, X: Rows) -> None:
        self.design, self.X = design, X
        self.kept: dict[int, Floats] = {}

    def __getitem__(self, rows: slice) -> Floats:
        found = self.kept.get(rows.start)
        if found is None:
            found = self.design.columns(self.X[rows])
            if len(self.X) * found.shape[1] <= _KEPT:
                self.kept[rows.start] = found
        return found


def _chunks(fold: slice) -> list[slice]:
    return [slice(start, min(start + _CHUNK, fold.stop)) for start in range(fold.start, fold.stop, _CHUNK)]


def _fold_sums(columns: _Columns, y: Floats, w: Floats, folds: Folds) -> Floats:
    """Return, per fold, the weighted sums of products of all columns and the label, (folds, p + 1, p + 1)."""

    def work(rows: slice) -> Floats:
        return gram(columns[rows], y[rows], w[rows])

    sums = []
    for fold in folds.inside:
        total: Floats | float = 0.0
        chunks = _chunks(fold)
        for some in range(0, len(chunks), _AT_ONCE):
            for each in in_threads(partial(work, rows) for rows in chunks[some : some + _AT_ONCE]):
                total = total + each
        sums.append(total)
    return np.array(sums)


def gram(columns: Floats, y: Floats, w: Floats) -> Floats:
    """Return the weighted sums of products of all columns and the label, of some people; sums of others add up."""
    both = np.concatenate([columns, y[:, None]], axis=1)
    both *= np.sqrt(w[:, None])
    return np.asarray(both.T @ both)


def _predictions(columns: _Columns, folds: Folds, coefficients: Floats) -> Floats:
    """Return columns @ coefficients, (people, models)."""
    found = np.empty((folds.inside[-1].stop, coefficients.shape[1]))

    def work(rows: slice) -> None:
        np.matmul(columns[rows], coefficients, out=found[rows])

    in_threads(partial(work, rows) for fold in folds.inside for rows in _chunks(fold))
    return found


def ridge(sums: Floats, width: int) -> Floats:
    """Return the coefficients of the first `width` columns, of which the first is 1 and is not penalised.

    Other columns are centred and scaled to variance 1. With eigenvalues e of their Gram matrix and z the labels'
    coordinates, the penalty l maximises the marginal likelihood of coefficients of variance s / l and noise of
    variance s: minimise sum log(1 + e / l) + (n - 1) log(y'y - sum z^2 / (e + l)).
    """
    people, n_label = sums[0, 0], len(sums) - 1
    means = sums[0, 1:width] / people
    mean = sums[0, n_label] / people
    gram = sums[1:width, 1:width] - people * np.outer(means, means)
    spread = np.sqrt(np.maximum(np.diag(gram), 0) / people)
    scale = np.where(spread > 1e-9, spread, np.inf)  # a column that does not vary has no coefficient
    gram = gram / np.outer(scale, scale)
    cross = (sums[1:width, n_label] - people * means * mean) / scale
    square = sums[n_label, n_label] - people * mean**2
    values, vectors = np.linalg.eigh(gram)
    values, along = np.maximum(values, 0), vectors.T @ cross
    left = square - (along**2 / (values + _PENALTIES[:, None])).sum(axis=1)
    cost = np.log1p(values / _PENALTIES[:, None]).sum(axis=1)
    cost += max(people - 1, 0.0) * np.log(np.maximum(left, 1e-12 * max(square, 1e-300)))
    penalty = _PENALTIES[int(np.argmin(cost))]
    slopes = vectors @ (along / (values + penalty)) / scale
    return np.concatenate([[mean - means @ slopes], slopes])
