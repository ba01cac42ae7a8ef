"""Mechanisms that ignore what they are given: what is left of a fit must not depend on anything private."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from semildp import mechanisms
from tests.test_mechanisms import mechanism_classes


def blind_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every mechanism randomise, in place of the values, their positions: as many words, outputs as likely."""
    for name in mechanism_classes():
        kind = getattr(mechanisms, name)

        def blind(self: Any, values: Any, source: Any, own: Any = kind.randomise) -> Any:
            stand_in = np.arange(len(values), dtype=np.int64) * 7919 % _domain(self)
            return own(self, stand_in, source)

        monkeypatch.setattr(kind, "randomise", blind)


def _domain(mechanism: Any) -> Any:
    """How many values there are, for everybody or per person."""
    size = getattr(mechanism, "n_candidates", None)
    return size if isinstance(size, np.ndarray) else mechanism.n_values
