"""One of several values is chosen at random and randomised: what a person with several private features sends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.audit.listed import listed_outputs
from semildp.audit.sampled import output_index
from semildp.mechanisms import Mechanism

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Chosen:
    """States what is sent by who has one value per choice, chooses uniformly, and sends choice and randomised value.

    The values v_0, v_1, ... are one number, v_0 + V v_1 + V**2 v_2 + ... An output is one number too: choice * N + the
    place of the mechanism's output in its list of N. Nothing is drawn by it: it is held against what a client sends.

    Parameters
    ----------
    mechanism
        Whose outputs can be listed.
    choices
        How many values a person has.
    """

    mechanism: Mechanism
    choices: int

    @cached_property
    def _listed(self) -> Ints:
        listed = listed_outputs(self.mechanism)
        assert listed is not None
        return listed

    @property
    def epsilon(self) -> float:
        """The mechanism's: the choice says nothing."""
        return self.mechanism.epsilon

    @property
    def n_values(self) -> int:
        """Every combination of values."""
        return int(self.mechanism.n_values**self.choices)

    @property
    def output_domain(self) -> Ints:
        """Every choice with every output."""
        return np.arange(self.choices * len(self._listed))

    def value(self, values: list[int]) -> int:
        """Return a person's values as one."""
        return sum(v * self.mechanism.n_values**i for i, v in enumerate(values))

    def outputs(self, choice: Ints, outputs: Ints) -> Ints:
        """Return what was sent as one number each."""
        return np.asarray(choice * len(self._listed) + output_index(self._listed, outputs))

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return ln(1 / choices) + the mechanism's log probability for the value that was chosen."""
        choice, place = np.divmod(np.asarray(outputs), len(self._listed))
        value = np.asarray(values) // self.mechanism.n_values**choice % self.mechanism.n_values
        return self.mechanism.log_probability(self._listed[place], value) - math.log(self.choices)

    def randomise(self, values: Ints, source: Any) -> Ints:
        """Refuse: a client draws."""
        raise NotImplementedError("A stated law draws nothing.")
