"""Made-up people as assumed: uniform features, a function that explains the assumed shares, normal noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.planning.assumptions import Assumptions

POWERS = (1.0, 3.0)  # of |2 x - 1|, which bends a line: from a corner to a flat middle; a parabola has 2
Part = tuple[tuple[int, ...], float, Callable[[Floats], Floats]]  # features, factor, one function for each of them


@dataclass(frozen=True)
class Truth:
    """A function of features: sum of factor * product of functions of one feature, each with mean 0 and variance 1."""

    parts: tuple[Part, ...]

    def __call__(self, X: Floats) -> Floats:
        """Return its value for each row."""
        total = np.zeros(len(X))
        for features, factor, bend in self.parts:
            total += factor * np.prod([bend(X[:, j]) for j in features], axis=0)
        return total


def draw_truth(assumed: Assumptions, rng: np.random.Generator) -> Truth:
    """Draw a function that explains the assumed shares of a label of variance 1.

    The k-th feature of a kind, in random order, explains in proportion to 1/k: few matter much.
    """
    d, k = assumed.n_features, assumed.n_private
    n_public, n_private = assumed.mattering
    private = rng.permutation(k)[:n_private].tolist()
    public = (k + rng.permutation(d - k))[:n_public].tolist()
    parts: list[Part] = []
    for features, others, share in ((public, public, assumed.explained[0]), (private, public, assumed.explained[1])):
        if not features or share == 0:
            continue
        groups: list[tuple[tuple[int, ...], float]] = [((j,), 1 / (1 + at)) for at, j in enumerate(features)]
        twos = _twos(features, others) if assumed.together else []
        alone = 1 - assumed.together if twos else 1.0
        parts += _scaled(groups, alone * share, assumed, rng) + _scaled(twos, (1 - alone) * share, assumed, rng)
    return Truth(tuple(parts))


def _twos(features: list[int], others: list[int]) -> list[tuple[tuple[int, ...], float]]:
    """Return one pair: a private feature with a public one, or, if there is no other kind, two of the same.

    A product of two features has mean 0 given either, so it explains what they do together and nothing else.
    """
    if others and others[0] not in features:
        return [((features[0], others[0]), 1.0)]
    return [((features[0], features[1]), 1.0)] if len(features) > 1 else []


def _scaled(
    groups: list[tuple[tuple[int, ...], float]], share: float, assumed: Assumptions, rng: np.random.Generator
) -> list[Part]:
    """Give each group a random function, all of them together explaining `share`."""
    whole = sum(weight for _, weight in groups)
    return [
        (features, float(rng.choice([-1.0, 1.0]) * np.sqrt(share * weight / whole)), _bend(assumed, rng))
        for features, weight in groups
    ]


def _bend(assumed: Assumptions, rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """Return a function of a uniform feature with mean 0 and variance 1."""
    if assumed.shape == "steps":
        cut = rng.uniform(0.3, 0.7)
        return lambda x: ((x > cut) - (1 - cut)) / np.sqrt(cut * (1 - cut))
    line, power = np.sqrt(12 * (1 - assumed.bend)), rng.uniform(*POWERS)
    mean, variance = 1 / (power + 1), 1 / (2 * power + 1) - 1 / (power + 1) ** 2
    bump = rng.choice([-1.0, 1.0]) * np.sqrt(assumed.bend / variance)
    return lambda x: line * (x - 0.5) + bump * (np.abs(2 * x - 1) ** power - mean)


def draw_people(
    assumed: Assumptions, truth: Truth, n_people: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Bools]:
    """Draw features, labels and masks; labels beyond the bounds are on the bound."""
    X = rng.uniform(size=(n_people, assumed.n_features))
    noise = np.sqrt(max(1 - assumed.most, 0.0)) * rng.normal(size=n_people)
    mask = np.zeros(X.shape, dtype=np.bool_)
    mask[:, : assumed.n_private] = rng.uniform(size=(n_people, assumed.n_private)) < assumed.hide
    return X, np.clip(truth(X) + noise, -assumed.width / 2, assumed.width / 2), mask
