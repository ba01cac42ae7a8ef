"""Time of choosing s, p and t for a million people and a hundred features: python -m benchmarks.selection."""

from __future__ import annotations

import time

import numpy as np

from semildp.selection import MaskProfile, select_shape


def main() -> None:
    """Time one pass over the mask and the search, five times."""
    mask = np.random.default_rng(0).uniform(size=(1_000_000, 100)) < 0.3
    for _ in range(5):
        start = time.perf_counter()
        profile = MaskProfile(mask)
        read = time.perf_counter()
        shape = select_shape(profile, 1.0)
        print(f"mask {read - start:.3f} s, search {time.perf_counter() - read:.3f} s: {shape}")


if __name__ == "__main__":
    main()
