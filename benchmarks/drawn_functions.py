"""Functions that are drawn anew in every study, on which the coverage of error bars is measured.

The family was written down before any coverage on it was looked at, and is not to be changed: figures would no longer
be those of functions that nothing was chosen on. It is not the prior of the error bars.

Of five features 1 to 5 matter, evenly. Each of these has a shape of its place u in [0, 1], with mean 0 and variance 1
over even u, drawn evenly from a line, a power u^p (p from 0.3 to 3, even in its logarithm), a logistic curve (centre
from 0.2 to 0.8, slope from 4 to 15), a sine (0.3 to 1.2 periods, any phase) and a step (at 0.2 to 0.8). Its amplitude
is log-normal (0, 0.5), its sign random. In a third of the functions of two features or more, two shapes are multiplied
instead of added. The whole is scaled to a standard deviation between 0.3 and 1. Features are independent and uniform;
in a quarter of the studies they are normal scores of two random factors instead, mapped to (0, 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from semildp._arrays import Floats

N_FEATURES, N_FACTORS = 5, 2
TOGETHER, CORRELATED = 1 / 3, 1 / 4  # how often two features are multiplied; how often features go together
SPREAD = (0.3, 1.0)  # standard deviation of the function
EVEN = (np.arange(1_000) + 0.5) / 1_000  # places over which shapes are standardised
MANY = 20_000  # people over whom the function is scaled
Shape = Callable[[Floats], Floats]


def line(rng: np.random.Generator) -> Shape:
    """Draw a line."""
    return lambda u: u


def power(rng: np.random.Generator) -> Shape:
    """Draw a power."""
    p = np.exp(rng.uniform(np.log(0.3), np.log(3)))
    return lambda u: np.asarray(u**p)


def logistic(rng: np.random.Generator) -> Shape:
    """Draw a logistic curve."""
    centre, slope = rng.uniform(0.2, 0.8), rng.uniform(4, 15)
    return lambda u: np.asarray(expit(slope * (u - centre)))


def sine(rng: np.random.Generator) -> Shape:
    """Draw a sine."""
    periods, phase = rng.uniform(0.3, 1.2), rng.uniform()
    return lambda u: np.asarray(np.sin(2 * np.pi * (periods * u + phase)))


def step(rng: np.random.Generator) -> Shape:
    """Draw a step."""
    at = rng.uniform(0.2, 0.8)
    return lambda u: (u > at).astype(np.float64)


SHAPES = (line, power, logistic, sine, step)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A function, and how features are drawn.

    Parameters
    ----------
    features, shapes, amplitudes
        Which features matter, the name and the function of each one's shape, and its size with sign.
    product
        Whether the first two are multiplied.
    mixing
        Normal scores of features are standard normal numbers times this; None: features are independent.
    scale
        What the whole is multiplied with.
    """

    features: tuple[int, ...]
    shapes: tuple[tuple[str, Shape], ...]
    amplitudes: tuple[float, ...]
    product: bool
    mixing: Floats | None
    scale: float = 1.0

    def function(self, X: Floats) -> Floats:
        """Return f at rows of features."""
        terms = [a * s(X[:, j]) for j, (_, s), a in zip(self.features, self.shapes, self.amplitudes, strict=True)]
        if self.product:
            terms = [terms[0] * terms[1], *terms[2:]]
        return self.scale * np.asarray(np.sum(terms, axis=0))

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw people's features."""
        if self.mixing is None:
            return rng.uniform(size=(n, N_FEATURES))
        return np.asarray(ndtr(rng.normal(size=(n, self.mixing.shape[0])) @ self.mixing))


def drawn(rng: np.random.Generator) -> Drawn:
    """Draw a function and a distribution of features."""
    features = tuple(rng.permutation(N_FEATURES)[: int(rng.integers(1, N_FEATURES + 1))].tolist())
    shapes = []
    for _ in features:
        kind = SHAPES[int(rng.integers(len(SHAPES)))]
        shapes.append((kind.__name__, _standard(kind(rng))))
    amplitudes = np.exp(0.5 * rng.normal(size=len(features))) * rng.choice([-1.0, 1.0], size=len(features))
    product = len(features) > 1 and bool(rng.random() < TOGETHER)
    mixing = _mixing(rng) if rng.random() < CORRELATED else None
    found = Drawn(features, tuple(shapes), tuple(amplitudes.tolist()), product, mixing)
    spread = float(found.function(found.draw(rng, MANY)).std())
    return Drawn(features, found.shapes, found.amplitudes, product, mixing, rng.uniform(*SPREAD) / spread)


def _standard(shape: Shape) -> Shape:
    """Take off the mean of a shape and divide by its standard deviation, over even places."""
    values = shape(EVEN)
    mean, deviation = float(values.mean()), float(values.std())
    return lambda u: (shape(u) - mean) / deviation


def _mixing(rng: np.random.Generator) -> Floats:
    """Return what makes scores of random factors and of each feature's own part, each with variance 1."""
    loadings, own = rng.normal(size=(N_FACTORS, N_FEATURES)), np.diag(rng.uniform(0.3, 1.0, size=N_FEATURES))
    both = np.concatenate([loadings, own])
    return np.asarray(both / np.sqrt((both**2).sum(axis=0)))
