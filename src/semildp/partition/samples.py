"""What a splitter may look at: public features, who made them public, and labels as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Samples:
    """People as a splitter sees them.

    Parameters
    ----------
    unit
        Features scaled to [0, 1], one row per person; entries that are private hold NaN and are never read.
    mask
        True where the entry is private.
    labels
        One whole number per person.
    """

    unit: NDArray[np.float64]
    mask: NDArray[np.bool_]
    labels: NDArray[np.int64]
