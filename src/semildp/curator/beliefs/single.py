"""Functions of single axes: their distribution, given sums, averaged over how much all of them could explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from semildp._arrays import Floats
from semildp._kernels.blas import one_blas_thread
from semildp.curator.beliefs.relevance import CHANCES, axis_shapes, covariances
from semildp.models.belief import Axis

# Of the labels' variance, what the functions of all axes together explain: even in [0, 1] before anything is told.
EDGES = np.array([0.0, 0.006, 0.02, 0.045, 0.08, 0.15, 0.25, 0.4, 0.65, 1.0])
SHARES, LIKELY = (EDGES[1:] + EDGES[:-1]) / 2, np.diff(EDGES)


@dataclass(frozen=True, eq=False)
class Single:
    """Mean and covariance of the coefficients of a constant and of the axes' functions."""

    mean: Floats
    covariance: Floats


def single(sums: Floats, axes: tuple[Axis, ...], variance: float, outside: float) -> Single:
    """Return what sums tell, as of `gram`, `variance` being that of labels.

    First the share of all axes is judged, as if all were alike (`whole_share`); then that of each axis and its shape,
    beside the others (`covariances`). With D the covariance of coefficients before that this gives, G the Gram matrix
    and c the numbers' products, the constant taken off, their covariance is P = (I + D G)^-1 D and their mean P c.
    `outside` is the variance of the constant before anything is told.
    """
    n_label = len(sums) - 1
    people = sums[0, 0] + 1 / outside
    means, mean = sums[0, 1:n_label] / people, sums[0, n_label] / people
    gram = sums[1:n_label, 1:n_label] - people * np.outer(means, means)
    cross = sums[1:n_label, n_label] - people * means * mean
    before = np.zeros((n_label - 1, n_label - 1))
    if axes:
        before = covariances(axes, gram, cross, variance, EDGES, whole_share(axes, gram, cross, variance))
    covariance = np.linalg.solve(np.eye(n_label - 1) + before @ gram, before)
    covariance = (covariance + covariance.T) / 2
    slopes = covariance @ cross
    whole = np.zeros((n_label, n_label))
    whole[1:, 1:] = covariance
    whole[0, 1:] = whole[1:, 0] = -covariance @ means
    whole[0, 0] = 1 / people + means @ covariance @ means
    return Single(np.concatenate([[mean - means @ slopes], slopes]), whole)


def whole_share(axes: tuple[Axis, ...], gram: Floats, cross: Floats, variance: float) -> Floats:
    """Return how likely each of `SHARES` is.

    Each axis has the same share, and all have the same shape B: coefficients have covariance share * variance / axes *
    B B'. The numbers are likelier by prod (1 + e)^(-1/2) exp(z^2 / (2 + 2 e)) than if f is constant, e being
    eigenvalues of the Gram matrix in these coordinates and z the numbers' coordinates.
    """
    found = []
    for shape in range(len(CHANCES)):
        root = _all_alike(axes, shape) * np.sqrt(variance / len(axes))
        scaled = root.T @ gram @ root
        with one_blas_thread():
            values, vectors = np.linalg.eigh(scaled)
        values, along = np.maximum(values, 0.0), vectors.T @ (root.T @ cross)
        below = 1 + np.multiply.outer(SHARES, values)
        found.append((-0.5 * np.log(below) + 0.5 * SHARES[:, None] * along**2 / below).sum(axis=1))
    both = np.asarray(softmax(np.log(LIKELY) + np.log(CHANCES)[:, None] + np.array(found)))
    return np.asarray(both.sum(axis=0))


def _all_alike(axes: tuple[Axis, ...], shape: int) -> Floats:
    """Return the roots of all axes' covariances, of one shape, as blocks."""
    ends = np.cumsum([0, *(axis.terms for axis in axes)])
    found = np.zeros((ends[-1], ends[-1]))
    for a, axis in enumerate(axes):
        found[ends[a] : ends[a + 1], ends[a] : ends[a + 1]] = axis_shapes(axis.terms)[shape]
    return found
