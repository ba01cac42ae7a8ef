"""One made-up study: collected and learnt from as a real one is, and compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.models import AdditiveBody, Effect, Model, OpaqueBody
from semildp.planning.assumptions import Assumptions
from semildp.planning.made_up import draw_people, draw_truth
from semildp.protocols import protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study

FRESH = 4_000  # people whom predictions are compared for: an error of 3 % of the mean squared error, about

METHODS: dict[str, tuple[str, Literal["split", "both"]]] = {
    "SemiPrivateRegressor": ("semi-private", "split"),
    "HistOfTreeRegressor": ("hist-of-tree-joint", "split"),
    "HistOfTreeRegressor.paper": ("hist-of-tree", "both"),
}


@dataclass(frozen=True)
class Tried:
    """What one made-up study came to.

    Parameters
    ----------
    error
        Mean squared difference between prediction and truth, in units of the label's variance.
    found
        Features of each effect that reports tell from noise.
    """

    error: float
    found: tuple[tuple[int, ...], ...]


def try_study(assumed: Assumptions, method: str, n_people: int, epsilon: float, seed: tuple[int, ...]) -> Tried:
    """Simulate one study of made-up people; the same seed gives the same."""
    rng = np.random.default_rng(seed)
    truth = draw_truth(assumed, rng)
    fresh = truth.draw(FRESH, rng)
    people = draw_people(assumed, truth, n_people, rng)
    model = learn(assumed, method, people, epsilon, rng)
    error = float(np.mean((model.predict(fresh)[0] - truth(fresh)) ** 2))
    return Tried(error, found_effects(model))


def learn(
    assumed: Assumptions, method: str, people: tuple[Floats, Floats, Bools], epsilon: float, rng: np.random.Generator
) -> Model:
    """Run a method on people; nobody is asked, and no accountant counts it."""
    protocol, participation = METHODS[method]
    always = assumed.hide == 1
    study = Study(
        name="plan",
        epsilon=epsilon,
        label=Number(-assumed.width / 2, assumed.width / 2),
        features=tuple(
            Feature(f"x{j}", Number(0.0, 1.0), private=always and j < assumed.n_private)
            for j in range(assumed.n_features)
        ),
        protocol=protocol,
        participation=participation,
    )
    seeds = np.random.SeedSequence(int(rng.integers(2**63)))
    streams = protocol_of(study).streams
    sources = {name: SeededSource(s) for name, s in zip(streams, seeds.spawn(len(streams)), strict=True)}
    return simulate(study, *people, sources=sources).model


def found_effects(model: Model) -> tuple[tuple[int, ...], ...]:
    """Return the features of effects that are told from noise."""
    effects = model.body.effects if isinstance(model.body, AdditiveBody | OpaqueBody) else ()
    return tuple(effect.features for effect in effects if told_from_noise(effect))


def told_from_noise(effect: Effect) -> bool:
    """Whether an effect's mean square over people is above that of its standard deviation.

    An effect that is there with probability c has mean c m and variance c (1 - c) m**2 at least: this asks for c > 1/2.
    """
    value, deviation = effect.table**2, effect.deviation**2
    for shares in reversed(effect.shares):
        value, deviation = value @ np.asarray(shares), deviation @ np.asarray(shares)
    return bool(value > deviation)
