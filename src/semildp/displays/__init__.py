"""Pictures of what was asked, learnt and promised: each with `from_estimator`, axes in and out, as scikit-learn's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Loaded when first used: one picture does not load what another needs.
_HOMES = {
    "CalibrationDisplay": "semildp.displays.calibration",
    "ImportanceDisplay": "semildp.displays.importance",
    "MasksDisplay": "semildp.displays.masks",
    "PartitionDisplay": "semildp.displays.partition",
    "TradeOffDisplay": "semildp.displays.trade_off",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'semildp.displays' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
