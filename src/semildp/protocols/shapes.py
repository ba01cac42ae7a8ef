"""Checking what is given of a partition's shape, and choosing the rest from public numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from semildp._checks import whole_number
from semildp.masks import Mask, is_aligned
from semildp.partition import MAX_CELLS, Shape
from semildp.selection import MaskProfile, select_shape

Auto = int | str


class ShapeSettings(Protocol):
    """The settings that a shape is chosen by."""

    @property
    def n_histogram_features(self) -> Auto:
        """How many of the most protected features get the histogram (s), or "auto"."""
        ...

    @property
    def depth(self) -> Auto:
        """Depth of the tree (p), or "auto"."""
        ...

    @property
    def bins(self) -> Auto:
        """Bins per histogram feature (t), or "auto"."""
        ...

    @property
    def bias_weight(self) -> float:
        """Factor of the bias term in the bound that "auto" minimises."""
        ...


def given_shape(settings: ShapeSettings, mask: Mask) -> tuple[int | None, int | None, int | None]:
    """Return s, p and t as far as they are given; where everyone hides the same features, s is their number."""
    d = mask.shape[1]
    s = _given("n_histogram_features", settings.n_histogram_features, 0, d)
    p = _given("depth", settings.depth, 0, MAX_CELLS.bit_length() - 1)
    t = _given("bins", settings.bins, 1, MAX_CELLS)
    if s is None and is_aligned(mask) and not mask[0].all():
        s = int(mask[0].sum())  # aligned: s = s*
    return s, p, t


def choose_shape(settings: ShapeSettings, mask: Mask, epsilon: float) -> Shape:
    """Choose what is not given by the paper's bound (AdHistOfTree)."""
    s, p, t = given_shape(settings, mask)
    return select_shape(
        MaskProfile(mask), epsilon, n_histogram_features=s, depth=p, bins=t, bias_weight=settings.bias_weight
    )


def planned_shape(
    settings: ShapeSettings,
    mask: Mask,
    epsilon: float,
    depth: Callable[[], int],
    bins: Callable[[int, int], int],
) -> Shape:
    """Choose what is not given: the number of histogram features by the paper's bound, the rest as planned.

    `depth` returns the depth of a tree, `bins` the bins for a number of histogram features and a depth.
    """
    s, p, t = given_shape(settings, mask)
    if p is None and s != mask.shape[1]:
        p = depth()
    profile = MaskProfile(mask)
    shape = select_shape(profile, epsilon, n_histogram_features=s, depth=p, bins=t, bias_weight=settings.bias_weight)
    if t is not None:
        return shape
    return Shape(shape.n_histogram_features, shape.depth, bins(shape.n_histogram_features, shape.depth))


def _given(name: str, value: Auto, low: int, high: int) -> int | None:
    return None if isinstance(value, str) and value == "auto" else whole_number(name, value, low, high, "Or 'auto'.")
