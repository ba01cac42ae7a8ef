"""The splitters by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp._arrays import Ints
from semildp._checks import one_of
from semildp.partition.cart import grow_cart
from semildp.partition.halving import grow_random
from semildp.partition.max_edge import grow_max_edge
from semildp.partition.samples import Scan
from semildp.partition.tree import Tree
from semildp.sources import Source

_SPLITTERS: dict[str, Callable[[Scan, Ints, int, Source], Tree]] = {
    "max-edge": grow_max_edge,
    "cart": grow_cart,
    "random": grow_random,
}
SPLITTERS = tuple(_SPLITTERS)


def grow_tree(splitter: str, scan: Scan, features: tuple[int, ...], depth: int, source: Source) -> Tree:
    """Grow a tree of at most `depth` on `features`; one scan per level. `source` is used by `random` alone."""
    one_of("splitter", splitter, SPLITTERS)
    if not features:
        return Tree()
    return _SPLITTERS[splitter](scan, np.array(features, dtype=np.int64), depth, source)
