"""Round 1, on the device: the noisy label, and what the person makes public."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.client.rows import acting_mask
from semildp.mechanisms import LABEL_MECHANISMS
from semildp.sources import Source
from semildp.wire import LabelReports, Study

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def report_labels(study: Study, X: Floats, y: Floats, mask: Bools, source: Source) -> LabelReports:
    """Randomise each label with the label's part of the budget, and blank out each person's private features."""
    mechanism = LABEL_MECHANISMS[study.label_mechanism](study.budget.label, study.label_grid.steps)
    hidden = acting_mask(study, mask)
    return LabelReports(
        labels=mechanism.randomise(study.label_grid.encode(y), source),
        public=np.where(hidden, np.nan, X),
        mask=hidden,
    )
