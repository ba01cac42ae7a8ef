"""One visit, on the device: the bin of one private feature and the label's residual, reported together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.sources import Source, below
from semildp.wire import PairQuestion, PairReports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def report_pairs(question: PairQuestion, X: Floats, residual: Floats, mask: Bools, source: Source) -> PairReports:
    """Choose one of a person's private features at random, and send its bin and the residual's level together.

    The choice does not depend on data. The residual is the label less a public function of public features, so with
    these fixed any change of private features and label changes one value out of bins x levels: epsilon in all.
    """
    hidden = mask[:, list(question.features)]
    pick = below(source.words(len(X)), hidden.sum(axis=1))
    chosen = np.argmax(np.cumsum(hidden, axis=1) == pick[:, None] + 1, axis=1)
    feature = np.asarray(question.features)[chosen]
    unit = question.bounds.scale(X)[np.arange(len(X)), feature]
    bins = question.code.n_candidates
    own_bin = np.minimum(unit * bins, bins - 1).astype(np.int64)
    level = question.residuals.encode_at_random(residual, source.words(len(X)))
    return PairReports(chosen, *question.code.send(own_bin, level, source))
