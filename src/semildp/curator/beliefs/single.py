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
POWERS = (4.0, 2.0, 1.0)
_LEAST = 1e-4  # weight below which a part of a mixture is left out


@dataclass(frozen=True, eq=False)
class Single:
    """Mean and covariance of the coefficients of a constant and of the axes' functions."""

    mean: Floats
    covariance: Floats


def shapes(axes: tuple[Axis, ...]) -> list[Floats]:
    """Return how functions may look before anything is told, each as likely: coefficients are normal times a matrix.

    An axis has variance 1 in each. Lines; cosines whose variance falls with k^-4, as that of curves without corners;
    with k^-2, as that of steps.
    """
    ends = np.cumsum([0, *(axis.terms for axis in axes)])
    lines = np.zeros((ends[-1], len(axes)))
    for a, axis in enumerate(axes):
        k = np.arange(1, axis.terms + 1)
        line = np.where(k % 2 == 1, k**-2.0, 0.0)
        lines[ends[a] : ends[a + 1], a] = line / np.sqrt((line**2).sum())
    found = [lines]
    for power in POWERS:
        falling = [np.arange(1, axis.terms + 1) ** -power for axis in axes]
        found.append(np.diag(np.sqrt(np.concatenate([each / each.sum() for each in falling]))))
    return found


def single(sums: Floats, axes: tuple[Axis, ...], variance: float, outside: float) -> Single:
    """Return what sums tell, as of `gram`, `variance` being that of labels.

    With B one of `shapes`, coefficients have covariance share * variance / axes * B B' before. With the constant taken
    off, the numbers are likelier by prod (1 + e)^(-1/2) exp(z^2 / (2 + 2 e)) than if f is constant, e being eigenvalues
    of their Gram matrix in these coordinates and z the numbers' coordinates. Shapes and shares are weighed by that.
    `outside` is the variance of the constant before anything is told.
    """
    n_label = len(sums) - 1
    people = sums[0, 0] + 1 / outside
    means, mean = sums[0, 1:n_label] / people, sums[0, n_label] / people
    gram = sums[1:n_label, 1:n_label] - people * np.outer(means, means)
    cross = sums[1:n_label, n_label] - people * means * mean
    found = []
    for shape in shapes(axes) if axes else []:
        found += _weighed(np.sqrt(variance / len(axes)) * shape, gram, cross)
    slopes, covariance = _mixed(found, n_label - 1)
    whole = np.zeros((n_label, n_label))
    whole[1:, 1:] = covariance
    whole[0, 1:] = whole[1:, 0] = -covariance @ means
    whole[0, 0] = 1 / people + means @ covariance @ means
    return Single(np.concatenate([[mean - means @ slopes], slopes]), whole)


def _weighed(root: Floats, gram: Floats, cross: Floats) -> list[tuple[float, Floats, Floats]]:
    """Return, for each share, the log of how likely the numbers are, and mean and covariance of coefficients."""
    values, vectors = np.linalg.eigh(root.T @ gram @ root)
    values, along, back = np.maximum(values, 0.0), vectors.T @ (root.T @ cross), root @ vectors
    found = []
    for share in SHARES:
        below = 1 + share * values
        evidence = float((-0.5 * np.log(below) + 0.5 * share * along**2 / below).sum())
        found.append((evidence, back @ (share * along / below), (back * (share / below)) @ back.T))
    return found


def _mixed(found: list[tuple[float, Floats, Floats]], size: int) -> tuple[Floats, Floats]:
    """Return mean and covariance of a mixture, weighed by how likely its parts are."""
    if not found:
        return np.zeros(size), np.zeros((size, size))
    weights = softmax([evidence for evidence, _, _ in found])
    mean: Floats = sum((w * m for w, (_, m, _) in zip(weights, found, strict=True)), np.zeros(size))
    covariance = np.zeros((size, size))
    for weight, (_, part, spread) in zip(weights, found, strict=True):
        if weight > _LEAST:
            covariance += weight * (spread + np.outer(part - mean, part - mean))
    return mean, covariance
