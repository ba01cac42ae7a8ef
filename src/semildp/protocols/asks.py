"""Writing asks down: from a mechanism's name and an epsilon to the public form that travels."""

from __future__ import annotations

from collections.abc import Iterable

from semildp.curator.partitioning import candidate_sizes
from semildp.curator.wave_menu import Asking
from semildp.mechanisms import (
    CELL_MECHANISMS,
    LABEL_MECHANISMS,
    PairResponse,
    best_class_response,
    best_pair_response,
    label_grid,
)
from semildp.partition import Partition, Tree
from semildp.study import Study
from semildp.wire.columns import Enrolled
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import AskCell, AskClass, AskLabel, AskPair, AskSigned


def ask_label(mechanism: str, low: float, high: float, epsilon: float) -> AskLabel:
    """Ask for the label: on a fine grid and rounded to the nearest point for Laplace noise, else coarse, at random."""
    grid = label_grid(mechanism, low, high, epsilon)
    randomiser = LABEL_MECHANISMS[mechanism](epsilon, grid.steps)
    return AskLabel(low, high, "random" if mechanism == "window" else "nearest", mechanism_message(randomiser), epsilon)


def ask_cell(partition: Partition, mechanism: str, epsilon: float, enrolled: Enrolled) -> AskCell:
    """Ask for the cell, with a mechanism for each number of candidates that people have."""
    return ask_cell_of(partition, mechanism, epsilon, candidate_sizes(partition, enrolled))


def ask_cell_of(partition: Partition, mechanism: str, epsilon: float, sizes: Iterable[int]) -> AskCell:
    """Ask for the cell those who have these numbers of candidates."""
    mechanisms = by_size((size, CELL_MECHANISMS[mechanism](epsilon, size)) for size in sizes)
    return AskCell(partition_message(partition), mechanisms, epsilon)


def ask_class(study: Study, partition: Partition, epsilon: float, sizes: Iterable[int]) -> AskClass:
    """Ask for cell and class those who have these numbers of candidates; a partition of one cell: for the class."""
    classes = len(study.classes)
    mechanisms = by_size((size, best_class_response(epsilon, size, classes).mechanism) for size in sizes)
    return AskClass(partition_message(partition), mechanisms, epsilon)


def ask_residual(study: Study, asking: Asking, reach: float, spread: float, epsilon: float) -> AskPair | AskSigned:
    """Ask for the residual: together with the joint bins of private features, or turned round by signs, or alone.

    `spread` is the expected mean square of residuals, in units of the squared reach.
    """
    response = best_pair_response(epsilon, asking.n_cells, spread)
    partition = partition_message(Partition(study.bounds, asking.features, asking.bins, Tree()))
    if asking.signs is None:
        mechanisms = by_size([(response.n_candidates, response.mechanism)])
        return AskPair(partition, (0.0,), reach, mechanisms, epsilon)
    mechanism = mechanism_message(PairResponse(epsilon, 1, response.levels, "generalised").mechanism)
    return AskSigned(partition, asking.signs, reach, mechanism, epsilon)
