"""Twice the epsilon is spent where there are more than 1,000 candidates."""

from __future__ import annotations

from tests.battery.broken_many import DoubledBeyondGeneralised


def build() -> DoubledBeyondGeneralised:
    return DoubledBeyondGeneralised(1.0, 1025)
