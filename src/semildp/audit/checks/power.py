"""Whether the checks of a sampler can fail: they must reject samplers that were spoilt on purpose.

Spoilt are: the scale, by 30 % either way; one coordinate, which goes out without noise; the seed, which is used again.
Everything is read off the stated law, so any mechanism that lists its outputs can be tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from semildp._arrays import Ints
from semildp.audit.checks.fresh import check_fresh_randomness
from semildp.audit.checks.sampled import MANY_PEOPLE, check_frequencies
from semildp.audit.finding import ViolationError
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import as_rows
from semildp.errors import InputError
from semildp.mechanisms import Mechanism
from semildp.sources import SeededSource, Source


class Spoilt:
    """A mechanism that states one thing and draws another."""

    def __init__(self, mechanism: Mechanism, draw: Callable[[Mechanism, Ints, Source], Ints]) -> None:
        self._mechanism, self._draw = mechanism, draw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mechanism, name)

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Draw something else."""
        return self._draw(self._mechanism, values, source)


def _listed(mechanism: Mechanism) -> Ints:
    outputs = listed_outputs(mechanism)
    if outputs is None:
        raise InputError("Power can be checked only where `output_domain` lists the outputs. Got too many of them.")
    return outputs


def _distinct(values: Ints) -> tuple[Ints, Ints]:
    """Return the values that there are, and which of them each is."""
    there = np.bincount(values) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def rescaled(factor: float) -> Callable[[Mechanism, Ints, Source], Ints]:
    """Return a sampler whose noise has `factor` times the stated scale: probabilities to the power 1 / factor."""

    def draw(mechanism: Mechanism, values: Ints, source: Source) -> Ints:
        outputs = _listed(mechanism)
        distinct, which = _distinct(values)
        words, place = source.words(len(values)) / 2.0**64, np.empty(len(values), dtype=np.int64)
        for i, log_chance in enumerate(log_table(mechanism, outputs, distinct) / factor):
            running = np.cumsum(np.exp(log_chance - log_chance.max()))
            here = which == i
            place[here] = np.searchsorted(running, words[here] * running[-1], side="right")
        chosen = outputs[np.minimum(place, len(outputs) - 1)]
        layout = np.shape(mechanism.randomise(values[:1], source))  # rows may lie end to end
        return chosen.reshape(-1, *layout[1:])

    return draw


def bare(mechanism: Mechanism, values: Ints, source: Source) -> Ints:
    """Send the likeliest last coordinate of a row, or for the last value the likeliest output, without noise."""
    outputs, sent = _listed(mechanism), mechanism.randomise(values, source)
    distinct, which = _distinct(values)
    likeliest = outputs[log_table(mechanism, outputs, distinct).argmax(axis=1)][which]
    if outputs.ndim == 1:
        return np.where(values == mechanism.n_values - 1, likeliest, sent)
    rows = as_rows(mechanism, sent).copy()
    rows[:, -1] = likeliest[:, -1]
    return rows.reshape(sent.shape)


def reseeded(mechanism: Mechanism, values: Ints, source: Source) -> Ints:
    """Start from the same seed in every call."""
    return mechanism.randomise(values, SeededSource(666))


def _frequencies(mechanism: Mechanism, seed: int) -> float:
    """Check as many people as the audit does."""
    return check_frequencies(mechanism, seed, MANY_PEOPLE)


SPOILT: dict[str, tuple[Callable[[Mechanism, Ints, Source], Ints], Callable[[Mechanism, int], object]]] = {
    "noise of 0.7 times the stated scale": (rescaled(0.7), _frequencies),
    "noise of 1.3 times the stated scale": (rescaled(1.3), _frequencies),
    "one coordinate without noise": (bare, _frequencies),
    "a reused seed": (reseeded, check_fresh_randomness),
}


def check_power(mechanism: Mechanism, seed: int = 0) -> float:
    """The checks of this mechanism's sampler reject it when spoilt, in each of the ways; returns how many they are."""
    for name, (draw, check) in SPOILT.items():
        spoilt = cast(Mechanism, Spoilt(mechanism, draw))
        try:
            check(spoilt, seed)
        except ViolationError:
            continue
        raise ViolationError(f"The audit did not notice {name}: it has no power here.")
    return float(len(SPOILT))
