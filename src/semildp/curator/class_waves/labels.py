"""Noisy labels of one class: unbiased 1{class}, as a learner takes them."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.curator.noisy import NoisyLabels


@dataclass(frozen=True, eq=False)
class ClassLabels(NoisyLabels):
    """Noisy labels of one class; `prior` is its share among all people, shrunk."""

    prior: float = 0.5

    def towards_middle(self) -> tuple[float, float]:
        """Return how far to move all predictions, to the prior instead of the mean of noisy labels, and that mean."""
        mean = super().towards_middle()[1]
        return self.prior - mean, mean
