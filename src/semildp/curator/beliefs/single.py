"""Functions of single axes: their distribution, given sums, averaged over how much all of them could explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from semildp._arrays import Floats
from semildp.models.belief import Axis

# What the functions of all axes together explain of the labels' variance, each as likely before anything is told: a
# guess over two orders of magnitude. Whatever they explain is spread evenly over axes.
SHARES = np.array([0.0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.5, 0.8])


@dataclass(frozen=True, eq=False)
class Single:
    """Mean and covariance of the coefficients of a constant and of the axes' functions."""

    mean: Floats
    covariance: Floats


def smooth(axes: tuple[Axis, ...]) -> Floats:
    """Return the part of an axis's variance that each of its functions has: falling with k^-2, as that of a step."""
    parts = []
    for axis in axes:
        falling = np.arange(1, axis.terms + 1) ** -2.0
        parts.append(falling / falling.sum())
    return np.concatenate(parts) if parts else np.zeros(0)


def single(sums: Floats, axes: tuple[Axis, ...], variance: float, outside: float) -> Single:
    """Return what sums tell, as of `gram`, `variance` being that of labels.

    With A = share * variance / axes * smooth the variances of coefficients before, columns scaled by sqrt(A) and the
    constant taken off, the numbers are likelier by prod (1 + e)^(-1/2) exp(z^2 / (2 + 2 e)) than if f is constant, e
    being eigenvalues of the Gram matrix and z the numbers' coordinates. Shares are weighed by that.
    `outside` is the variance of the constant before anything is told.
    """
    n_label, before = len(sums) - 1, smooth(axes) * variance / max(len(axes), 1)
    people = sums[0, 0] + 1 / outside
    means, mean = sums[0, 1:n_label] / people, sums[0, n_label] / people
    gram = sums[1:n_label, 1:n_label] - people * np.outer(means, means)
    cross = sums[1:n_label, n_label] - people * means * mean
    root = np.sqrt(before)
    values, vectors = np.linalg.eigh(gram * np.outer(root, root))
    values, along = np.maximum(values, 0.0), vectors.T @ (root * cross)
    below = 1 + np.multiply.outer(SHARES, values)
    evidence = (-0.5 * np.log(below) + 0.5 * SHARES[:, None] * along**2 / below).sum(axis=1)
    weight = softmax(evidence)
    each = SHARES[:, None] * along / below  # share x direction: mean coordinates
    centre = weight @ each
    spread = weight @ (SHARES[:, None] / below)
    inner = np.diag(spread) + ((each - centre).T * weight) @ (each - centre)
    back = root[:, None] * vectors
    slopes, covariance = back @ centre, back @ inner @ back.T
    whole = np.zeros((n_label, n_label))
    whole[1:, 1:] = covariance
    whole[0, 1:] = whole[1:, 0] = -covariance @ means
    whole[0, 0] = 1 / people + means @ covariance @ means
    return Single(np.concatenate([[mean - means @ slopes], slopes]), whole)
