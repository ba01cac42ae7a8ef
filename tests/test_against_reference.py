"""The fast code gives what the paper says, to the last digit: same draws, loops in tests/reference against arrays."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from semildp.backends import chunks, fold
from semildp.budgets import Budget
from semildp.client import answer, enrol, ready
from semildp.curator import Estimate, Totals, estimate, grow_partition, tally_cells
from semildp.domains import LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, BinaryResponse, DiscreteLaplace, GeneralisedResponse
from semildp.partition import SPLITTERS, Partition, Samples, Shape, Tree, grow_tree, scan_over
from semildp.protocols.asks import ask_cell
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.forms import mechanism_message
from semildp.wire.messages import AskLabel, Question
from tests.asking import lists_of
from tests.reference import cart, cells, indicators, labels, responses, totals, trees
from tests.reference import estimate as estimates
from tests.reference.cases import MASKS, SEEDS, Case, cases, draw_mask, draw_unit

STYLE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
CLOSE = Fraction(1, 10**9)
UNDERFLOW = Fraction(1, 10**290)  # near the smallest floats there are no nine digits: e**-726 is an indicator here
ALL = 10**6  # people at a time


def study_of(case: Case) -> Study:
    return Study(
        name="a case",
        epsilon=case.epsilon,
        label=Number(*case.label_bounds),
        features=tuple(Feature(f"x{j}", Number(*ends)) for j, ends in enumerate(case.bounds)),
        protocol="hist-of-tree",
        participation="both",
        hide_mask=case.hide_mask,
    )


def budget_of(case: Case) -> Budget:
    return Budget(case.epsilon, case.label_share)


@dataclass
class Fast:
    """What the library makes of a case; each of the three steps has a seed of its own."""

    enrolled: Enrolled
    labels: list[int]
    partition: Partition
    marks: Marks
    totals: Totals
    estimate: Estimate


def run_fast(case: Case, splitter: str, mechanism: str, at_a_time: int = ALL) -> Fast:
    """Ask everybody for label and cell; the curator grows and adds up, and devices send cells, some at a time."""
    study, budget = study_of(case), budget_of(case)
    people = ready(study, case.X, case.y, case.mask, SeededSource(case.seed + 3))
    enrolled = enrol(people)
    noise = DiscreteLaplace(budget.label, case.steps)
    first = Question(
        study.digest, 1, (AskLabel(*case.label_bounds, "nearest", mechanism_message(noise), budget.label),)
    )
    noisy = answer(study, first, people, SeededSource(case.seed))[0].value
    shape = Shape(case.n_histogram_features, case.depth, case.bins)
    with patch("semildp.curator.partitioning.CHUNK", at_a_time):
        partition = grow_partition(study, enrolled, noisy, shape, splitter, SeededSource(case.seed + 1))
    second = Question(study.digest, 2, (ask_cell(partition, mechanism, budget.cell, enrolled),))
    source, batches = SeededSource(case.seed + 2), list(chunks(len(people), at_a_time))
    marks = Marks.concatenate([answer(study, second, people[some], source)[0] for some in batches])
    sums = fold(lambda some: tally_cells(partition, enrolled[some], noisy[some], marks[some]), batches)
    weights, grid = CELL_MECHANISMS[mechanism].weights(budget.cell), LabelGrid(*case.label_bounds, case.steps)
    found = estimate(partition, sums, weights, grid, case.min_count)
    return Fast(enrolled, noisy.tolist(), partition, marks, sums, found)


@dataclass
class Literal:
    """What the reference makes of the same case with the same draws."""

    labels: list[int]
    private: list[list[bool]]
    histogram: list[int]
    nodes: list[trees.Node]
    cells: list[cells.Cell]
    candidates: list[list[int]]
    marked: list[list[int]]


def run_literal(case: Case, splitter: str, mechanism: str) -> Literal:
    budget, n = budget_of(case), len(case.X)
    noise = DiscreteLaplace(budget.label, case.steps).noise(n, SeededSource(case.seed))
    noisy = labels.noisy_labels(case.y.tolist(), *case.label_bounds, case.steps, noise.tolist())
    private = [[case.hide_mask or hidden for hidden in row] for row in case.mask.tolist()]
    raw = [[cells.unit(x, *box) for x, box in zip(row, case.bounds, strict=True)] for row in case.X.tolist()]
    ranking = cells.ranked_features(private, len(case.bounds))
    histogram, rest = ranking[: case.n_histogram_features], sorted(ranking[case.n_histogram_features :])
    nodes = grow_literal(splitter, trees.People(blanked(raw, private), private, noisy), rest, case.depth, case.seed + 1)
    all_cells = cells.all_cells(nodes, histogram, case.bins)
    possible = [cells.candidates(x, hidden, all_cells, case.bins) for x, hidden in zip(raw, private, strict=True)]
    truth = [cells.cell_of(x, all_cells, case.bins) for x in raw]
    marked = send_literal(mechanism, budget.cell, truth, possible, SeededSource(case.seed + 2))
    return Literal(noisy, private, histogram, nodes, all_cells, possible, marked)


def blanked(raw: list[list[float]], private: list[list[bool]]) -> list[list[float]]:
    """Give the curator None for a private entry: to look at one is an error."""
    return [[None if h else x for x, h in zip(*rows, strict=True)] for rows in zip(raw, private, strict=True)]


def grow_literal(splitter: str, people: trees.People, features: list[int], depth: int, seed: int) -> list[trees.Node]:
    if splitter == "max-edge":
        return trees.grow(people, features, depth, trees.max_edge)
    if splitter == "cart":
        return trees.grow(people, features, depth, cart.cart(people, features))
    words = iter(SeededSource(seed).words(2**depth).tolist())
    return trees.grow(people, features, depth, trees.random_edge(words))


def send_literal(
    mechanism: str, epsilon: float, truth: list[int], possible: list[list[int]], source: SeededSource
) -> list[list[int]]:
    sizes = np.array([len(v) for v in possible])
    if mechanism == "grr":
        replaced, other = GeneralisedResponse(epsilon, sizes).draw(len(truth), source)
        draws = zip(truth, possible, replaced.tolist(), other.tolist(), strict=True)
        return [responses.generalised(*person) for person in draws]
    flips = iter(BinaryResponse(epsilon, sizes).draw(len(truth), source).tolist())
    return [responses.binary(j, v, [next(flips) for _ in v]) for j, v in zip(truth, possible, strict=True)]


def assert_same_tree(tree: Tree, nodes: list[trees.Node]) -> None:
    assert tree.feature == tuple(node.feature for node in nodes)
    assert tree.threshold == tuple(node.threshold for node in nodes)
    assert tree.child == tuple(node.child for node in nodes)


def assert_same_reports(case: Case, fast: Fast, literal: Literal) -> None:
    low, high = np.array(case.bounds).T
    assert fast.labels == literal.labels
    assert fast.enrolled.mask.tolist() == literal.private
    assert_array_equal(fast.enrolled.public, np.where(literal.private, np.nan, np.clip(case.X, low, high)))
    assert lists_of(fast.marks) == literal.marked


def assert_same_totals(fast: Totals, sums: list[totals.CellSums], noisy: list[int]) -> None:
    assert (fast.n_people, fast.label_sum) == (len(noisy), sum(noisy))
    assert fast.sized_candidates.tolist() == [cell.sized_candidates for cell in sums]
    for part in ("people", "labels"):
        for name in ("known", "marks", "sized_marks", "candidates"):
            array = getattr(getattr(fast, part), name)
            assert array.dtype == np.int64
            assert array.tolist() == [getattr(getattr(cell, part), name) for cell in sums], (part, name)


def assert_same_estimate(case: Case, fast: Fast, literal: Literal, sums: list[totals.CellSums], mechanism: str) -> None:
    inverse = estimates.inverse_of(mechanism, budget_of(case).cell)
    n_codes = case.bins ** len(literal.histogram)
    found = estimates.predictions(literal.nodes, n_codes, sums, literal.labels, inverse, case.min_count)
    assert fast.estimate.level.tolist() == [level for _, level in found]
    assert fast.estimate.counts.tolist() == [inverse(cell.people) for cell in sums]
    assert fast.estimate.values.tolist() == [
        estimates.clipped(value, *case.label_bounds, case.steps) for value, _ in found
    ]


@pytest.mark.parametrize("masks", MASKS)
@pytest.mark.parametrize("mechanism", CELL_MECHANISMS)
@pytest.mark.parametrize("splitter", SPLITTERS)
@settings(STYLE, max_examples=50)
@given(data=st.data())
def test_partition_reports_totals_and_estimate_equal_the_reference(
    splitter: str, mechanism: str, masks: str, data: st.DataObject
) -> None:
    """Whatever is held at a time: one person, a few, or all."""
    case, at_a_time = data.draw(cases(masks)), data.draw(st.sampled_from([ALL, 1, 7, 32]))
    fast, literal = run_fast(case, splitter, mechanism, at_a_time), run_literal(case, splitter, mechanism)
    assert fast.partition.histogram_features == tuple(literal.histogram)
    assert_same_tree(fast.partition.tree, literal.nodes)
    assert fast.partition.n_cells == len(literal.cells)
    assert_same_reports(case, fast, literal)
    sums = totals.tally(len(literal.cells), literal.labels, literal.candidates, literal.marked)
    assert_same_totals(fast.totals, sums, literal.labels)
    assert_same_estimate(case, fast, literal, sums, mechanism)


@pytest.mark.parametrize("splitter", SPLITTERS)
@settings(STYLE, max_examples=150)
@given(
    data=st.data(), n=st.integers(1, 6) | st.integers(20, 80), d=st.integers(1, 4), depth=st.integers(0, 5), seed=SEEDS
)
def test_tree_equals_the_reference_when_scores_tie(
    splitter: str, data: st.DataObject, n: int, d: int, depth: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    unit = np.clip(draw_unit(data.draw, rng, n, d), 0.0, 1.0)
    mask = draw_mask(data.draw, rng, n, d, MASKS["personalised"] + MASKS["aligned"])
    noisy = rng.integers(0, data.draw(st.sampled_from([1, 2, 3, 10**6])), n)
    features = sorted(data.draw(st.sets(st.integers(0, d - 1))))
    at_a_time = data.draw(st.sampled_from([ALL, 1, 7]))
    batches = [Samples(np.where(mask, np.nan, unit)[c], mask[c], noisy[c], c.start) for c in chunks(n, at_a_time)]
    scan = scan_over(*data.draw(st.permutations(batches)))
    tree = grow_tree(splitter, scan, tuple(features), depth, SeededSource(seed))
    people = trees.People(blanked(unit.tolist(), mask.tolist()), mask.tolist(), noisy.tolist())
    assert_same_tree(tree, grow_literal(splitter, people, features, depth, seed))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("splitter", "people", "ones", "sides"),
    [
        ("max-edge", 6, 2, [(3, 0), (2, 0)]),
        ("max-edge", 6, 4, [(3, 1), (4, 2)]),
        ("cart", 22, 11, [(10, 0), (10, 10)]),
        ("cart", 24, 6, [(10, 4), (10, 1)]),
    ],
)
def test_a_tie_that_floats_would_break_goes_to_the_lowest_feature(
    splitter: str, people: int, ones: int, sides: list[tuple[int, int]], swap: bool
) -> None:
    # The first `ones` people have label 1, the others 0. Each feature puts (people, ones among them) on its left.
    noisy = np.arange(people) < ones
    unit = np.full((people, 2), 0.75)
    for f, (left, left_ones) in enumerate(sides[::-1] if swap else sides):
        unit[:left_ones, f] = 0.25
        unit[ones : ones + left - left_ones, f] = 0.25
    mask = np.zeros_like(unit, dtype=np.bool_)
    scan = scan_over(Samples(unit, mask, noisy.astype(np.int64)))
    tree = grow_tree(splitter, scan, (0, 1), 1, SeededSource(0))
    crowd = trees.People(unit.tolist(), mask.tolist(), noisy.astype(int).tolist())
    assert tree.feature == (0, -1, -1)
    assert_same_tree(tree, grow_literal(splitter, crowd, [0, 1], 1, 0))


@pytest.mark.parametrize("mechanism", CELL_MECHANISMS)
@settings(STYLE, max_examples=100)
@given(case=st.one_of(cases(masks, max_people=40) for masks in MASKS))
def test_estimate_is_the_ratio_of_sums_of_the_printed_indicators(mechanism: str, case: Case) -> None:
    fast, literal = run_fast(case, "max-edge", mechanism), run_literal(case, "max-edge", mechanism)
    epsilon = budget_of(case).cell
    low, high = (Fraction(end) for end in case.label_bounds)
    step = (high - low) / case.steps
    indicator_of = cache(partial(indicators.indicator, mechanism, epsilon))
    for j, level in enumerate(fast.estimate.level.tolist()):
        ratio = indicators.ratio_in_cell(j, indicator_of, literal.labels, literal.candidates, literal.marked)
        assert abs(Fraction(fast.estimate.counts[j]) - ratio.count) <= CLOSE * ratio.count_size + UNDERFLOW
        if level == 0:  # not a fall-back
            exact = min(max(low + ratio.label_sum / ratio.count * step, low), high)
            scale = abs(low) + ratio.label_size / ratio.count * step  # of the terms: they may cancel
            assert abs(Fraction(fast.estimate.values[j]) - exact) <= CLOSE * scale + UNDERFLOW
