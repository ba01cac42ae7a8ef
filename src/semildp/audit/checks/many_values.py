"""The check of numbers with very many values: every value is drawn, and held against the likelihood of its outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semildp.audit.laws.likelihoods import likelihoods
from semildp.audit.statistics import assert_counts
from semildp.mechanisms import Mechanism
from semildp.sources import Source

FEWEST = 16  # people per value
_DRAWN = 1 << 18  # people at a time


def fit_every_value(mechanism: Mechanism, people: int, sources: Sequence[Source]) -> float:
    """Draw every value equally often, `people` in all, and hold likelihoods and slopes against the stated law."""
    law = likelihoods(mechanism)
    n_values = mechanism.n_values
    each = max(FEWEST, people // n_values) // len(sources)
    n = each * len(sources)
    count = np.zeros((n_values, len(law.chance)), dtype=np.int64)
    size = max(1, _DRAWN // n)
    for start in range(0, n_values, size):
        block = np.arange(start, min(start + size, n_values))
        drawn = [mechanism.randomise(np.tile(block, each), source) for source in sources]
        group = law.group(np.concatenate(drawn), np.tile(block, n))
        place = np.tile(np.arange(len(block)), n) * len(law.chance) + group
        count[block] = np.bincount(place, minlength=len(block) * len(law.chance)).reshape(len(block), -1)
    what = "(value, likelihood of the output) is not drawn as often as stated"
    all_of_them = "outputs as likely as this are not drawn as often as stated, all values together"
    return min(
        assert_counts(count, n, law.chance, what),
        assert_counts(count.sum(axis=0), n * n_values, law.chance, all_of_them),
        assert_counts(np.cumsum(count.sum(axis=0)), n * n_values, np.cumsum(law.chance), all_of_them),
    )
