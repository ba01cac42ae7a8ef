"""Mechanisms that are wrong for few people only: at one value of many, in large domains, alone in a call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.mechanisms import BinaryResponse, DiscreteLaplace, GeneralisedResponse, PairedResponse, SubsetResponse
from semildp.mechanisms._replacement import subset_threshold
from semildp.sources import Source, SystemSource, below

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class OneGridPointBare(DiscreteLaplace):
    """One grid point goes out without noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return np.where(values == self.steps // 2 + 5, values, super().randomise(values, source))


class OnlyFiveNoisy(DiscreteLaplace):
    """Noise is added at the ends, next to them and in the middle; everywhere else there is none."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        n = self.n_values
        noisy = np.isin(values, [0, 1, n // 2, n - 2, n - 1])
        return np.where(noisy, super().randomise(values, source), values)


class OneCandidateBare(GeneralisedResponse):
    """Whoever is in one candidate of many says so."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return np.where(values == 3, values, super().randomise(values, source))


class OneRowBare(BinaryResponse):
    """The bits of one candidate of many go out without noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        bits = super().randomise(values, source).reshape(-1, self.n_values)
        bits[values == 3] = np.arange(self.n_values) == 3
        return bits.reshape(-1)


class DoubledBeyondGeneralised(GeneralisedResponse):
    """Draws with twice the epsilon where there are more than 1,000 candidates."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        spent = self.epsilon * (1 + (self.n_values > 1000))
        return GeneralisedResponse(spent, self.n_candidates).randomise(values, source)


class DoubledBeyondBinary(BinaryResponse):
    """Draws with twice the epsilon where there are more than 1,000 candidates."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        spent = self.epsilon * (1 + (self.n_values > 1000))
        return BinaryResponse(spent, self.n_candidates).randomise(values, source)


class DoubledBeyondSubset(SubsetResponse):
    """Draws with twice the epsilon where there are more than 1,000 candidates."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        _, marks, dropped = super().draw(n, source)
        spent = self.epsilon * (1 + (self.n_candidates > 1000))
        return source.words(n) < np.uint64(subset_threshold(spent, self.n_candidates, self.size)), marks, dropped


class DoubledBeyondPaired(PairedResponse):
    """Draws with twice the epsilon where there are more than 1,000 candidates."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        return PairedResponse(self.epsilon * (1 + (self.n_candidates > 1000)), self.n_candidates).draw(n, source)


class OneInFiftyBare(GeneralisedResponse):
    """One person in fifty, at random, goes out without noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return np.where(below(source.words(len(values)), 50) == 0, values, super().randomise(values, source))


class AloneBare(GeneralisedResponse):
    """A person who is alone in a call, as on a device, goes out without noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        sent = super().randomise(values, source)
        return sent if len(values) != 1 else np.asarray(values)


class SystemBare(DiscreteLaplace):
    """With the operating system's randomness there is no noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        sent = super().randomise(values, source)
        return np.asarray(values) if isinstance(source, SystemSource) else sent
