"""The paper's second question from stored reports of the first wave, by scans: no row is held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from semildp._arrays import Bools, Ints
from semildp._checks import one_of
from semildp.backends import Backend
from semildp.budgets import Budget
from semildp.curator.partitioning import candidate_sizes, grow_by_scans
from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.masks import times_hidden
from semildp.partition import Partition, Samples, Shape
from semildp.protocols import HistOfTree, protocol_of
from semildp.protocols.asks import ask_cell_of
from semildp.protocols.shapes import given_shape
from semildp.sources import Source
from semildp.stored.parts import Reports
from semildp.stored.rows import Rows
from semildp.study import Classes
from semildp.wire.messages import Question

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Hidden:
    """How many people hide each feature, and whether all hide the same; two of them merge with `+`."""

    times: Ints
    row: Bools | None  # what the first person hides; None: there is nobody
    aligned: bool

    def __add__(self, other: Hidden) -> Hidden:
        row = other.row if self.row is None else self.row
        alike = self.row is None or other.row is None or bool((self.row == other.row).all())
        return Hidden(self.times + other.times, row, alike and self.aligned and other.aligned)


@dataclass(frozen=True, eq=False)
class Sizes:
    """The numbers of candidate cells that people have; two of them merge with `+`."""

    found: frozenset[int]

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.found | other.found)


@dataclass(frozen=True, eq=False)
class FirstWave:
    """Adds up a function of those who answered in the first wave: of their masks and rows, or of them as samples."""

    tally: Callable[[Any], Any]
    bounds: FeatureBounds | None = None

    def __call__(self, rows: Rows) -> Any:
        """Return what some people add to it."""
        (batch,) = rows.batches(0)
        if self.bounds is None:
            return self.tally(batch.enrolled)
        unit = self.bounds.scale(batch.enrolled.public)
        return self.tally(Samples(unit, batch.enrolled.mask, batch.answers[0].value))


def ask_cells(reports: Reports, backend: Backend, source: Source) -> Question:
    """Return the second question of a study by the paper's method: that of `HistOfTree.next`, to the last bit.

    The shape of the partition must be given, since choosing it needs everybody's mask; the splitter must be "max-edge"
    or "random", since "cart" takes a sample by position. Scans over a cluster are not possible yet: the functions that
    grow a tree hold the scan itself.
    """
    study = reports.header.study
    protocol = protocol_of(study)
    if not isinstance(protocol, HistOfTree):
        got = f"{study.protocol!r}" + (", and classes" if isinstance(study.label, Classes) else "")
        raise InputError(f"Cells are asked for by the protocol 'hist-of-tree', of a label that is a number. Got {got}.")
    one_of("splitter", protocol.splitter, ("max-edge", "random"))

    def scan(tally: Callable[[Samples], T], /) -> T:
        result: T = backend.fold(FirstWave(tally, study.bounds), reports.parts)
        return result

    hidden: Hidden = backend.fold(FirstWave(_hidden), reports.parts)
    shape = _shape(protocol, hidden)
    partition = grow_by_scans(study, hidden.times, scan, shape, protocol.splitter, source)
    sizes: Sizes = backend.fold(FirstWave(lambda enrolled: _sizes(partition, enrolled)), reports.parts)
    epsilon = Budget(study.epsilon, protocol.label_share).cell
    ask = ask_cell_of(partition, protocol.cell_mechanism, epsilon, sorted(sizes.found))
    return Question(study.digest, 2, (ask,))


def _hidden(enrolled: Any) -> Hidden:
    mask = enrolled.mask
    row = mask[0] if len(mask) else None
    return Hidden(times_hidden(mask), row, row is None or bool((mask == row).all()))


def _sizes(partition: Partition, enrolled: Any) -> Sizes:
    return Sizes(frozenset(candidate_sizes(partition, enrolled)))


def _shape(protocol: HistOfTree, hidden: Hidden) -> Shape:
    """Return the shape, as far as it is given or all hide the same."""
    row = np.zeros(len(hidden.times), dtype=np.bool_) if hidden.row is None else hidden.row
    mask = row[None] if hidden.aligned else np.stack([row, ~row])  # as many rows as tell whether all are alike
    given = given_shape(protocol, mask)
    if None in given:
        raise InputError(
            "Out of core, `n_histogram_features`, `depth` and `bins` must be numbers. Got 'auto', which needs "
            "everybody's mask at once. Give them in the study's settings."
        )
    return Shape(*given)  # type: ignore[arg-type]
