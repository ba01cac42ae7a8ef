"""Whether the compiled loops are used: one decision, for all of them."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from types import ModuleType

COMPILED = "SEMILDP_COMPILED"  # environment variable: 0 switches the compiled loops off
ENOUGH = 1 << 18  # rows from which they pay for loading Numba, half a second: what NumPy needs for some 300,000 rows
FEWEST = 1 << 12  # rows from which they pay once it is loaded; a device has one


def pays(n: int) -> bool:
    """Say whether compiled loops are used for `n` rows, or numbers. They give the bits that NumPy gives.

    They are not for few rows, as on a person's device; where Numba is not installed; and where SEMILDP_COMPILED is 0.
    """
    return compiled(n) is not None


def compiled(n: int) -> ModuleType | None:
    """Return the compiled loops over rows where it `pays` to use them for `n`; else None."""
    if n < (FEWEST if _loops.cache_info().currsize else ENOUGH) or os.environ.get(COMPILED) == "0":
        return None
    return _loops()


@lru_cache(maxsize=1)
def _loops() -> ModuleType | None:
    try:
        return import_module("semildp._kernels.compiled")
    except (ImportError, RuntimeError):  # not installed, not for this NumPy; or nowhere to keep what it compiles
        return None
