"""Many questions weighed at once are the sum of each weighed on its own."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest

from semildp.curator.effects.explained import Explained
from semildp.curator.effects.stacked import Weighing
from semildp.curator.effects.weighing import weigh
from tests.readings import LEAST, PLACES, functions, reading

FAMILIES = ((0,), (0, 2), (1,), (1, 2), (0, 1))


def questions():
    """Return questions of all kinds: about one feature or two, by cells or signs, expectations of each or of all."""
    rng = np.random.default_rng(3)
    together = rng.random((PLACES, PLACES)) + 1
    together /= together.sum()
    asked = [
        reading(60, features, personal=personal, signed=signed, seed=k)
        for k, (features, personal, signed) in enumerate(
            [
                ((0,), False, False),
                ((0, 1), False, True),
                ((0,), True, False),
                ((0, 1), False, False),
                ((1,), False, True),
            ]
        )
    ]
    asked.append(replace(reading(80, (0, 1), seed=9), joint={(0, 1): together, (1, 0): together.T}))
    return asked


@pytest.mark.parametrize("curves", [True, False])
@pytest.mark.parametrize("found", [(), ((0,),), ((0, 2), (1,))])
def test_questions_weighed_at_once_are_their_sum(found, curves):
    h = functions(np.random.default_rng(1), 3, (0, 1, 2), terms=2)
    explained = Explained(questions(), {0: h.values[0][0], 1: h.values[1][0]})
    at_once = Weighing(h, explained)
    for family in found:
        effect = h.values[family[0]][1]
        explained.add(family, effect if len(family) == 1 else np.outer(effect, h.values[2][0]), LEAST)
        list(explained.balance())
        compare(at_once, curves)
    compare(at_once, curves)


def compare(at_once: Weighing, curves: bool) -> None:
    h, explained = at_once.functions, at_once.explained
    for family in FAMILIES:
        seen = [k for k, read in enumerate(explained.asked) if read.sees(family)]
        every = at_once.weigh(seen, family, curves=curves)
        one = reduce(add, (weigh(h if curves else replace(h, falls={}), explained, k, family) for k in seen))
        for name in ("num", "den", "centre", "shared"):
            expected = getattr(one, name)
            np.testing.assert_allclose(np.broadcast_to(getattr(every, name), np.shape(expected)), expected, atol=1e-10)
        assert (every.people, every.terms) == (one.people, one.terms)
        assert (every.gram is None) == (one.gram is None) == (not curves)
        if curves:
            np.testing.assert_allclose(every.gram, one.gram, atol=1e-10)


def test_most_questions_are_weighed_at_once():
    """Else the comparison above would compare a thing with itself."""
    h = functions(np.random.default_rng(1), 3, (0, 1, 2), terms=2)
    at_once = Weighing(h, Explained(questions(), {}))
    at_once.weigh([k for k, read in enumerate(at_once.explained.asked) if read.sees((0, 2))], (0, 2))
    assert [stack.questions for stack in at_once._stacks.values()] == [(0, 1, 3, 5)]
