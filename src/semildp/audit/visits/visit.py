"""A visit: everything one person sends, as a black box that may be asked again and again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats
from semildp._checks import instance_of, positive_number, short
from semildp.audit.contract import check_mechanism
from semildp.audit.laws.listed import listed_outputs
from semildp.audit.laws.rows import probes
from semildp.audit.laws.worst import WorstRatio, worst_ratio
from semildp.errors import InputError, refusal
from semildp.mechanisms import Mechanism
from semildp.sources import Source

Outputs = NDArray[Any]
Input = TypeVar("Input")


ENTRIES = 1 << 24  # numbers held at a time, about

Value = int | dict[int, float] | None


def _as_sent(outputs: Outputs) -> Outputs:
    """Return outputs as they are: a visit that sends one mechanism's output and nothing else."""
    return outputs


@dataclass(frozen=True, eq=False)
class Part(Generic[Input]):
    """One mechanism's share of what a visit sends; parts are independent given the input.

    Parameters
    ----------
    mechanism
        What is said to have drawn it.
    value
        The private value that an input gives the mechanism. Where a label is rounded at random or a missing feature is
        drawn: all values it may be, and their probabilities. None where nothing is stated.
    outputs
        Picks the mechanism's outputs from what was sent.
    """

    mechanism: Mechanism
    value: Callable[[Input], Value]
    outputs: Callable[[Outputs], Outputs] = _as_sent

    def known(self, person: Input) -> int | None:
        """Return the value that an input gives the mechanism for certain, if there is one."""
        value = self.value(person)
        return None if isinstance(value, dict) else value

    def log_probability(self, outputs: Outputs, value: Value) -> Floats:
        """Return ln P(output | value), over all values it may be rounded to."""
        if value is None:
            raise InputError("A value is needed for its outputs to have probabilities. Got None.")
        shares = value if isinstance(value, dict) else {value: 1.0}
        logs = [
            math.log(share) + np.asarray(self.mechanism.log_probability(outputs, np.full(len(outputs), v)))
            for v, share in shares.items()
        ]
        return logs[0] if len(logs) == 1 else np.asarray(np.logaddexp.reduce(logs, axis=0))

    def log_ratios(self, sent: Outputs, one: Input, others: Sequence[Input]) -> Floats:
        """Return the stated ln P(sent | one) - ln P(sent | other) of this part: one row for each of the others."""
        own, values = self.value(one), [self.value(other) for other in others]
        ratios = np.zeros((len(values), len(sent)))
        told = [i for i, value in enumerate(values) if None not in (own, value) and value != own]
        if not told:
            return ratios
        outputs = self.outputs(sent)
        top = self.log_probability(outputs, own)
        for i in told:
            first = values.index(values[i])
            with np.errstate(invalid="ignore"):
                ratios[i] = ratios[first] if first < i else top - self.log_probability(outputs, values[i])
        return np.nan_to_num(ratios, copy=False, nan=0.0, posinf=np.inf, neginf=-np.inf)

    def worst(self, one: Input, other: Input) -> float:
        """Return the largest stated log ratio over all outputs of this part, for these two inputs."""
        a, b = self.value(one), self.value(other)
        if a is None or b is None or a == b:
            return 0.0
        outputs = listed_outputs(self.mechanism)
        outputs = probes(self.mechanism) if outputs is None else outputs
        top, bottom = self.log_probability(outputs, a), self.log_probability(outputs, b)
        possible = top > -np.inf
        return float((top[possible] - bottom[possible]).max())


@dataclass(frozen=True, eq=False)
class Visit(Generic[Input]):
    """Everything one person sends, for inputs that must not be told apart by more than e**epsilon.

    Parameters
    ----------
    name
        What it is, in a few words.
    epsilon
        The claim, for everything sent jointly.
    inputs
        Private inputs to tell apart; what is public is the same for all of them.
    send
        `send(input, n, source)` returns what n people with this input send: one entry or one row each, of whole
        numbers, floats, or anything hashable.
    parts
        The mechanisms that are said to have drawn it, if that is known. Without them the audit looks from outside only.
    everyone, mixed
        More inputs, which together have every private value, and `mixed(inputs, n, source)`, which sends for all of
        them, n times over, in one call. They need not have the same public data. Without them, `inputs` and `send` are
        used.
    listed
        Picks from what was sent the marks, whatever their order, and the order in which they were listed.
    numbers
        How many numbers a person sends, about: where they are many, fewer people are asked at a time.
    """

    name: str
    epsilon: float
    inputs: tuple[Input, ...]
    send: Callable[[Input, int, Source], Outputs]
    parts: tuple[Part[Input], ...] = ()
    everyone: tuple[Input, ...] = ()
    mixed: Callable[[Sequence[Input], int, Source], Outputs] | None = None
    listed: Callable[[Outputs], tuple[Outputs, Outputs]] | None = None
    numbers: int = 1

    def __post_init__(self) -> None:
        positive_number("epsilon", self.epsilon)
        instance_of("name", self.name, str)
        instance_of("inputs", self.inputs, tuple)
        if not callable(self.send):
            raise refusal("send", "a function of input, number of people and source", short(self.send))
        if len(self.inputs) < 2:
            raise InputError(f"A visit needs at least 2 inputs to tell apart. Got {len(self.inputs)}.")

    def alone(self, person: Input, source: Source) -> Outputs:
        """Return what a person sends who is alone in a call."""
        return self.send(person, 1, source) if self.mixed is None else self.mixed([person], 1, source)

    def at_most(self, people: int) -> int:
        """Return how many of so many people can be asked at a time, so that what they send stays small."""
        return max(1, min(people, ENTRIES // self.numbers))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every ordered pair of inputs, by position."""
        return list(itertools.permutations(range(len(self.inputs)), 2))

    def log_ratios(self, sent: Outputs, one: Input, others: Sequence[Input]) -> Floats:
        """Return the stated log ratios of what was sent: one row for each of the others."""
        nothing = np.zeros((len(others), len(sent)))
        return np.asarray(sum((part.log_ratios(sent, one, others) for part in self.parts), nothing))

    def exact_epsilon(self) -> float | None:
        """Return the worst stated log ratio over all pairs of inputs and all that can be sent, if parts are known."""
        if not self.parts:
            return None
        inputs = self.inputs
        return max(sum(part.worst(inputs[a], inputs[b]) for part in self.parts) for a, b in self.pairs)


def mechanism_visit(mechanism: Mechanism, name: str | None = None, worst: WorstRatio | None = None) -> Visit[int]:
    """Return a mechanism as a visit of its own; inputs are its values (of many: the ends, the middle, the worst)."""
    check_mechanism(mechanism)
    n = mechanism.n_values
    if worst is None:
        worst = worst_ratio(mechanism)
    inputs = range(n) if n <= 5 else sorted({0, n // 2, n - 1, worst.value, worst.other})

    def send(value: int, people: int, source: Source) -> Outputs:
        sent = np.asarray(mechanism.randomise(np.full(people, value), source))
        return sent if len(sent) == people else sent.reshape(people, -1)

    def value_of(value: int) -> int | None:
        return value

    part = Part(mechanism, value_of)
    return Visit(name or type(mechanism).__name__, mechanism.epsilon, tuple(inputs), send, (part,))
