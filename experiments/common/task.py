"""Tasks: the units of work. Each is described by plain values, runs alone, and gives the same rows on any machine."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Task:
    """One replication of one setting, by one method. `study` names the table or figure; unused settings are None."""

    study: str
    replication: int
    seed: int
    epsilon: float
    data: str | None = None
    preference: str | None = None
    n_people: int | None = None
    n_private: int | None = None
    gamma: float | None = None
    method: str = ""

    def seed_sequence(self, *settings: str) -> np.random.SeedSequence:
        """A seed that depends on the named settings only, so that what shares them shares its data."""
        text = json.dumps([self.seed, self.replication, *(str(getattr(self, name)) for name in settings)])
        return np.random.SeedSequence(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big"))
