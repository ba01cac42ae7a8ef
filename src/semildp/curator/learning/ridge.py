"""Ridge regressions on everybody and on all but one fold, from sums over each fold alone."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats
from semildp.curator.learning.design import Design

_CHUNK = 2**13  # people expanded at a time: memory
_PENALTIES = np.logspace(-2, 6, 25)  # in units of one person of mean weight, for columns of variance 1


def fold_sums(design: Design, X: Floats, y: Floats, w: Floats, folds: list[slice]) -> Floats:
    """Return, per fold, the weighted sums of products of all columns and the label, (folds, p + 1, p + 1)."""
    sums = []
    for fold in folds:
        total: Floats | None = None
        for start in range(fold.start, fold.stop, _CHUNK):
            rows = slice(start, min(start + _CHUNK, fold.stop))
            columns = np.concatenate([design.columns(X[rows]), y[rows, None]], axis=1)
            products = columns.T @ (columns * w[rows, None])
            total = products if total is None else total + products
        sums.append(total)
    return np.array(sums)


def predictions(design: Design, X: Floats, coefficients: Floats) -> Floats:
    """Return columns @ coefficients, (n, models)."""
    found = np.empty((len(X), coefficients.shape[1]))
    for start in range(0, len(X), _CHUNK):
        rows = slice(start, start + _CHUNK)
        found[rows] = design.columns(X[rows]) @ coefficients
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
    cost += (people - 1) * np.log(np.maximum(left, 1e-12 * max(square, 1e-300)))
    penalty = _PENALTIES[int(np.argmin(cost))]
    slopes = vectors @ (along / (values + penalty)) / scale
    return np.concatenate([[mean - means @ slopes], slopes])
