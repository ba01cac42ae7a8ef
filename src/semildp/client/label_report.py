"""Round 1, on the device: the noisy label, and what the person makes public."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.client.rows import acting_mask
from semildp.domains import LabelGrid
from semildp.mechanisms import LABEL_MECHANISMS
from semildp.sources import Source
from semildp.wire import LabelReports, Study

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def randomise_labels(
    grid: LabelGrid, y: Floats, epsilon: float, source: Source, mechanism: str = "laplace"
) -> NDArray[np.int64]:
    """Round labels to the public grid and randomise them there with `epsilon`.

    On the fine grid of "laplace" the nearest point will do; the coarse one of "window" needs rounding at random.
    """
    points = grid.encode_at_random(y, source.words(len(y))) if mechanism == "window" else grid.encode(y)
    return LABEL_MECHANISMS[mechanism](epsilon, grid.steps).randomise(points, source)


def report_labels(study: Study, X: Floats, y: Floats, mask: Bools, source: Source) -> LabelReports:
    """Randomise each label with the label's part of the budget, and blank out each person's private features."""
    hidden = acting_mask(study, mask)
    return LabelReports(
        labels=randomise_labels(study.label_grid, y, study.budget.label, source, study.label_mechanism),
        public=np.where(hidden, np.nan, X),
        mask=hidden,
    )
