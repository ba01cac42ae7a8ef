"""One of 1,025 grid points goes out without noise."""

from __future__ import annotations

from tests.battery.broken_many import OneGridPointBare


def build() -> OneGridPointBare:
    return OneGridPointBare(1.0, 1024)
