"""From sums to predictions: ratio, fall-back, clipping. Floats are combined in the order the fast code states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.reference.cells import leaves
from tests.reference.labels import label_units
from tests.reference.totals import CellSums, Sums
from tests.reference.trees import Node


@dataclass
class Inverse:
    """An indicator is mark * (per_mark + k * per_sized_mark) + per_candidate; its noise is noise + k * sized_noise."""

    per_mark: float
    per_sized_mark: float
    per_candidate: float
    noise: float
    sized_noise: float

    def __call__(self, sums: Sums) -> float:
        """Return the sum of indicators (times labels): linear, so sums suffice."""
        noisy = self.per_mark * sums.marks + self.per_sized_mark * sums.sized_marks
        return sums.known + (noisy + self.per_candidate * sums.candidates)


def inverse_of(mechanism: str, epsilon: float) -> Inverse:
    """Return the indicators of section 4, written without overflow."""
    if mechanism == "grr":
        w = math.exp(-epsilon) / -math.expm1(-epsilon)  # 1 / (e**epsilon - 1)
        return Inverse(1.0, w, -w, w * (1.0 - w), w * w)
    c = 1.0 / math.tanh(epsilon / 4)  # (e**(epsilon / 2) + 1) / (e**(epsilon / 2) - 1)
    q = math.exp(-epsilon / 2) / (1.0 + math.exp(-epsilon / 2))
    return Inverse(c, 0.0, -c * q, c**2 * q * (1.0 - q), 0.0)


def enough(sums: CellSums, inverse: Inverse, min_count: float | str) -> bool:
    """Say whether a count is above its floor: one standard deviation of its noise and at least 1, or the given one."""
    if min_count == "auto":
        noise = inverse.noise * sums.people.candidates + inverse.sized_noise * sums.sized_candidates
        return inverse(sums.people) > max(math.sqrt(noise), 1.0)
    return inverse(sums.people) > max(float(min_count), 0.0)


def ancestors(nodes: Sequence[Node], leaf: int) -> list[int]:
    """Return the leaf, its parent, and so on up to the root."""
    path = [leaf]
    while path[-1] != 0:
        for index, node in enumerate(nodes):
            if node.feature >= 0 and path[-1] in (node.child, node.child + 1):
                path.append(index)
                break
    return path


def predictions(
    nodes: Sequence[Node],
    n_codes: int,
    cells: Sequence[CellSums],
    labels: Sequence[int],
    inverse: Inverse,
    min_count: float | str,
) -> list[tuple[float, int]]:
    """Return, per cell, the prediction in grid steps and how many steps up it is from.

    The last resort, the mean of all noisy labels, has the level after the root's on the longest path.
    """
    order = leaves(nodes)
    below = [together(cells, [order.index(leaf) for leaf in leaves(nodes, i)], n_codes) for i in range(len(nodes))]
    last = max(len(ancestors(nodes, leaf)) for leaf in order) + 1
    out = []
    for j, cell in enumerate(cells):
        chain = [cell] + [below[index] for index in ancestors(nodes, order[j // n_codes])]
        found = (sum(labels) / len(labels), last)
        for level, sums in enumerate(chain):
            if enough(sums, inverse, min_count):
                found = (inverse(sums.labels) / inverse(sums.people), level)
                break
        out.append(found)
    return out


def together(cells: Sequence[CellSums], leaf_numbers: Sequence[int], n_codes: int) -> CellSums:
    """Add up all the cells of some leaves."""
    total = CellSums()
    for leaf in leaf_numbers:
        for code in range(n_codes):
            total.add(cells[leaf * n_codes + code])
    return total


def clipped(point: float, low: float, high: float, steps: int) -> float:
    """Return a prediction in label units, within the label bounds."""
    return min(max(label_units(point, low, high, steps), low), high)
