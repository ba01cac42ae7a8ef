"""Pictures of what was asked, learnt and promised: each with `from_estimator`, axes in and out, as scikit-learn's."""

from __future__ import annotations

from semildp._lazy import from_homes

# Loaded when first used: one picture does not load what another needs.
_HOMES = {
    "CalibrationDisplay": "semildp.displays.calibration",
    "ImportanceDisplay": "semildp.displays.importance",
    "MasksDisplay": "semildp.displays.masks",
    "PartitionDisplay": "semildp.displays.partition",
    "TradeOffDisplay": "semildp.displays.trade_off",
}

__all__ = [*_HOMES]

__getattr__ = from_homes(__name__, _HOMES)
