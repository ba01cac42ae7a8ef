"""Whether loops are compiled: for large inputs, where Numba can be imported and nobody has switched it off."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

LARGE = 10**5  # elements: with fewer, loading Numba takes longer than it saves
LOADED = 10**4  # elements from which compiled loops save time once they are loaded


def available(size: int) -> bool:
    """Say whether to use compiled loops for an input of so many elements; SEMILDP_COMPILED=0 switches them off.

    They give the same bits as NumPy, so it does not matter for results whether they happen to be loaded.
    """
    loaded = "semildp._kernels.tables_compiled" in sys.modules
    if size <= (LOADED if loaded else LARGE) or os.environ.get("SEMILDP_COMPILED") == "0":
        return False
    return loaded or find_spec("numba") is not None
