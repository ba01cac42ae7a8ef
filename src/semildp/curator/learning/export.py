"""From a fitted default learner to plain numbers."""

from __future__ import annotations

from typing import Any

from semildp.curator.learning.noisy_label_average import NoisyLabelAverage
from semildp.models.learned import Average


def learned(learner: Any) -> Average | None:
    """Return what the default learner has learnt as plain numbers; None for any other learner."""
    return learner.average() if isinstance(learner, NoisyLabelAverage) else None
