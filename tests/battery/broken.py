"""Mechanisms that are wrong on purpose, each in one way; the battery must see through every one of them."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from semildp.mechanisms import BinaryResponse, DiscreteLaplace, GeneralisedResponse, WindowResponse
from semildp.mechanisms._replacement import replace_threshold
from semildp.sources import SeededSource, Source, SystemSource, below

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class LastBitBare(BinaryResponse):
    """The last bit goes out without noise (OpenDP #2708)."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        bits = super().randomise(values, source).reshape(-1, self.n_values)
        bits[:, -1] = values == self.n_values - 1
        return bits.reshape(-1)


class LastCandidateBare(GeneralisedResponse):
    """Whoever is in the last candidate says so."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return np.where(values == self.n_values - 1, values, super().randomise(values, source))


class DoubledBinary(BinaryResponse):
    """Draws with twice the epsilon it claims."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return BinaryResponse(2 * self.epsilon, self.n_candidates).randomise(values, source)


class DoubledGeneralised(GeneralisedResponse):
    """Draws with twice the epsilon it claims."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return GeneralisedResponse(2 * self.epsilon, self.n_candidates).randomise(values, source)


class DoubledLaplace(DiscreteLaplace):
    """Draws with twice the epsilon it claims."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return DiscreteLaplace(2 * self.epsilon, self.steps).randomise(values, source)


class NarrowLaplace(DiscreteLaplace):
    """Noise of 0.7 times the stated scale."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return DiscreteLaplace(self.epsilon / 0.7, self.steps).randomise(values, source)


class WideLaplace(DiscreteLaplace):
    """Noise of 1.3 times the stated scale."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return DiscreteLaplace(self.epsilon / 1.3, self.steps).randomise(values, source)


class SeedReusedBinary(BinaryResponse):
    """Every call starts from the same seed."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return super().randomise(values, SeededSource(666))


class SeedReusedGeneralised(GeneralisedResponse):
    """Every call starts from the same seed."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return super().randomise(values, SeededSource(666))


class SeedReusedLaplace(DiscreteLaplace):
    """Every call starts from the same seed."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return super().randomise(values, SeededSource(666))


class OneDrawGeneralised(GeneralisedResponse):
    """All people share one draw."""

    def draw(self, n: int, source: Source) -> tuple[NDArray[np.bool_], Ints]:
        replaced, other = super().draw(1, source)
        return np.repeat(replaced, n), np.repeat(other, n)


class OneDrawBinary(BinaryResponse):
    """All people share one draw."""

    def draw(self, n: int, source: Source) -> NDArray[np.bool_]:
        return np.tile(super().draw(1, source), n)


class OneDrawLaplace(DiscreteLaplace):
    """All people share one draw."""

    def noise(self, n: int, source: Source) -> Ints:
        return np.repeat(super().noise(1, source), n)


class BlockReusedLaplace(DiscreteLaplace):
    """The noise of the first 2**14 people is used again for the next."""

    def noise(self, n: int, source: Source) -> Ints:
        return np.resize(super().noise(min(n, 1 << 14), source), n)


class MirroredLaplace(DiscreteLaplace):
    """Neighbours get opposite noise: each law is right, but two people together are not noisy at all."""

    def noise(self, n: int, source: Source) -> Ints:
        half = super().noise((n + 1) // 2, source)
        return np.stack([half, -half], axis=1).reshape(-1)[:n]


class GlobalGeneralised(GeneralisedResponse):
    """Draws from somewhere other than the source it was given."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return super().randomise(values, SystemSource())


class NeverLast(GeneralisedResponse):
    """A replacement never hits the last candidate."""

    def draw(self, n: int, source: Source) -> tuple[NDArray[np.bool_], Ints]:
        words = source.words(n, 2)
        threshold = np.uint64(replace_threshold(self.epsilon, self.n_values))
        return words[:, 0] < threshold, below(words[:, 1], self.n_values - 1)


class FirstPersonBare(GeneralisedResponse):
    """The first person of each batch goes out without noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        sent = super().randomise(values, source)
        sent[:1] = values[:1]
        return sent


class SharedFlip(BinaryResponse):
    """All bits of a person are flipped together: every bit is right, the vector is not."""

    def draw(self, n: int, source: Source) -> NDArray[np.bool_]:
        return np.repeat(super().draw(n, source)[:: self.n_values], self.n_values)


class BiasedLaplace(DiscreteLaplace):
    """The estimate is a little too large."""

    def estimate(self, outputs: Ints) -> Floats:
        return super().estimate(outputs) + 1e-3


class BiasedGeneralised(GeneralisedResponse):
    """The estimate is not unbiased: the constant is left out."""

    def estimate(self, outputs: Ints) -> Floats:
        return super().estimate(outputs) - self.weights(self.epsilon).per_candidate


class WrongVarianceBinary(BinaryResponse):
    """States a variance of nine tenths."""

    def variance(self, values: Ints) -> Floats:
        return 0.9 * super().variance(values)


class WrongVarianceLaplace(DiscreteLaplace):
    """States the variance of continuous Laplace noise."""

    def variance(self, values: Ints) -> Floats:
        return np.full(len(values), 2 * (self.steps / self.epsilon) ** 2)


class OverstatedRatio(GeneralisedResponse):
    """Honest about a law that is not private enough: the truth is 0.01 % likelier than it may be."""

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        return GeneralisedResponse(1.0001 * self.epsilon, self.n_candidates).log_probability(outputs, values)


class HairAbove(GeneralisedResponse):
    """Thresholds rounded to the wrong side."""

    @property
    def realised_epsilon(self) -> Decimal:
        return Decimal(self.epsilon) + Decimal("1e-22")


class EmptyBoast(GeneralisedResponse):
    """Claims to have realised much less than it did."""

    @property
    def realised_epsilon(self) -> Decimal:
        return Decimal(0)


class HalfStated(DiscreteLaplace):
    """States densities that do not add up to 1."""

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        return super().log_probability(outputs, values) - 0.01


class TakesAnything(DiscreteLaplace):
    """Adds noise to whatever it is given."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        return values + self.noise(len(values), source)


class DoubledWindow(WindowResponse):
    """Draws with twice the epsilon it claims, in the window it claims."""

    def draw(self, n: int, source: Source) -> tuple[NDArray[np.bool_], Ints, Ints]:
        _, other, place = super().draw(n, source)
        threshold = replace_threshold(2 * self.epsilon, self.n_outputs, self.window)
        return source.words(n) < np.uint64(threshold), other, place


class LastPlaceMissing(WindowResponse):
    """The last output of a window is never sent."""

    def draw(self, n: int, source: Source) -> tuple[NDArray[np.bool_], Ints, Ints]:
        replaced, other, place = super().draw(n, source)
        return replaced, other, np.minimum(place, max(0, self.window - 2))
