"""A source whose draws have no order is used by several batches of people at once: nothing is lost or counted twice."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from semildp import simulate as simulating
from semildp._kernels import threads
from semildp.protocols import protocol_of
from semildp.simulate import simulate
from semildp.sources import in_any_order
from tests.asking import study_of

N = 1000
RNG = np.random.default_rng(4)
X = RNG.random((N, 3))
Y = np.clip(X[:, 0] + 0.3 * RNG.normal(size=N), 0, 1)
MASK = RNG.random((N, 3)) < 0.5


class Constant:
    """Words that are all the same: reports do not depend on who draws first."""

    def words(self, *shape):
        return np.full(shape, 2**63 + 12345, dtype=np.uint64)


class AnyOrder(Constant):
    """The same, and batches may draw at once."""

    def hits(self, thresholds, n):
        return self.words(len(thresholds), n) < thresholds[:, None]


@pytest.mark.parametrize("protocol", ["hist-of-tree", "private-histogram"])
@pytest.mark.parametrize("keep", [False, True])
def test_batches_in_threads_add_up_to_batches_in_order(protocol, keep, monkeypatch):
    monkeypatch.setattr(simulating, "CHUNK", 37)
    monkeypatch.setattr(threads, "n_threads", lambda: 3)
    hide = protocol == "private-histogram"
    study = replace(study_of(1.0, hide=hide), protocol=protocol, participation="split" if hide else "both")
    found = []
    for kind in (Constant, AnyOrder):
        sources = {name: kind() for name in protocol_of(study).streams}
        assert in_any_order(sources["fill"]) == (kind is AnyOrder)
        found.append(simulate(study, X, Y, MASK, sources=sources, keep=keep))
    ordered, at_once = found
    assert ordered.model == at_once.model
    assert ordered.transcript.spent == at_once.transcript.spent
    for one, two in zip(ordered.state.done, at_once.state.done, strict=True):
        assert len(one.answers) == len(two.answers)
        for a, b in zip(one.answers, two.answers, strict=True):
            for marks, others in zip(a, b, strict=True):
                np.testing.assert_array_equal(marks.value, others.value)
