"""Placing names beside the ends of lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def spread_out(heights: Floats, gap: float) -> Floats:
    """Move heights apart to at least `gap`, as little as possible, keeping their order (pooled neighbours)."""
    order = np.argsort(heights, kind="stable")
    blocks: list[tuple[float, int]] = []  # centre and number of labels
    for height in heights[order]:
        centre, count = float(height), 1
        while blocks and centre - blocks[-1][0] < gap * (count + blocks[-1][1]) / 2:
            other, more = blocks.pop()
            centre, count = (centre * count + other * more) / (count + more), count + more
        if not blocks:
            centre = max(centre, gap * (count - 1) / 2)  # not below the axis
        blocks.append((centre, count))
    places = [centre + gap * (k - (count - 1) / 2) for centre, count in blocks for k in range(count)]
    spread = np.empty(len(heights))
    spread[order] = places
    return spread
