"""From a fitted default learner to plain numbers."""

from __future__ import annotations

from typing import Any

from semildp.curator.learning.noisy_label_average import NoisyLabelAverage
from semildp.models.learned import Average


def learned(learner: Any) -> Average | None:
    """Return what the default learner has learnt as plain numbers; None for any other learner."""
    if not isinstance(learner, NoisyLabelAverage):
        return None
    members = tuple(learner.members_) if learner.trust_ else ()
    columns, weights = tuple(learner.columns_.tolist()), tuple(learner.weights_.tolist())
    return Average(columns, learner.mean_, learner.trust_, weights if members else (), members)
