"""Centring labels at the edge of 64 bits: held against Python's whole numbers, in one batch or many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp.errors import InputError
from semildp.partition.label_scale import LabelScale
from semildp.partition.samples import Samples, scan_over

STYLE = settings(deadline=None, max_examples=200)
NUMBERS = st.integers(0, 63).flatmap(lambda digits: st.integers(-(2**digits), 2**digits - 1))
FEATURE = np.zeros(1, dtype=np.int64)


def batch(labels: list[int]) -> Samples:
    n = len(labels)
    return Samples(np.full((n, 1), 0.5), np.zeros((n, 1), dtype=np.bool_), np.array(labels, dtype=np.int64))


def literal(labels: list[int]) -> tuple[int, int]:
    """Return the centre, and the least shift with which the squares add up to less than 2**52."""
    centre, shift = sum(labels) // len(labels), 0
    while sum(((label - centre) >> shift) ** 2 for label in labels) >= 2**52:
        shift += 1
    return centre, shift


@STYLE
@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=6), min_size=1, max_size=4))
def test_the_scale_is_that_of_whole_numbers_or_refused(batches):
    labels = [label for each in batches for label in each]
    scan = scan_over(*map(batch, batches))
    if max(map(abs, labels)) >= 2**62:
        with pytest.raises(InputError, match=r"below 2\*\*62"):
            LabelScale.find(scan, FEATURE)
    else:
        scale = LabelScale.find(scan, FEATURE)
        assert (scale.centre, scale.shift) == literal(labels)
        scored = scale(np.array(labels, dtype=np.int64))
        assert scored.tolist() == [(label - scale.centre) >> scale.shift for label in labels]


@pytest.mark.parametrize("people", [2**17, 2**18])
def test_the_farthest_labels_of_many_people_have_the_centre_they_have(people):
    """Reports near the least epsilon may be 2**46 away: 2**17 of them add up to 2**63."""
    labels = np.full(people, 2**46)
    public = Samples(np.full((people, 1), 0.5), np.zeros((people, 1), dtype=np.bool_), labels)
    assert LabelScale.find(scan_over(public), FEATURE) == LabelScale(2**46, 0)
