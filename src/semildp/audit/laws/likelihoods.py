"""Numbers with very many values: every value is drawn, and held against the law by how likely its outputs are.

A table of every output under every value would not end. An output has a likelihood under the value it was drawn for,
and a slope: whether the next output is likelier, as likely or less likely. How often each likelihood and slope is drawn
is stated; the law is read off a few values in full. Where these agree it is the law of all, and each value's draws are
held against it, and all of them together: a single value that goes out bare shows, and a small change of scale too.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.laws.listed import listed_outputs
from semildp.audit.laws.values import spread_values
from semildp.mechanisms import Mechanism

_LEVELS = 24


def likelihoods(mechanism: Mechanism) -> Likelihoods:
    """Return the groups of a mechanism's outputs, remembered where it can be."""
    return _remembered(mechanism) if isinstance(mechanism, Hashable) else Likelihoods(mechanism)


@lru_cache(maxsize=8)
def _remembered(mechanism: Any) -> Likelihoods:
    return Likelihoods(mechanism)


class Likelihoods:
    """Groups of outputs by likelihood and slope under their own value, and how often each group is drawn.

    Parameters
    ----------
    mechanism
        Whose outputs are numbers that can be listed.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        outputs, values = listed_outputs(mechanism), spread_values(mechanism)
        assert outputs is not None
        logs = [self._log(outputs, np.full(len(outputs), value)) for value in values]
        order = np.argsort(-logs[0], kind="stable")
        mass = np.cumsum(np.exp(logs[0][order]))
        shares = 1 / (1 + np.exp(-np.linspace(-7, 7, _LEVELS)))  # evenly spaced log odds
        picked = order[np.minimum(np.searchsorted(mass, shares), len(order) - 1)]
        self._cuts = np.unique([*logs[0][picked], logs[0].max()]) - 1e-7  # a group has no border among equals
        self._sides = True
        laws = self._laws(outputs, values, logs)
        if np.ptp(laws, axis=0).max() > 1e-9:  # slopes at the ends are others: likelihoods alone
            self._sides = False
            laws = self._laws(outputs, values, logs)
        if np.ptp(laws, axis=0).max() > 1e-9:  # values have laws of their own, each of which is held against draws
            self._cuts = self._cuts[:0]
            laws = np.ones((1, 1))
        self.chance = laws[0]

    def _log(self, outputs: Ints, values: Ints) -> Floats:
        return np.asarray(self._mechanism.log_probability(outputs, values))

    def _laws(self, outputs: Ints, values: Ints, logs: list[Floats]) -> Floats:
        size = (len(self._cuts) + 1) * (3 if self._sides else 1)
        groups = [self._group(outputs, np.full(len(outputs), v), log) for v, log in zip(values, logs, strict=True)]
        return np.array([np.bincount(g, np.exp(log), size) for g, log in zip(groups, logs, strict=True)])

    def _group(self, outputs: Ints, values: Ints, log: Floats) -> Ints:
        level = np.searchsorted(self._cuts, log, side="right")
        if not self._sides:
            return level
        with np.errstate(invalid="ignore"):
            slope = np.sign(np.nan_to_num(np.round(self._log(outputs + 1, values) - log, 9)))
        return np.asarray(3 * level + slope.astype(np.int64) + 1)

    @property
    def top(self) -> float:
        """How often one of the likeliest outputs is drawn."""
        return float(self.chance[-3 if self._sides and len(self.chance) > 1 else -1 :].sum())

    def likeliest(self, outputs: Ints, values: Ints) -> Bools:
        """Return whether each output, drawn for the value beside it, is one of the likeliest."""
        return self.group(outputs, values) >= len(self.chance) - (3 if self._sides and len(self.chance) > 1 else 1)

    def group(self, outputs: Ints, values: Ints) -> Ints:
        """Return the group of each output, drawn for the value beside it."""
        if len(self.chance) == 1:
            return np.zeros(len(outputs), dtype=np.int64)
        return self._group(outputs, values, self._log(outputs, values))
