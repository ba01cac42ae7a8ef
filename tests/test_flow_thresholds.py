"""At every size the threshold in use is the exact one: words on both sides of it, for people alone and in a crowd.

An epsilon that is spent twice over beyond some number of candidates would be seen at the sizes beyond it.
"""

from __future__ import annotations

import numpy as np
import pytest

from semildp.budgets import Budget
from semildp.curator.joint import JointTerms
from semildp.domains import FeatureBounds
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    PairedResponse,
    PairResponse,
    SubsetResponse,
    WindowResponse,
    best_pair_response,
)
from semildp.partition import Partition, Tree
from tests.flow.recorded import Replayed
from tests.reference import senders, thresholds
from tests.reference.thresholds import HALF, WORD

SMALL = (2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 50, 64, 99, 100, 101, 128, 200, 255, 256, 257, 500, 512)
LARGE = (999, 1000, 1001, 1023, 1024, 1025, 1500, 2000, 2048, 3000, 4095, 4096, 4097, 5000, 8193)
HUGE = (10_000, 65_535, 65_536, 65_537, 10**5, 10**6, 2**20)
EPSILONS = (0.3, 1.0, 4.0)


def around(threshold):
    """The last word that counts, the first that does not, and words near by."""
    return [word for word in (threshold - 1, threshold, threshold - 2, threshold + 1) if 0 <= word < WORD]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [*SMALL, *LARGE, *HUGE, 2**24, 2**31])
def test_generalised_response_at_every_size(k, epsilon):
    words = [[word, other] for word in around(thresholds.replace(epsilon, k)) for other in (0, HALF, WORD - 1)]
    for value in (0, k // 2, k - 1):
        expected = [senders.generalised(value, epsilon, k, row) for row in words]
        values = np.full(len(words), value)
        alone = GeneralisedResponse(epsilon, k).randomise(values, Replayed([words]))
        sizes = np.full(len(words) + 1, k)
        sizes[-1] = 2  # somebody with another number of candidates beside them
        beside = GeneralisedResponse(epsilon, sizes).randomise(np.append(values, 0), Replayed([[*words, [0, 0]]]))
        assert alone.tolist() == expected
        assert beside[:-1].tolist() == expected


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [*SMALL, *LARGE])
def test_binary_response_at_every_size(k, epsilon):
    words = np.full(k, HALF, dtype=np.uint64)
    near = around(thresholds.flip(epsilon))[: min(k, 4)]
    words[: len(near)] = near
    words[-len(near) :] = near[::-1]
    for value in (0, k - 1, k // 2):
        sent = BinaryResponse(epsilon, k).randomise(np.array([value]), Replayed([words]))
        assert sent.tolist() == senders.binary(value, epsilon, k, words.tolist())
        both = BinaryResponse(epsilon, np.array([k, 3])).randomise(
            np.array([value, 0]), Replayed([[*words.tolist(), HALF, HALF, HALF]])
        )
        assert both.tolist() == [*sent.tolist(), 1, 0, 0]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [*SMALL, *LARGE])
def test_subset_response_at_every_size(k, epsilon):
    mechanism = SubsetResponse(epsilon, k)
    m, rng = mechanism.size, np.random.default_rng(k)
    for word in around(thresholds.subset(epsilon, k, m)):
        row = [word, *rng.integers(0, WORD, m + 1, dtype=np.uint64).tolist()]
        for value in (0, k - 1):
            (sent,) = mechanism.randomise(np.array([value]), Replayed([row]))
            assert np.flatnonzero(sent).tolist() == senders.subset(value, epsilon, k, m, row)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [1, *SMALL, *LARGE])
def test_paired_response_at_every_size(k, epsilon):
    marked = thresholds.mark(epsilon)
    others = [*around(marked), *around(2 * marked), 0, HALF, WORD - 1]
    marked_words = WORD if k == 1 else HALF
    for own in {*around(thresholds.opposite(epsilon, marked_words)), *around(HALF)}:
        row = [own, *(others[i % len(others)] for i in range(k))]
        for value in (0, 2 * k - 1):
            (sent,) = PairedResponse(epsilon, k).randomise(np.array([value]), Replayed([row]))
            assert sent.tolist() == senders.paired(value, epsilon, k, row)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("steps", [1, 2, 3, 8, 64, 128, 1000, 1001, 1024, 4096])
def test_window_response_at_every_grid_point(steps, epsilon):
    """Every value of the grid, so that no point of it is sent as it is."""
    mechanism = WindowResponse(epsilon, steps)
    width, values = mechanism.window, np.arange(steps + 1)
    for word in around(thresholds.replace(epsilon, steps + width, width)):
        words = [[word, (7919 * v) % WORD << 50 & WORD - 1, (104729 * v) << 44 & WORD - 1] for v in values.tolist()]
        expected = [
            senders.window(v, epsilon, steps, width, row) for v, row in zip(values.tolist(), words, strict=True)
        ]
        assert mechanism.randomise(values, Replayed([words])).tolist() == expected


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("steps", [1, 2, 64, 1000, 1024, 1025, 4096, 2**16])
def test_laplace_noise_is_drawn_with_the_exact_thresholds(steps, epsilon):
    sampler = DiscreteLaplace(epsilon, steps)._sampler
    assert (list(sampler.digit_thresholds), sampler.tail_threshold) == thresholds.geometric(epsilon, steps)


@pytest.mark.parametrize("spread", [0.05, 0.35])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [1, *SMALL, *LARGE, *HUGE])
def test_the_code_that_is_chosen_has_the_epsilon_it_was_asked_for(k, epsilon, spread):
    code = best_pair_response(epsilon, k, spread)
    assert (code.epsilon, code.mechanism.epsilon) == (epsilon, epsilon)
    assert code.n_candidates == k
    terms = JointTerms(Partition(FeatureBounds((0.0,), (1.0,)), (), 1, Tree()), np.zeros(1), 1.0, spread, epsilon)
    assert terms.response(k) == code


@pytest.mark.parametrize("kind", ["generalised", "subset", "paired"])
@pytest.mark.parametrize("k", [2, 100, 1001, 4097])
def test_a_code_s_mechanism_has_all_values_and_no_more_than_its_epsilon(k, kind):
    code = PairResponse(0.7, k, 2, kind)
    assert (code.mechanism.epsilon, code.mechanism.n_values) == (0.7, 2 * k)


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_budget_s_parts_are_the_stated_shares(epsilon, share):
    budget = Budget(epsilon, share)
    assert budget.label == epsilon * share
    assert epsilon * (1 - share) * (1 - 1e-12) <= budget.cell <= epsilon - budget.label
