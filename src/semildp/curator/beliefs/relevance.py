"""How much each axis explains, and of which shape its function is: judged beside all others."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import erf, softmax

from semildp._arrays import Floats
from semildp.models.belief import Axis

POWERS = (4.0, 2.0)
# Guess: how likely each of `axis_shapes` is before anything is told. As `factors.SHAPES` has it: 0.6 for lines,
# straight or bent; 0.25 for steps; 0.15 for parabolas. With rougher functions, k^-1, sines were held too often.
CHANCES = np.array([0.3, 0.3, 0.25, 0.15])
PARTS = np.array([0.0, *np.geomspace(1e-4, 1.0, 17)])  # ends of ranges of what one axis explains of labels' variance
MIDDLES = np.sqrt(PARTS[1:] * np.maximum(PARTS[:-1], 1e-5))
SWEEPS = 3  # over all axes: after them nothing changes by more than some per cent


@lru_cache(maxsize=16)
def axis_shapes(terms: int) -> Floats:
    """Return how a function may look: its coefficients are normal times one of these matrices, with variance 1 in all.

    A line; cosines whose variance falls with k^-4, as that of curves without corners; with k^-2, as that of steps; and
    even cosines alone: a curve that falls and rises again.
    """
    k = np.arange(1, terms + 1)
    line = np.where(k % 2 == 1, k**-2.0, 0.0)
    found = [np.outer(line, np.eye(1, terms)[0])]
    falls = [k**-power for power in POWERS] + [np.where(k % 2 == (terms == 1), k**-4.0, 0.0)]
    found += [np.diag(np.sqrt(each)) for each in falls]
    return np.array([each / np.sqrt((each**2).sum()) for each in found])


def covariances(
    axes: tuple[Axis, ...], gram: Floats, cross: Floats, variance: float, edges: Floats, whole: Floats
) -> Floats:
    """Return the covariance of all coefficients before anything is told, averaged by how likely it is after.

    One axis explains a part w / axes of what all explain, with w the square of a standard normal number: so of few
    axes most is explained by one or two (shares of all are then a Dirichlet distribution with parameter 1/2). Axis by
    axis, sizes and shapes are weighed by how likely they make the numbers, beside the others as they are thought to be
    so far: with Q = G - G P G and r = c - G P c, P being the covariance of all coefficients after, the numbers tell of
    axis j alone, its block D of the covariance taken away, by the Gram matrix (I - Q_jj D)^-1 Q_jj and products
    (I - Q_jj D)^-1 r_j.

    Parameters
    ----------
    axes, gram, cross, variance
        The axes, sums of products of their functions, and with numbers; the labels' variance.
    edges, whole
        Ranges of what all axes together explain of it, and how likely each is.
    """
    chances = part_chances(len(axes), edges, whole)
    ends = np.cumsum([0, *(axis.terms for axis in axes)])
    blocks = [slice(ends[a], ends[a + 1]) for a in range(len(axes))]
    before = np.zeros(gram.shape)
    for block, axis in zip(blocks, axes, strict=True):
        shapes = axis_shapes(axis.terms)
        before[block, block] = variance * float(chances @ MIDDLES) * _mixed(shapes, CHANCES)
    after = np.linalg.solve(np.eye(len(gram)) + before @ gram, before)
    q, r = gram - gram @ after @ gram, cross - gram @ (after @ cross)
    for _ in range(SWEEPS):
        for block, axis in zip(blocks, axes, strict=True):
            size = np.eye(axis.terms)
            apart = np.asarray(np.linalg.inv(size - q[block, block] @ before[block, block]), dtype=np.float64)
            told = apart @ q[block, block], apart @ r[block]
            new = _judged(axis_shapes(axis.terms), *told, variance, chances)
            change = new - before[block, block]
            moved = q[:, block] @ change @ np.linalg.inv(size + q[block, block] @ change)
            q, r = q - moved @ q[block], r - moved @ r[block]
            before[block, block] = new
    return before


def part_chances(n_axes: int, edges: Floats, whole: Floats) -> Floats:
    """Return how likely one axis explains each of `PARTS`, if it is s w / axes, s being what all explain."""
    middles = (edges[1:] + edges[:-1]) / 2
    below = erf(np.sqrt(PARTS * n_axes / (2 * middles[:, None])))  # P(w <= x) = erf(sqrt(x / 2))
    below[:, -1] = 1.0
    return np.asarray(whole @ np.diff(below, axis=1))


def _judged(shapes: Floats, gram: Floats, cross: Floats, variance: float, chances: Floats) -> Floats:
    """Return one axis's covariance before, averaged by how likely sizes and shapes are after."""
    roots = np.sqrt(variance) * shapes
    values, vectors = np.linalg.eigh(np.swapaxes(roots, 1, 2) @ ((gram + gram.T) / 2) @ roots)
    values = np.maximum(values, 0.0)
    along = (np.swapaxes(vectors, 1, 2) @ np.swapaxes(roots, 1, 2) @ cross)[:, None]
    below = 1 + MIDDLES[:, None] * values[:, None]
    evidence = (-0.5 * np.log(below) + 0.5 * MIDDLES[:, None] * along**2 / below).sum(axis=2)
    weight = softmax(evidence + np.log(CHANCES)[:, None] + np.log(np.maximum(chances, 1e-300)))
    return variance * _mixed(shapes, weight @ MIDDLES)


def _mixed(shapes: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of the covariances of shapes."""
    return np.asarray(np.einsum("s,sij,skj->ik", weights, shapes, shapes))
