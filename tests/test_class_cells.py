"""Cells with classes: totals that add up, estimates without bias, shrinking, the strength, trees, stored reports."""

from __future__ import annotations

import itertools
from dataclasses import fields

import msgspec
import numpy as np
import pytest

from semildp import masks
from semildp.client import answer, enrol, ready
from semildp.curator.class_estimate import choose_strength
from semildp.curator.class_shrinking import Shares, effect_variance, levels, shrink_classes, to_simplices
from semildp.curator.class_totals import ClassSums, ClassTally
from semildp.curator.shrinking import to_simplex
from semildp.curator.waves import Asked, State
from semildp.partition import Partition, Samples, Tree, grow_tree, scan_over
from semildp.protocols import protocol_of
from semildp.protocols.asks import ask_class
from semildp.simulate import simulate
from semildp.sources import SeededSource, seeded_sources
from semildp.stored import fit_reports, open_reports, write_reports
from semildp.study import Classes, Feature, Number, Study
from semildp.wire.messages import Question

STUDY = Study(
    name="cells",
    epsilon=2.0,
    label=Classes(("a", "b", "c")),
    features=tuple(Feature(name, Number(0, 1)) for name in "xyz"),
    protocol="hist-of-tree-joint",
)
TREE = Tree((1, -1, -1), (0.5, 0.0, 0.0), (1, 0, 0))
CELLS = Partition(STUDY.bounds, (0,), (3,), TREE)
N = 6000


def crowd(n: int = N, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    y = np.digitize(X[:, 0] + X[:, 1] + 0.2 * rng.normal(size=n), [0.7, 1.3]).astype(float)
    return X, y, rng.uniform(size=(n, 3)) < 0.5


def totals_of(parts: int, seed: int = 1):
    """The same people's totals, added up in so many batches."""
    X, y, mask = crowd()
    people = ready(STUDY, X, y, mask, SeededSource(0))
    state = State(STUDY, enrol(people), {})
    question = Question(STUDY.digest, 2, (ask_class(STUDY, CELLS, 2.0, range(1, 7)),))
    sent = answer(STUDY, question, people, SeededSource(seed))
    tally, asked = ClassTally(question.asks[0], STUDY), Asked(question, np.arange(N))
    ends = np.linspace(0, N, parts + 1).astype(int)
    batches = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
    each = [tally(state.batch(asked, chosen, tuple(m[chosen] for m in sent))) for chosen in batches]
    whole = each[0]
    for other in each[1:]:
        whole = whole + other
    return whole, tally, X, y


def test_totals_are_the_same_bits_in_any_batches():
    one, *_ = totals_of(1)
    many, *_ = totals_of(7)
    for field in fields(one):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(many, field.name))
        assert getattr(one, field.name).dtype == np.int64
    assert one.people.sum() == N
    assert one.people.min() > 0.4 * N, "two halves"


def test_counts_of_cells_and_classes_have_no_bias_and_the_noise_that_is_stated():
    """All with one candidate more or less count by weight; 40 draws, |z| of 18 means below 4.6: one alarm in 10**4."""
    found, noise = [], []
    for seed in range(40):
        totals, tally, X, y = totals_of(1, seed)
        sums = ClassSums.of(totals, tally.unit)
        people = sums.counts.sum(axis=1)
        found.append(sums.counts - people[:, None] / 3)
        noise.append(sums.noise)
    rows, _, mask = crowd()
    sizes = CELLS.count(rows, mask)
    alone = tally._alone.total_noise
    weight = np.array([alone / tally.response(int(k)).total_noise for k in sizes])
    cell = CELLS.cell(X)
    true = np.stack([np.bincount(cell, weights=weight * ((y == c) - 1 / 3), minlength=6) for c in range(3)], axis=1)
    error = (np.mean(found, axis=0) - true) / np.sqrt(np.var(found, axis=0, ddof=1) / 40)
    assert np.abs(error).max() < 4.6
    assert 0.7 < np.mean(np.var(found, axis=0, ddof=1)) / np.mean(noise) < 1.1, "stated noise has the sampling in it"


def test_levels_are_bins_then_nodes_then_both():
    seen = list(levels(CELLS.tree, CELLS.bins))
    assert [each.tolist() for each in seen] == [
        [0, 1, 2, 0, 1, 2],
        [1, 1, 1, 2, 2, 2],
        [3, 4, 5, 6, 7, 8],
    ]


def test_what_noise_explains_is_not_added_and_what_it_does_not_is():
    start = Shares(np.full((6, 2), 0.5), np.full((6, 2), 0.01))
    people, noise = np.full(6, 1000.0), np.full((6, 2), 900.0)
    tilt = np.array([30.0, -30, 30, -30, 30, -30])[:, None] * [1, -1]
    same = shrink_classes(TREE, (3,), start, people, 500.0 + tilt, noise, 0.25)
    np.testing.assert_array_equal(same.values, start.values)
    tilt = np.array([300.0, 300, 300, -300, -300, -300])[:, None] * [1, -1]
    moved = shrink_classes(TREE, (3,), start, people, 500.0 + tilt, noise, 0.25)
    np.testing.assert_allclose(moved.values[:, 0], 0.5 + tilt[:, 0] / 1000, atol=0.01)
    assert (moved.variances < start.variances).all()
    assert effect_variance(np.zeros((3, 2)), np.zeros((3, 1)), np.ones((3, 2))) == 0.0


def test_rows_go_to_the_nearest_shares():
    rows = np.random.default_rng(0).normal(scale=0.6, size=(200, 4)) + 0.25
    np.testing.assert_allclose(to_simplices(rows), [to_simplex(row, 1.0) for row in rows], atol=1e-12)


def test_the_strength_is_0_where_reports_do_not_bear_an_estimate_out():
    prior, good = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])
    counts = 100 * good
    told = ClassSums(200.0, counts, np.full((2, 2), 5.0), np.full((2, 2), 5.0))
    assert choose_strength(prior, [(good, told)])[0] >= 0.9
    assert choose_strength(prior, [(good[::-1], told)]) == (0.0, 0.0)
    noisy = ClassSums(200.0, counts, np.full((2, 2), 1e5), np.full((2, 2), 1e5))
    assert choose_strength(prior, [(good, noisy)])[0] == 0.0


def test_the_strength_is_0_where_cells_are_the_prior_but_for_rounding():
    prior = np.array([0.3, 0.7])
    told = ClassSums(200.0, np.array([[30.0, 70.0], [20.0, 80.0]]), np.ones((2, 2)), np.full((2, 2), 1e-30))
    same = np.array([[0.3 - 1e-16, 0.7 + 2e-16], [0.3, 0.7]])
    assert choose_strength(prior, [(same, told), (same, told)]) == (0.0, 0.0)


def test_halves_that_judge_each_other_count_as_one():
    """Both gains are the same by luck or by truth: twice the gain has twice the standard error."""
    prior, found = np.array([0.5, 0.5]), np.array([[0.7, 0.3], [0.3, 0.7]])
    for noise in (40.0, 60.0, 80.0):
        told = ClassSums(100.0, 50 * found, np.full((2, 2), noise), np.full((2, 2), noise))
        assert choose_strength(prior, [(found, told)])[0] == choose_strength(prior, [(found, told)] * 2)[0]


def test_a_class_without_a_mark_has_the_noise_of_false_marks():
    """Each cell of n candidates' people leaves false marks of every class, by chance none."""
    totals, tally, *_ = totals_of(1)
    totals.marks[:, 0, 2] = totals.squares[:, 0, 2] = 0
    sums = ClassSums.of(totals, tally.unit)
    assert 0.1 < sums.squares[0, 2] / sums.squares[0, 0] < 1


@pytest.mark.parametrize("splitter", ["max-edge", "cart"])
def test_trees_split_where_all_classes_together_say_so(splitter):
    """One column is what one number per person is; of several, that which the classes differ along is split."""
    rng = np.random.default_rng(0)
    unit, mask = rng.uniform(size=(4000, 3)), np.zeros((4000, 3), dtype=bool)
    code = np.where(unit[:, 1] < 0.5, 0, rng.integers(1, 3, 4000))
    marks = np.eye(3, dtype=np.int64)[code]

    def grown(labels):
        return grow_tree(splitter, scan_over(Samples(unit, mask, labels)), (0, 1, 2), 1, SeededSource(0))

    assert grown(marks).feature[0] == 1
    assert grown(marks[:, :1]) == grown(marks[:, 0])
    halves = scan_over(Samples(unit[:999], mask[:999], marks[:999]), Samples(unit[999:], mask[999:], marks[999:], 999))
    assert grow_tree(splitter, halves, (0, 1, 2), 1, SeededSource(0)) == grown(marks)


@pytest.mark.parametrize(("protocol", "participation"), [("hist-of-tree-joint", "split"), ("hist-of-tree", "both")])
def test_stored_reports_give_the_same_model(protocol, participation, tmp_path):
    X, y, _ = crowd(600)
    document = {"protocol": protocol, "participation": participation}
    study = msgspec.structs.replace(STUDY, **document)
    made = protocol_of(study)
    result = simulate(study, X, y, masks.first(600, 3, 1), sources=seeded_sources(made.streams, 3), keep=True)
    model = fit_reports(open_reports(write_reports(result.state, tmp_path / "reports", seed=3)))
    assert model.to_json() == result.model.to_json()
