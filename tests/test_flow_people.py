"""Every person sends what the literal formula says for their words: nobody is spared the noise, first or fiftieth.

Words are recorded while a crowd reports, and each person's report is worked out again from their own words, one person
at a time (tests/reference/senders.py). The marks must be the same, in the same order: the order is a public one, so
that it cannot tell which mark is true.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp import client
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse, WindowResponse
from tests.flow import literal
from tests.flow.literal import BUDGET, N, crowd, joint_question, pair_question, study
from tests.flow.recorded import Recorded, Replayed
from tests.reference import cells, labels, senders
from tests.reports import BOUNDS, EPSILON, PARTITION

X, Y, MASK = crowd()
KINDS = ["generalised", "subset", "paired"]
JOINT_EPSILONS = [0.5, EPSILON, 4.0]


@pytest.mark.parametrize("steps", [1, 3, 64])
def test_labels_by_window_response(steps):
    heard, grid = Recorded(), LabelGrid(0.0, 1.0, steps)
    sent = client.randomise_labels(grid, Y, EPSILON, heard, "window")
    assert sent.tolist() == literal.window_labels(Y, steps, EPSILON, heard)


@pytest.mark.parametrize("steps", [1, 64, 1024])
def test_labels_with_laplace_noise(steps):
    heard, grid = Recorded(), LabelGrid(0.0, 1.0, steps)
    assert client.randomise_labels(grid, Y, EPSILON, heard).tolist() == literal.laplace_labels(Y, steps, EPSILON, heard)


@pytest.mark.parametrize("mechanism", ["window", "laplace"])
def test_label_reports_spend_the_label_s_part_and_show_what_is_public(mechanism):
    heard, asked = Recorded(), study(mechanism)
    report = client.report_labels(asked, X, Y, MASK, heard)
    written_out = literal.window_labels if mechanism == "window" else literal.laplace_labels
    assert report.labels.tolist() == written_out(Y, asked.label_grid.steps, BUDGET.label, heard)
    np.testing.assert_array_equal(report.public, np.where(MASK, np.nan, X))
    np.testing.assert_array_equal(report.mask, MASK)


@pytest.mark.parametrize("kind", ["grr", "rr"])
def test_where_masks_are_hidden_reports_do_not_depend_on_them_nor_on_public_features(kind):
    asked, everything = replace(study("window", kind), hide_mask=True), np.ones_like(MASK)
    report = client.report_labels(asked, X, Y, MASK, Recorded())
    assert np.isnan(report.public).all()
    assert report.mask.all()
    sent = client.report_cells(asked, PARTITION, X, MASK, Recorded())
    same = client.report_cells(study("window", kind), PARTITION, X, everything, Recorded())
    np.testing.assert_array_equal(sent.cell, same.cell)
    np.testing.assert_array_equal(sent.person, same.person)


@pytest.mark.parametrize("kind", ["grr", "rr"])
def test_cells(kind):
    heard = Recorded()
    report = client.report_cells(study("window", kind), PARTITION, X, MASK, heard)
    sent = list(zip(report.person.tolist(), report.cell.tolist(), strict=True))
    assert sent == literal.cell_marks(kind, X, MASK, heard)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_and_the_choice_of_the_feature(kind):
    heard, asked = Recorded(), pair_question(kind)
    report = client.report_pairs(asked, X, Y - 0.5, MASK, heard)
    chosen, marks = literal.pair_marks(asked, X, Y - 0.5, MASK, heard)
    assert report.feature.tolist() == chosen
    assert list(zip(report.person.tolist(), report.value.tolist(), strict=True)) == marks


@pytest.mark.parametrize("epsilon", JOINT_EPSILONS)
def test_cells_and_residuals_together(epsilon):
    """Some hide nothing: their only candidate is public knowledge, and the residual has all of epsilon."""
    heard, asked, mask = Recorded(), joint_question(epsilon), MASK & (np.arange(N)[:, None] % 5 > 0)
    report = client.report_joint(asked, X, Y, mask, heard)
    assert 1 in {len(possible) for possible in literal.candidate_cells(X, mask)}
    sent = list(zip(report.person.tolist(), report.cell.tolist(), report.level.tolist(), strict=True))
    assert sent == literal.joint_marks(asked, X, Y, mask, heard)


def test_obfuscated_features():
    heard, bins, grid = Recorded(), 3, LabelGrid(0.0, 1.0, 64)
    sent, noisy = client.randomise_features(BOUNDS, grid, X, Y, MASK, bins, EPSILON, heard)
    flat = iter(heard.flat())
    expected, found = X.copy(), np.empty(N, dtype=np.int64)
    for m in sorted(set(MASK.sum(axis=1).tolist())):
        people = [i for i in range(N) if MASK[i].sum() == m]
        points = [labels.grid_point(float(Y[i]), 0.0, 1.0, 64) for i in people]
        found[people] = senders.laplace(points, EPSILON / (m + 1), 64, flat.__next__)
        for i in people:
            for f in np.flatnonzero(MASK[i]):
                words = [next(flat), next(flat)]
                own = cells.bin_of(float(X[i, f]), bins)
                expected[i, f] = (senders.generalised(own, EPSILON / (m + 1), bins, words) + 0.5) / bins
    assert next(flat, None) is None
    np.testing.assert_array_equal(noisy, found)
    np.testing.assert_array_equal(sent, expected)


def test_histograms():
    n, steps, heard = 60, 16, Recorded()
    cell, n_cells = PARTITION.cell(X[:n]), PARTITION.n_cells
    mass, label = client.report_histogram(LabelGrid(0.0, 1.0, steps), cell, Y[:n], n_cells, EPSILON, heard)
    next_word = iter(heard.flat()).__next__
    people, all_cells = range(n), range(n_cells)
    true_mass = [steps * (j == cell[i]) for i in people for j in all_cells]
    true_label = [
        labels.grid_point(float(Y[i]), 0.0, 1.0, steps) if j == cell[i] else steps // 2
        for i in people
        for j in all_cells
    ]
    assert mass.reshape(-1).tolist() == senders.laplace(true_mass, EPSILON / 4, steps, next_word)
    noisy = senders.laplace(true_label, EPSILON / 2, steps, next_word)
    assert label.reshape(-1).tolist() == [value - steps // 2 for value in noisy]


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_alone_sends_what_they_send_in_the_crowd_pairs(kind):
    heard, asked = Recorded(), pair_question(kind)
    report = client.report_pairs(asked, X, Y - 0.5, MASK, heard)
    for i in range(N):
        alone = Replayed([call[i : i + 1] for call in heard.calls])
        own = client.report_pairs(asked, X[i : i + 1], Y[i : i + 1] - 0.5, MASK[i : i + 1], alone)
        assert not alone.left
        assert own.feature.tolist() == [report.feature[i]]
        assert own.value.tolist() == report.value[report.person == i].tolist()


def test_a_person_alone_sends_what_they_send_in_the_crowd_labels_and_cells():
    heard_label, heard_cell, asked = Recorded(), Recorded(), study("window")
    label = client.report_labels(asked, X, Y, MASK, heard_label).labels
    cell = client.report_cells(asked, PARTITION, X, MASK, heard_cell).cell
    for i in range(N):
        one = slice(i, i + 1)
        words = [call[one] for call in heard_label.calls]
        assert client.report_labels(asked, X[one], Y[one], MASK[one], Replayed(words)).labels[0] == label[i]
        words = [call[one] for call in heard_cell.calls]
        assert client.report_cells(asked, PARTITION, X[one], MASK[one], Replayed(words)).cell[0] == cell[i]


def test_missing_private_entries_are_drawn_for_each_person_afresh():
    """Every missing entry is low + u (high - low) with a word of its own, row after row; what is there stays."""
    heard = Recorded()
    rows = np.where(MASK & (np.random.default_rng(0).uniform(size=X.shape) < 0.5), np.nan, X)
    filled = client.complete_rows(BOUNDS, rows, MASK, heard)
    words = iter(heard.flat())
    for i in range(N):
        for f in range(3):
            word = next(words) if MASK[i, f] else None
            assert filled[i, f] == (word / 2.0**64 if np.isnan(rows[i, f]) else X[i, f])
    assert next(words, None) is None


def test_missing_labels_are_drawn_for_each_person_afresh():
    """A device clips: a missing label is low + u (high - low), with a word for everybody, missing or not."""
    labels_given = np.where(np.arange(N) % 3 == 0, np.nan, 4 * Y - 1)
    heard = Recorded()
    ready = client.check_labels(LabelGrid(0.0, 1.0, 8), labels_given, heard, clip=True)
    words = heard.flat()
    assert len(words) == N
    for i in range(N):
        given = min(max(float(labels_given[i]), 0.0), 1.0)
        assert ready[i] == (words[i] / 2.0**64 if np.isnan(labels_given[i]) else given)


@pytest.mark.parametrize("n", [1, 2, 49, 50, 51, 99, 100, 101, 1000, 1001, 5000])
def test_crowds_of_every_size_one_value_or_another(n):
    """Under words of 0 everything is replaced: whoever were left out would stand out, at whatever place."""
    replace_all = np.zeros((n, 3), dtype=np.uint64)
    assert WindowResponse(1.0, 9).randomise(np.full(n, 9), Replayed([replace_all])).tolist() == [0] * n
    assert GeneralisedResponse(1.0, 9).randomise(np.full(n, 8), Replayed([replace_all[:, :2]])).tolist() == [0] * n
    heard, values = Recorded(), np.arange(n) % 10
    noisy = DiscreteLaplace(0.5, 9).randomise(values, heard)
    assert noisy.tolist() == senders.laplace(values.tolist(), 0.5, 9, iter(heard.flat()).__next__)
