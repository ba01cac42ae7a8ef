"""Made-up people as assumed: their features, a function that explains the assumed shares, normal noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from semildp._arrays import Bools, Floats
from semildp.planning.assumptions import Assumptions
from semildp.planning.spread import Law, laws_of

POWERS = (1.0, 3.0)  # of |x - mean|, which bends a line: from a corner to a flat middle; a parabola has 2
POINTS = 2_000  # quantiles that stand for a feature's distribution
Function = Callable[[Floats], Floats]
Part = tuple[tuple[int, ...], float, tuple[Function, ...]]  # features, factor, a function of each feature


@dataclass(frozen=True)
class Truth:
    """How features lie, and a function of them: sum of factor * product of functions of mean 0 and variance 1.

    Parameters
    ----------
    parts
        Features, factor, and a function of each of these features.
    laws
        The beta distribution of each feature.
    """

    parts: tuple[Part, ...]
    laws: tuple[Law, ...]

    def __call__(self, X: Floats) -> Floats:
        """Return its value for each row."""
        total = np.zeros(len(X))
        for features, factor, functions in self.parts:
            total += factor * np.prod([f(X[:, j]) for j, f in zip(features, functions, strict=True)], axis=0)
        return total

    def draw(self, n_people: int, rng: np.random.Generator) -> Floats:
        """Draw features."""
        a, b = np.array(self.laws).T
        return rng.beta(a, b, size=(n_people, len(self.laws)))


def draw_truth(assumed: Assumptions, rng: np.random.Generator) -> Truth:
    """Draw distributions of features, and a function that explains the assumed shares of a label of variance 1.

    The k-th feature of a kind, in random order, explains in proportion to 1/k: few matter much.
    """
    d, k = assumed.n_features, assumed.n_private
    shapes = laws_of(assumed.spread)
    laws = tuple(shapes[at] for at in rng.integers(len(shapes), size=d))
    n_public, n_private = assumed.mattering
    private = rng.permutation(k)[:n_private].tolist()
    public = (k + rng.permutation(d - k))[:n_public].tolist()
    parts: list[Part] = []
    every = [*private, *public]
    kinds = zip((public, private), (public, every), assumed.explained, assumed.products, strict=True)
    for features, others, share, products in kinds:
        if not features or share == 0:
            continue
        groups: list[tuple[tuple[int, ...], float]] = [((j,), 1 / (1 + at)) for at, j in enumerate(features)]
        twos = _twos(features, others, rng) if products else []
        alone = 1 - products if twos else 1.0
        for each, explained in ((groups, alone * share), (twos, (1 - alone) * share)):
            parts += _scaled(each, explained, assumed, laws, rng)
    return Truth(tuple(parts), laws)


def _twos(features: list[int], others: list[int], rng: np.random.Generator) -> list[tuple[tuple[int, ...], float]]:
    """Return one pair: the strongest of some features, and any other one.

    A product of two features has mean 0 given either, so it explains what they do together and nothing else.
    """
    rest = [j for j in others if j != features[0]]
    return [((features[0], int(rng.choice(rest))), 1.0)] if rest else []


def _scaled(
    groups: list[tuple[tuple[int, ...], float]],
    share: float,
    assumed: Assumptions,
    laws: tuple[Law, ...],
    rng: np.random.Generator,
) -> list[Part]:
    """Give each group random functions, all of them together explaining `share`."""
    whole = sum(weight for _, weight in groups)
    return [
        (
            features,
            float(rng.choice([-1.0, 1.0]) * np.sqrt(share * weight / whole)),
            tuple(_along(assumed, j, laws[j], rng) for j in features),
        )
        for features, weight in groups
    ]


def _along(assumed: Assumptions, j: int, law: Law, rng: np.random.Generator) -> Function:
    """Return a function of a feature with mean 0 and variance 1: a step, or a line and a bend that no line explains."""
    if assumed.shape == "steps":
        share = rng.uniform(0.3, 0.7)
        cut = float(beta.ppf(share, *law))
        return lambda x: ((x > cut) - (1 - share)) / np.sqrt(share * (1 - share))
    x = beta.ppf((np.arange(POINTS) + 0.5) / POINTS, *law)
    power, sign, middle, scale = rng.uniform(*POWERS), rng.choice([-1.0, 1.0]), float(x.mean()), float(x.std())

    def line(x: Floats) -> Floats:
        return (x - middle) / scale

    def corner(x: Floats) -> Floats:
        return np.asarray(np.abs(x - middle) ** power)

    bend = assumed.bends[j < assumed.n_private]
    mean, slope = float(corner(x).mean()), float(np.mean(corner(x) * line(x)))
    bump = sign * np.sqrt(bend) / float(np.std(corner(x) - slope * line(x)))
    straight = np.sqrt(1 - bend) - bump * slope
    return lambda x: straight * line(x) + bump * (corner(x) - mean)


def draw_people(
    assumed: Assumptions, truth: Truth, n_people: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Bools]:
    """Draw features, labels and masks; labels beyond the bounds are on the bound."""
    X = truth.draw(n_people, rng)
    noise = np.sqrt(max(1 - assumed.most, 0.0)) * rng.normal(size=n_people)
    mask = np.zeros(X.shape, dtype=np.bool_)
    mask[:, : assumed.n_private] = rng.uniform(size=(n_people, assumed.n_private)) < assumed.hide
    return X, np.clip(truth(X) + noise, -assumed.width / 2, assumed.width / 2), mask
