"""Subset and paired response: the law of their thresholds by brute force, their sizes, and their noise."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from semildp.mechanisms import GeneralisedResponse, PairedResponse, SubsetResponse
from semildp.mechanisms._marks import HALF, mark_threshold, sign_threshold
from semildp.mechanisms._replacement import subset_threshold
from semildp.sources import SeededSource, below
from tests.battery.realised import WORD, Script, log

EPSILONS = (1e-6, 0.1, 0.3, 1.0, 4.0, 50.0)


def cut(*bounds):
    """Cut all words at `bounds`."""
    return [(a, b - a) for a, b in itertools.pairwise((0, *bounds, WORD))]


def parts_of(bound):
    """Cut all words where `below` changes its value."""
    return cut(*(-(-value * WORD // bound) for value in range(1, bound)))


def law(mechanism, parts, value):
    """Return the exact probability of each output: `randomise` is run on the first words of all combined parts."""
    combinations = list(itertools.product(*parts))
    script = Script(*(start for combination in combinations for start, _ in combination))
    outputs = mechanism.randomise(np.full(len(combinations), value), script)
    assert script.left() == 0
    chances = {}
    for row, combination in zip(map(tuple, outputs.tolist()), combinations, strict=True):
        chance = Fraction(1)
        for _, length in combination:
            chance *= Fraction(length, WORD)
        chances[row] = chances.get(row, 0) + chance
    return chances


def subset_parts(mechanism):
    k, m = mechanism.n_candidates, mechanism.size
    return [
        cut(subset_threshold(mechanism.epsilon, k, m)),
        parts_of(m),
        *(parts_of(b) for b in range(k - m + 1, k + 1)),
    ]


def paired_parts(mechanism):
    k, epsilon = mechanism.n_candidates, mechanism.epsilon
    if k == 1:
        return [cut(sign_threshold(epsilon, WORD)), cut()]
    marked = mark_threshold(epsilon)
    return [cut(sign_threshold(epsilon, HALF), HALF), *[cut(marked, 2 * marked)] * k]


SMALL = [(SubsetResponse, subset_parts, k) for k in range(2, 8)] + [
    (PairedResponse, paired_parts, k) for k in range(1, 6)
]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("kind", "parts", "k"), SMALL)
def test_what_is_drawn_realises_the_claim(kind, parts, k, epsilon):
    """All combinations of ranges of words, in fractions: the worst ratio is within realised_epsilon, without tolerance.

    And it is the stated law, up to the roundings to 2**-64 of as many words as are drawn, and those of float64.
    """
    mechanism = kind(epsilon, k)
    values = range(mechanism.n_values)
    laws = [law(mechanism, parts(mechanism), value) for value in values]
    outputs = [tuple(row) for row in mechanism.output_domain.tolist()]
    assert all(sum(chances.values()) == 1 and set(chances) == set(outputs) for chances in laws)
    worst = max(max(c) / min(c) for c in ([chances[row] for chances in laws] for row in outputs))
    assert log(worst) <= mechanism.realised_epsilon <= Decimal(epsilon)
    for value, chances in zip(values, laws, strict=True):
        stated = np.exp(mechanism.log_probability(mechanism.output_domain, np.full(len(outputs), value)))
        np.testing.assert_allclose([float(chances[row]) for row in outputs], stated, rtol=1e-12, atol=2.0**-60)


@pytest.mark.parametrize(("kind", "parts", "k"), SMALL)
def test_words_are_cut_where_the_law_assumes(kind, parts, k):
    """The last word of every range does as its first, for each word of a person alone."""
    mechanism = kind(1.0, k)
    ranges = parts(mechanism)
    middle = [part[len(part) // 2][0] for part in ranges]
    for place, part in enumerate(ranges):
        for start, length in part:
            people = [[*middle[:place], word, *middle[place + 1 :]] for word in (start, start + length - 1)]
            script = Script(*itertools.chain(*people))
            first, last = mechanism.randomise(np.full(2, mechanism.n_values - 1), script)
            assert first.tolist() == last.tolist()


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 64])
def test_ranges_of_below(bound):
    starts = np.array([start for start, _ in parts_of(bound)], dtype=np.uint64)
    assert below(starts, bound).tolist() == list(range(bound))
    assert below(starts[1:] - np.uint64(1), bound).tolist() == list(range(bound - 1))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_paired_thresholds_are_the_smallest_allowed(epsilon):
    flipped, marked = sign_threshold(epsilon, HALF), mark_threshold(epsilon)

    def worst(flipped, marked):
        """Return the ratio of the two signs, and that of the true sign here to nothing elsewhere."""
        kept = HALF - flipped
        return Fraction(kept, flipped), Fraction(kept * (WORD - 2 * marked), marked * HALF)

    assert max(map(log, worst(flipped, marked))) <= Decimal(epsilon)
    if flipped > 1:
        assert log(worst(flipped - 1, marked)[0]) > Decimal(epsilon)
    if marked > 1:
        assert log(worst(flipped, marked - 1)[1]) > Decimal(epsilon)


@pytest.mark.parametrize("k", [2, 3, 8, 64, 10**6, 2**20])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_subset_threshold_is_hardly_larger_than_it_has_to_be(k, epsilon):
    """At most 2**-24 more often uniform than in real numbers, plus one part in 2**64."""
    m = SubsetResponse.best_size(epsilon, k)
    exact = Decimal(WORD) / (1 + (Decimal(epsilon).exp() - 1) * m / k)
    assert exact - 1 <= subset_threshold(epsilon, k, m) <= exact * (1 + Decimal(2) ** -24) + 1


@pytest.mark.parametrize("kind", [SubsetResponse, PairedResponse])
@pytest.mark.parametrize("k", [1, 5, 64])
def test_any_division_of_people_gives_the_same_draws(kind, k):
    mechanism = kind(1.0, k)
    values = np.arange(1000) % mechanism.n_values
    whole, source = mechanism.randomise(values, SeededSource(3)), SeededSource(3)
    parts = [mechanism.randomise(part, source) for part in np.split(values, [1, 400, 400, 999])]
    assert np.array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("kind", [SubsetResponse, PairedResponse])
@pytest.mark.parametrize("k", [1, 2, 5, 64])
def test_every_value_takes_the_same_words(kind, k):
    mechanism = kind(1.0, k)
    taken = []
    for value in range(mechanism.n_values):
        source = SeededSource(0)
        mechanism.randomise(np.full(3, value), source)
        taken.append(int(source.words(1)[0]))
    assert len(set(taken)) == 1


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 50.0, 1e4])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 16, 17, 64, 128, 1000, 1001])
def test_the_size_is_the_best_one(epsilon, k):
    """Of all sizes, by the definition of p and q; near ties may go either way."""
    m, f = np.arange(1, k), np.exp(-epsilon)
    p = m / (m + (k - m) * f)
    q = (m - 1 + (k - m) * f / (m + (k - m) * f)) / (k - 1)
    noise = q * (1 - q) / (p - q) ** 2
    best = SubsetResponse.best_size(epsilon, k)
    assert 1 <= best < k
    assert noise[best - 1] <= noise.min() * (1 + 1e-9)
    mechanism = SubsetResponse(epsilon, k)
    assert mechanism.other == pytest.approx(q[best - 1], rel=1e-12)
    assert mechanism.other + mechanism.contrast == pytest.approx(p[best - 1], rel=1e-12)


def test_the_best_size_of_large_sets_is_the_known_one():
    for epsilon in (1e-6, 0.1, 1.0, 4.0):
        assert SubsetResponse.best_size(epsilon, 10**6) == pytest.approx(10**6 / (np.exp(epsilon) + 1), abs=2)


def test_a_subset_of_one_is_generalised_response():
    subset, response = SubsetResponse(4.0, 8), GeneralisedResponse(4.0, 8)
    assert subset.size == 1
    values = np.repeat(np.arange(8), 8)
    sent = np.tile(np.arange(8), 8)
    rows = np.eye(8, dtype=np.int64)[sent]
    np.testing.assert_allclose(subset.log_probability(rows, values), response.log_probability(sent, values))
    np.testing.assert_allclose(subset.estimate(rows), response.estimate(sent))


def test_the_only_candidate_is_public():
    assert SubsetResponse(1.0, 1).randomise(np.zeros(3, dtype=np.int64), SeededSource(0)).tolist() == [[1]] * 3
    assert SubsetResponse(1.0, 1).realised_epsilon == 0
    assert set(PairedResponse(1.0, 1).randomise(np.zeros(99, dtype=np.int64), SeededSource(0)).ravel()) == {1, 2}


def test_rows_that_are_never_sent():
    zeros = np.zeros(4, dtype=np.int64)
    rows = np.array([[1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [3, -1, 0, 0, 0], [0, 2, 0, 0, 0]])
    assert np.isfinite(SubsetResponse(0.1, 5).log_probability(rows, zeros)).tolist() == [True, False, False, False]
    rows = np.array([[2, 1], [0, 0], [3, 0], [0, -1]])
    assert np.isfinite(PairedResponse(1.0, 2).log_probability(rows, zeros)).tolist() == [True, True, False, False]
    assert PairedResponse(1.0, 1).log_probability(np.array([[0]]), zeros[:1]).tolist() == [-np.inf]


@pytest.mark.parametrize(("epsilon", "signed", "count"), [(1.0, 6.55, 10.1), (2.0, 1.33, 1.64), (4.0, 0.149, 0.155)])
def test_noise_of_paired_response(epsilon, signed, count):
    """Variance, per person elsewhere, of a candidate's signed sum and of its count: the three entries of the law."""
    mechanism = PairedResponse(epsilon, 8)
    rows = np.array([[0, entry, *[0] * 6] for entry in range(3)])
    chance = np.exp(mechanism.log_probability(rows, np.zeros(3, dtype=np.int64)))
    chance /= chance.sum()
    estimate = mechanism.estimate(rows)
    minus, plus = estimate[:, 2], estimate[:, 3]
    assert chance @ (plus - minus) == pytest.approx(0, abs=1e-12)
    assert chance @ (plus - minus) ** 2 == pytest.approx(signed, rel=0.01)
    assert chance @ (plus + minus) ** 2 == pytest.approx(count, rel=0.01)


@pytest.mark.parametrize(
    ("cells", "epsilon", "signed", "count"), [(8, 1.0, 6.62, 5.82), (64, 2.0, 1.41, 1.38), (8, 4.0, 0.0485, 0.047)]
)
def test_noise_of_subset_response_on_pairs(cells, epsilon, signed, count):
    """The same of subsets of 2 * cells pairs, from q and the probability that both pairs of a cell are in."""
    mechanism = SubsetResponse(epsilon, 2 * cells)
    q, both = mechanism.other, mechanism.other_pair
    assert 2 * (q - both) / mechanism.contrast**2 == pytest.approx(signed, rel=0.01)
    assert (2 * q + 2 * both - 4 * q**2) / mechanism.contrast**2 == pytest.approx(count, rel=0.01)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("k", [3, 8, 16])
def test_two_candidates_are_sent_together_as_stated(epsilon, k):
    mechanism = SubsetResponse(epsilon, k)
    rows = mechanism.output_domain
    chance = np.exp(mechanism.log_probability(rows, np.zeros(len(rows), dtype=np.int64)))
    assert chance @ (rows[:, 1] & rows[:, 2]) == pytest.approx(mechanism.other_pair, abs=1e-12)
    assert chance @ rows[:, 1] == pytest.approx(mechanism.other, rel=1e-12)
