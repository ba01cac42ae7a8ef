"""Once tests are collected, the garbage collector no longer looks at modules and tests, which stay anyway."""

from __future__ import annotations

import gc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st


@given(st.just(np.nan))
def first_example(_: float) -> None:
    """Hypothesis takes hold of NumPy's generator at its first example; it would not see who owns it if frozen."""


def pytest_collection_finish() -> None:
    """Without it every full collection goes through some million objects: a tenth of the suite's time."""
    first_example()
    gc.collect()
    gc.freeze()
