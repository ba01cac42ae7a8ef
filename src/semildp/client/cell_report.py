"""Round 2, on the device: the cell a person is in, randomised over the cells they could be in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.client.rows import acting_mask
from semildp.mechanisms import BinaryResponse, GeneralisedResponse
from semildp.partition import Partition
from semildp.sources import Source
from semildp.wire import CellReports, Study

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def report_cells(study: Study, partition: Partition, X: Floats, mask: Bools, source: Source) -> CellReports:
    """Randomise each person's cell with the cell's part of the budget.

    The draws of a person follow those of the person before, so any division into chunks gives the same reports.
    """
    candidates = partition.candidates(X, acting_mask(study, mask))
    truth = candidates.position(partition.cell(X))
    people = np.arange(candidates.n_people)
    if study.cell_mechanism == "grr":
        sent = GeneralisedResponse(study.budget.cell, candidates.size).randomise(truth, source)
        return CellReports(people, candidates.pick(people, sent))
    bits = BinaryResponse(study.budget.cell, candidates.size).randomise(truth, source)
    marked = np.flatnonzero(bits)  # bits lie end to end, one per candidate
    person = np.repeat(people, candidates.size)[marked]
    first = np.cumsum(candidates.size) - candidates.size
    return CellReports(person, candidates.pick(person, marked - first[person]))
