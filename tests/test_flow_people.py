"""Every person sends what the literal formula says for their words: nobody is spared the noise, first or fiftieth.

Words are recorded while a crowd answers, and each person's answer is worked out again from their own words, one person
at a time (tests/reference/senders.py), with epsilon, widths and levels as the question states them. The marks must be
the same, in the same order: the order is a public one, so that it cannot tell which mark is true.
"""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from semildp import client
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse, WindowResponse
from semildp.partition import Partition, Tree
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.messages import Question
from semildp.wire.problems import WireError
from tests.flow import literal
from tests.flow.literal import PARTITION, STUDY, N, answered, crowd, in_pairs
from tests.flow.recorded import Recorded, Replayed
from tests.reference import senders

X, Y, MASK = crowd()
KINDS = ["generalised", "subset", "paired"]
CENTRE = np.linspace(-0.3, 0.3, N)
HIDDEN = msgspec.structs.replace(STUDY, hide_mask=True)


def ready(mask=MASK, study=STUDY):
    return client.ready(study, X, Y, mask, SeededSource(1))


@pytest.mark.parametrize(("steps", "width"), [(1, 1), (3, 2), (64, 9), (64, 40)])
def test_labels_by_window_response(steps, width):
    heard, ask = Recorded(), literal.label_ask(steps, width)
    assert answered(ask, ready(), heard).value.tolist() == literal.window_labels(Y, ask, heard)


@pytest.mark.parametrize("steps", [1, 64, 1024])
def test_labels_with_laplace_noise(steps):
    heard, ask = Recorded(), literal.label_ask(steps, None)
    assert answered(ask, ready(), heard).value.tolist() == literal.laplace_labels(Y, ask, heard)


def test_what_is_enrolled_is_public_entries_and_masks():
    enrolled = client.enrol(ready())
    np.testing.assert_array_equal(enrolled.public, np.where(MASK, np.nan, X))
    np.testing.assert_array_equal(enrolled.mask, MASK)


def test_features_that_the_study_forces_are_private_for_everyone():
    data = msgspec.to_builtins(STUDY)
    data["features"][1]["private"] = True
    enrolled = client.enrol(ready(np.zeros_like(MASK), Study.from_dict(data)))
    np.testing.assert_array_equal(enrolled.mask, np.tile([False, True, False, False], (N, 1)))
    assert np.isnan(enrolled.public[:, 1]).all()


@pytest.mark.parametrize("kind", ["generalised", "binary"])
def test_where_masks_are_hidden_answers_do_not_depend_on_them_nor_on_public_features(kind):
    enrolled = client.enrol(ready(MASK, HIDDEN))
    assert np.isnan(enrolled.public).all()
    assert enrolled.mask.all()
    question = Question(HIDDEN.digest, 1, (literal.cell_ask(kind),))
    (sent,) = client.answer(HIDDEN, question, ready(MASK, HIDDEN), Recorded())
    same = answered(literal.cell_ask(kind), ready(np.ones_like(MASK)), Recorded())
    assert in_pairs(sent) == in_pairs(same)


@pytest.mark.parametrize("kind", ["generalised", "binary"])
def test_cells(kind):
    heard, ask = Recorded(), literal.cell_ask(kind)
    assert in_pairs(answered(ask, ready(), heard)) == literal.cell_marks(ask, X, MASK, heard)


@pytest.mark.parametrize(("kind", "width"), [("generalised", None), ("subset", None), ("subset", 5), ("paired", None)])
def test_cells_and_residuals_together(kind, width):
    """Some hide nothing: their only candidate is public knowledge, and the residual has all of epsilon."""
    people = ready(MASK & (np.arange(N)[:, None] % 5 > 0))
    heard, ask = Recorded(), literal.pair_ask(kind, PARTITION, width)
    sent = answered(ask, people, heard, centres=CENTRE)
    assert 1 in {len(possible) for possible in literal.candidate_cells(PARTITION, X, people.mask)}
    assert in_pairs(sent) == literal.pair_marks(ask, PARTITION, people, CENTRE, heard)


@pytest.mark.parametrize("feature", [0, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_one_feature_and_the_residual(kind, feature):
    """The bin of a number, or the value of a category; the question's own centre is taken off every label."""
    partition = Partition(STUDY.bounds, (feature,), (3 if feature == 3 else 4,), Tree())
    heard, ask, people = Recorded(), literal.pair_ask(kind, partition), ready()
    sent = answered(ask, people, heard, centre=0.35)
    assert in_pairs(sent) == literal.pair_marks(ask, partition, people, np.full(N, 0.35), heard)


@pytest.mark.parametrize("partition", [PARTITION, Partition(STUDY.bounds, (), (), Tree())], ids=["cells", "alone"])
@pytest.mark.parametrize(("kind", "width"), [("generalised", None), ("subset", None), ("subset", 5)])
def test_cells_and_classes_together(kind, width, partition):
    """Some hide nothing: their only candidate is public knowledge, and the class has all of epsilon."""
    mask, own = MASK & (np.arange(N)[:, None] % 5 > 0), np.rint(2 * Y)
    people = client.ready(literal.CLASSES, X, own, mask, SeededSource(1))
    heard, ask = Recorded(), literal.class_ask(kind, partition, width)
    sent = answered(ask, people, heard)
    np.testing.assert_array_equal(people.labels, own)
    assert in_pairs(sent) == literal.class_marks(ask, partition, people, heard)


SIGNED = [((0,), (4,), 3), ((3,), (3,), 2), ((2, 0), (3, 5), 4), ((3, 1), (3, 4), 3)]


@pytest.mark.parametrize(("features", "bins", "levels"), SIGNED)
@pytest.mark.parametrize("study", [STUDY, HIDDEN], ids=["masks shown", "masks hidden"])
def test_residuals_turned_round(features, bins, levels, study):
    """By a number, a category, or two features; whether a person hides them makes no difference."""
    partition = Partition(STUDY.bounds, features, bins, Tree())
    heard, ask, people = Recorded(), literal.signed_ask(partition, levels), ready(MASK, study)
    (sent,) = client.answer(study, Question(study.digest, 1, (ask,)), people, heard, CENTRE)
    assert sent.value.tolist() == literal.signed_levels(ask, people, CENTRE, heard)
    assert set(sent.count.tolist()) == {1}


def test_residuals_turned_round_around_the_question_s_centre():
    partition = Partition(STUDY.bounds, (0, 3), (2, 3), Tree())
    heard, ask, people = Recorded(), literal.signed_ask(partition), ready()
    sent = answered(ask, people, heard, centre=0.35)
    assert sent.value.tolist() == literal.signed_levels(ask, people, np.full(N, 0.35), heard)


def test_bins_of_hidden_features():
    heard, ask = Recorded(), literal.bins_ask()
    sent = answered(ask, ready(), heard)
    assert in_pairs(sent) == literal.bin_marks(ask, X, MASK, heard)
    assert sent.count.tolist() == MASK.sum(axis=1).tolist()


def test_histograms():
    heard, ask, people = Recorded(), literal.histogram_ask(16), ready()[slice(0, 60)]
    sent = answered(ask, people, heard)
    assert sent.value.tolist() == literal.histogram_numbers(ask, X[:60], Y[:60], heard)
    assert set(sent.count.tolist()) == {2 * PARTITION.n_cells}


def test_several_asks_are_answered_one_after_the_other():
    label, bins = literal.label_ask(8, 3), literal.bins_ask()
    heard = Recorded()
    both = client.answer(STUDY, Question(STUDY.digest, 1, (label, bins)), ready(), heard)
    apart = Replayed(heard.calls)
    assert [marks.value.tolist() for marks in both] == [
        answered(ask, ready(), apart).value.tolist() for ask in (label, bins)
    ]
    assert not apart.left


def test_asks_that_together_cost_more_than_the_study_s_epsilon_are_not_answered():
    label = literal.label_ask(8, 3)
    most = int(STUDY.epsilon // label.epsilon)
    for n, source in ((most, Recorded()), (most + 1, Replayed([]))):  # nothing is drawn for the second
        question = Question(STUDY.digest, 1, (label,) * n)
        if n == most:
            assert len(client.answer(STUDY, question, ready(), source)) == most
        else:
            with pytest.raises(WireError, match="too-costly"):
                client.answer(STUDY, question, ready(), source)


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_alone_sends_what_they_send_in_the_crowd_pairs(kind):
    partition = Partition(STUDY.bounds, (0,), (4,), Tree())
    everyone = np.ones_like(MASK)
    heard, ask, people = Recorded(), literal.pair_ask(kind, partition), ready(everyone)
    crowd_s = answered(ask, people, heard, centres=CENTRE)
    for i in range(N):
        alone = Replayed([call[i : i + 1] for call in heard.calls])
        own = answered(ask, people[slice(i, i + 1)], alone, centres=CENTRE[i : i + 1])
        assert not alone.left
        assert own.value.tolist() == crowd_s.of(i)


def test_a_person_alone_sends_what_they_send_in_the_crowd_residuals_turned_round():
    partition = Partition(STUDY.bounds, (0, 3), (4, 3), Tree())
    heard, ask, people = Recorded(), literal.signed_ask(partition), ready()
    crowd_s = answered(ask, people, heard, centres=CENTRE)
    for i in range(0, N, 5):
        alone = Replayed([call[i : i + 1] for call in heard.calls])
        own = answered(ask, people[slice(i, i + 1)], alone, centres=CENTRE[i : i + 1])
        assert not alone.left
        assert own.value.tolist() == crowd_s.of(i)


def test_a_person_alone_sends_what_they_send_in_the_crowd_labels_and_cells():
    people = ready()
    for ask in (literal.label_ask(8, 3), literal.cell_ask("generalised")):
        heard = Recorded()
        crowd_s = answered(ask, people, heard)
        for i in range(N):
            alone = Replayed([call[i : i + 1] for call in heard.calls])
            assert answered(ask, people[slice(i, i + 1)], alone).of(0) == crowd_s.of(i)


def test_missing_private_entries_are_drawn_for_each_person_afresh():
    """Every missing entry is low + u (high - low) with a word of its own, row after row; what is there stays."""
    heard, low, high = Recorded(), STUDY.bounds.low, STUDY.bounds.high
    rows = np.where(MASK & (np.random.default_rng(0).uniform(size=X.shape) < 0.5), np.nan, X)
    filled = client.complete_rows(STUDY.bounds, rows, MASK, heard)
    words = iter(heard.flat())
    for i in range(N):
        for f in range(4):
            word = next(words) if MASK[i, f] else 0
            drawn = low[f] + word / 2.0**64 * (high[f] - low[f])
            assert filled[i, f] == (drawn if np.isnan(rows[i, f]) else X[i, f])
    assert next(words, None) is None


def test_missing_labels_are_drawn_for_each_person_afresh():
    """A device clips: a missing label is low + u (high - low), with a word for everybody, missing or not."""
    labels_given = np.where(np.arange(N) % 3 == 0, np.nan, 4 * Y - 1)
    heard = Recorded()
    made = client.check_labels(LabelGrid(0.0, 1.0, 8), labels_given, heard, clip=True)
    words = heard.flat()
    assert len(words) == N
    for i in range(N):
        given = min(max(float(labels_given[i]), 0.0), 1.0)
        assert made[i] == (words[i] / 2.0**64 if np.isnan(labels_given[i]) else given)


@pytest.mark.parametrize("n", [1, 2, 49, 50, 51, 99, 100, 101, 1000, 1001, 5000])
def test_crowds_of_every_size_one_value_or_another(n):
    """Under words of 0 everything is replaced: whoever were left out would stand out, at whatever place."""
    replace_all = np.zeros((n, 3), dtype=np.uint64)
    assert WindowResponse(1.0, 9).randomise(np.full(n, 9), Replayed([replace_all])).tolist() == [0] * n
    assert GeneralisedResponse(1.0, 9).randomise(np.full(n, 8), Replayed([replace_all[:, :2]])).tolist() == [0] * n
    heard, values = Recorded(), np.arange(n) % 10
    noisy = DiscreteLaplace(0.5, 9).randomise(values, heard)
    assert noisy.tolist() == senders.laplace(values.tolist(), 0.5, 9, iter(heard.flat()).__next__)
