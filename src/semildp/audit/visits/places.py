"""The cells that people with the same public data could be in, and where among them somebody is."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.visits.person import Person, rows_in_cells
from semildp.audit.visits.visit import Value
from semildp.domains import bin_of
from semildp.partition import Tree
from semildp.study import Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskCell, AskClass, AskHistogram, AskPair, AskSigned


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

    def __init__(
        self, ask: AskCell | AskPair | AskSigned | AskClass | AskHistogram, study: Study, row: Floats, hidden: Bools
    ) -> None:
        self._partition = read_partition(ask.partition, study.bounds)
        everything = study.hide_mask or isinstance(ask, AskHistogram)
        acting = np.ones_like(hidden) if everything else hidden
        candidates = self._partition.candidates(row[None], acting[None]).cells()[1]
        self.size = len(candidates)
        self.place: Ints = np.full(self._partition.n_cells, -1)
        self.place[candidates] = np.arange(self.size)
        self._known: dict[tuple[float, ...], dict[int, float]] = {}
        self.rows: Floats = rows_in_cells(study, row, hidden, self._partition.cell, self.size)

    def leaf(self, features: Floats) -> int:
        """Return the leaf of the tree that a row is in."""
        return int(self._partition.cell(features[None])[0]) // self._partition.n_codes

    def cells(self, person: Person) -> dict[int, float]:
        """Return the cells that a person may be taken to be in, and how likely: what is missing is drawn uniformly."""
        if person.features not in self._known:
            self._known[person.features] = self._shares(np.array(person.features))
        return self._known[person.features]

    def leaf_of(self, cell: int) -> int:
        """Return the leaf of the tree that a cell belongs to."""
        return cell // self._partition.n_codes

    def of(self, person: Person) -> Value:
        """Return the place of a person's cell; where a feature is missing, all places and their probabilities."""
        cells = self.cells(person)
        if len(cells) == 1:
            return int(self.place[next(iter(cells))])
        return {int(self.place[cell]): share for cell, share in cells.items()}

    def _shares(self, features: Floats) -> dict[int, float]:
        partition = self._partition
        if not np.isnan(features).any():
            return {int(partition.cell(features[None])[0]): 1.0}
        unit = partition.bounds.scale(features[None])[0]
        codes = {0: 1.0}
        for feature, bins in zip(partition.histogram_features, partition.bins, strict=True):
            known = not np.isnan(unit[feature])
            own = [int(bin_of(unit[feature : feature + 1], bins)[0])] if known else list(range(bins))
            codes = {code * bins + b: share / len(own) for code, share in codes.items() for b in own}
        leaves = leaf_shares(partition.tree, unit)
        return {
            leaf * partition.n_codes + code: a * b for leaf, a in leaves.items() for code, b in codes.items() if a * b
        }


def leaf_shares(tree: Tree, unit: Floats) -> dict[int, float]:
    """Return how likely each leaf is for a row in the unit cube whose missing entries are uniform."""
    box = [(float(x), float(x)) if np.isfinite(x) else (0.0, 1.0) for x in unit]
    return _below(tree, 0, box)


def _below(tree: Tree, node: int, box: list[tuple[float, float]]) -> dict[int, float]:
    feature, at, child = tree.feature[node], tree.threshold[node], tree.child[node]
    if feature < 0:
        return {int(tree.leaf[node]): 1.0}
    low, high = box[feature]
    left = float(low < at) if low == high else float(np.clip((at - low) / (high - low), 0, 1))
    found = dict[int, float]()
    for side, share, part in ((child, left, (low, min(high, at))), (child + 1, 1 - left, (max(low, at), high))):
        if share:
            inside = [*box[:feature], part, *box[feature + 1 :]]
            found |= {leaf: share * p for leaf, p in _below(tree, side, inside).items()}
    return found
