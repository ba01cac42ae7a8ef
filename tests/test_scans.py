"""All that a curator does with reports is to scan them: any batches, in any order, add up to the same bits."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np
import pytest

from semildp import simulate as simulation
from semildp.backends import chunks
from semildp.client import answer, enrol
from semildp.curator import tally_cells, tally_joint
from semildp.curator.partitioning import grow_partition
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.mechanisms import PairResponse
from semildp.partition import Samples, Shape, grow_tree, scan_over
from semildp.partition.sampling import sample_of
from semildp.protocols import PrivateHistogram
from semildp.protocols.asks import ask_cell
from semildp.sources import SeededSource
from tests.asking import PARTITION, ask_pair, crowd, joint_terms, question_of, study_of

N = 300
STUDY = study_of()
PEOPLE = crowd(STUDY, N)
LABELS = np.random.default_rng(1).integers(-500, 1500, N)
JOINT = joint_terms(STUDY, 2.0)


def bits(totals):
    """Totals of any kind as plain numbers, types included."""
    if dataclasses.is_dataclass(totals):
        return {f.name: bits(getattr(totals, f.name)) for f in dataclasses.fields(totals)}
    return (totals.dtype.str, totals.tolist()) if isinstance(totals, np.ndarray) else totals


def wave_of(kind, people):
    """A wave whose reports are added up as they arrive: cells by two mechanisms, cells with residuals, vectors."""
    if kind == "histogram":
        hiding = study_of(hide=True)
        state = State(hiding, enrol(crowd(hiding, N)), {})
        (asked,) = PrivateHistogram().next(state).asked
        question, tally = asked.question, PrivateHistogram().next(state).tally
    elif kind == "joint":
        question = question_of(STUDY, JOINT.ask(enrol(PEOPLE)))

        def tally(batch):
            return tally_joint(JOINT, batch.enrolled, batch.answers[0])
    else:
        question = question_of(STUDY, ask_cell(PARTITION, kind, 2.0, enrol(PEOPLE)))

        def tally(batch):
            return tally_cells(PARTITION, batch.enrolled, LABELS[batch.people], batch.answers[0])

    half = len(people) // 3
    return Wave("x", (Asked(question, people[:half]), Asked(question, people[half:])), tally)


def study_for(kind):
    return study_of(hide=True) if kind == "histogram" else STUDY


def kept_of(kind, people):
    """Everybody's reports, kept."""
    study = study_for(kind)
    wave, crowd_ = wave_of(kind, people), crowd(study, N)
    answers = tuple(answer(study, a.question, crowd_[a.people], SeededSource(i)) for i, a in enumerate(wave.asked))
    return State(study, enrol(crowd_), {}, [Collected(dataclasses.replace(wave, tally=None), answers)]), wave


KINDS = ["grr", "rr", "joint", "histogram"]


@pytest.mark.parametrize("size", [1, 7, 64, 250, 10**6])
@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_in_any_batches_gives_the_same_bits(kind, size, monkeypatch):
    state, wave = kept_of(kind, np.arange(N))
    whole = bits(state.scan(0, wave.tally))
    seen = []
    monkeypatch.setattr("semildp.curator.waves.chunks", partial(chunks, size=size))

    def watched(batch):
        seen.append(len(batch.people))
        return wave.tally(batch)

    assert bits(state.scan(0, watched)) == whole
    assert sum(seen) == N
    assert max(seen) <= size


@pytest.mark.parametrize("kind", KINDS)
def test_people_may_come_in_any_order(kind):
    """The same reports, of people asked in another order and divided among questions in another way."""
    state, wave = kept_of(kind, np.arange(N))
    whole = bits(state.scan(0, wave.tally))
    (done,) = state.done
    rows = [row for sent in done.answers for row in (sent[0].of(i) for i in range(len(sent[0])))]
    order = np.random.default_rng(2).permutation(N)
    question = wave.asked[0].question
    asked, answers = [], []
    for people in np.split(order, [10, 11, 200]):
        sent = [rows[i] for i in people]
        marks = type(done.answers[0][0])(
            np.array([len(row) for row in sent]), np.array([v for row in sent for v in row], dtype=np.int64)
        )
        asked.append(Asked(question, people))
        answers.append((marks,))
    again = State(state.study, state.enrolled, {}, [Collected(Wave("x", tuple(asked)), tuple(answers))])
    assert bits(again.scan(0, wave.tally)) == whole


class Replay:
    """Devices that send again what they sent before, a batch at a time."""

    def __init__(self, done):
        self.done, self.which, self.start, self.sizes = done, 0, 0, []

    def __call__(self, study, question, people, source, centres=None):
        sent = self.done.answers[self.which]
        chosen = slice(self.start, self.start + len(people))
        self.start += len(people)
        self.sizes.append(len(people))
        if self.start == len(sent[0]):
            self.which, self.start = self.which + 1, 0
        return tuple(marks[chosen] for marks in sent)


@pytest.mark.parametrize("size", [1, 13, 10**6])
@pytest.mark.parametrize("kind", KINDS)
def test_adding_up_on_arrival_is_a_scan_over_what_would_have_been_kept(kind, size, monkeypatch):
    state, wave = kept_of(kind, np.arange(N)[::-1])
    replay = Replay(state.done[0])
    monkeypatch.setattr(simulation, "CHUNK", size)
    monkeypatch.setattr(simulation, "answer", replay)
    collected = simulation._collect(state, wave, crowd(state.study, N), SeededSource(0))
    assert collected.answers == ()
    assert sum(replay.sizes) == N
    assert max(replay.sizes) <= size
    assert bits(collected.totals) == bits(state.scan(0, wave.tally))


def test_vectors_are_held_a_million_numbers_at_a_time(monkeypatch):
    """Batches follow from how many numbers a report has; with room for 50 numbers two people of 12 cells fit."""
    state, wave = kept_of("histogram", np.arange(N))
    replay = Replay(state.done[0])
    monkeypatch.setattr(simulation, "_NUMBERS", 50)
    monkeypatch.setattr(simulation, "answer", replay)
    collected = simulation._collect(state, wave, crowd(state.study, N), SeededSource(0))
    assert max(replay.sizes) * PrivateHistogram()._partition(state.study).n_cells <= 50
    assert bits(collected.totals) == bits(state.scan(0, wave.tally))


def test_a_batch_has_the_centres_and_public_features_of_its_people(monkeypatch):
    """Positions, centres, what is public and the reports belong together, whatever the order and the batches."""
    monkeypatch.setattr("semildp.curator.waves.chunks", partial(chunks, size=7))
    people = np.random.default_rng(0).permutation(N)[:100]
    question = question_of(STUDY, ask_pair(STUDY, 0, PairResponse(2.0, 4, 2, "paired")))
    asked = Asked(question, people, people * 1.0)
    sent = answer(STUDY, question, PEOPLE[people], SeededSource(0), asked.centres)
    state = State(STUDY, enrol(PEOPLE), {}, [Collected(Wave("x", (asked,)), (sent,))])
    place, seen = {int(p): i for i, p in enumerate(people)}, []

    def tally(batch):
        assert batch.asked is asked
        np.testing.assert_array_equal(batch.centres, batch.people)
        np.testing.assert_array_equal(batch.enrolled.mask, PEOPLE.mask[batch.people])
        np.testing.assert_array_equal(batch.enrolled.public, enrol(PEOPLE).public[batch.people])
        for i, person in enumerate(batch.people):
            assert batch.answers[0].of(i) == sent[0].of(place[int(person)])
        seen.extend(batch.people.tolist())
        return len(batch.people)

    assert state.scan(0, tally) == 100
    assert seen == people.tolist()


def test_nobody_asked_is_an_empty_batch():
    state, wave = kept_of("grr", np.arange(0))
    totals = state.scan(0, wave.tally)
    assert totals.n_people == 0
    assert not totals.people.marks.any()


@pytest.mark.parametrize("size", [1, 10, 77])
@pytest.mark.parametrize("splitter", ["max-edge", "cart"])
def test_a_tree_is_the_same_however_it_is_scanned(splitter, size, monkeypatch):
    enrolled = enrol(PEOPLE)
    shape = Shape(1, 3, 2)
    expected = grow_partition(STUDY, enrolled, LABELS, shape, splitter, SeededSource(0))
    monkeypatch.setattr("semildp.curator.partitioning.CHUNK", size)
    assert grow_partition(STUDY, enrolled, LABELS, shape, splitter, SeededSource(0)) == expected
    assert expected.tree.n_leaves > 2


def batches_of(size):
    unit = STUDY.bounds.scale(enrol(PEOPLE).public)
    return [Samples(unit[c], PEOPLE.mask[c], LABELS[c], c.start) for c in chunks(N, size)]


@pytest.mark.parametrize("size", [1, 10, 77])
def test_a_bounded_sample_holds_the_same_people_in_any_batches(size, monkeypatch):
    """50 of 300, chosen by hash; the tree that is grown from it is the same as well, last batch first."""
    features = np.arange(3)
    whole = scan_over(*batches_of(N))(lambda samples: sample_of(samples, features, 50))
    parts = scan_over(*batches_of(size)[::-1])(lambda samples: sample_of(samples, features, 50))
    assert len(whole.key) == len(parts.key) == 50
    for sample in (whole, parts):
        assert (np.diff(np.sort(sample.key).astype(float)) > 0).all()
    one, other = (sample.rows[np.argsort(sample.key)] for sample in (whole, parts))
    np.testing.assert_array_equal(one, other)
    monkeypatch.setattr("semildp.partition.cart.MOST_SAMPLED", 50)
    trees = [
        grow_tree("cart", scan_over(*batches), (0, 1, 2), 3, SeededSource(0))
        for batches in (batches_of(N), batches_of(size), batches_of(size)[::-1])
    ]
    assert trees[0] == trees[1] == trees[2]
    assert trees[0].n_leaves > 1
