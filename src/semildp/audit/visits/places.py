"""The cells that people with the same public data could be in, and where among them somebody is."""

from __future__ import annotations

import math

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.visits.person import Person, rows_in_cells
from semildp.study import Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskCell, AskHistogram, AskPair


class Places:
    """Candidate cells of people with one row of public data, in the order in which devices number them.

    Parameters
    ----------
    ask
        What is asked about a partition.
    study
        The study.
    row, hidden
        Features, of which those not hidden are public, and what is hidden.
    """

    def __init__(self, ask: AskCell | AskPair | AskHistogram, study: Study, row: Floats, hidden: Bools) -> None:
        self._partition = read_partition(ask.partition, study.bounds)
        everything = study.hide_mask or isinstance(ask, AskHistogram)
        acting = np.ones_like(hidden) if everything else hidden
        candidates = self._partition.candidates(row[None], acting[None]).cells()[1]
        self.size = len(candidates)
        self.place: Ints = np.full(self._partition.n_cells, -1)
        self.place[candidates] = np.arange(self.size)
        self._known: dict[tuple[float, ...], int] = {}
        self.rows: Floats = rows_in_cells(study, row, hidden, self._partition.cell, self.size)

    def leaf(self, features: Floats) -> int:
        """Return the leaf of the tree that a row is in."""
        return int(self._partition.cell(features[None])[0]) // self._partition.n_codes

    def of(self, person: Person) -> int | None:
        """Return the place of a person's cell; None where a feature is missing, so that the cell is drawn at random."""
        if not all(map(math.isfinite, person.features)):
            return None
        if person.features not in self._known:
            self._known[person.features] = int(self.place[self._partition.cell(np.array([person.features]))[0]])
        return self._known[person.features]
