"""Whether loops are compiled: for large inputs, where Numba can be imported and nobody has switched it off."""

from __future__ import annotations

import os
from importlib.util import find_spec

LARGE = 10**5  # elements: with fewer, loading Numba takes longer than it saves


def available(size: int) -> bool:
    """Say whether to use compiled loops for an input of so many elements; SEMILDP_COMPILED=0 switches them off."""
    return size > LARGE and os.environ.get("SEMILDP_COMPILED") != "0" and find_spec("numba") is not None
