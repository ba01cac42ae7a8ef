"""Both waves together keep epsilon: every private input, every label report and partition, every cell report.

The enumeration in `battery.joint` is exact and goes through the device's code to the bytes that travel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp.audit.statistics import assert_counts
from semildp.client import People, answer, ready
from semildp.mechanisms import LABEL_MECHANISMS, GeneralisedResponse, WindowResponse
from semildp.sources import SeededSource
from semildp.wire.codec import decode
from semildp.wire.forms import mechanism_message
from semildp.wire.messages import AskBins, AskLabel, Enrolment, Question
from semildp.wire.people import read_enrolment
from tests.battery.joint import EPSILON, GRID, LABELS, SETTINGS, Bools, World, build_world, worst_joint_ratio
from tests.battery.travels import Law, counts_of, law_of, worst_log_ratio

MECHANISMS = ("grr", "rr")
PEOPLE = 20_000


@pytest.mark.parametrize("splitter", ["max-edge", "cart", "random"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_both_rounds_together_keep_epsilon(setting: str, mechanism: str, splitter: str) -> None:
    """Without tolerance. And they use it: the worst pair comes within 1 %, so the enumeration looks where it counts."""
    worst, partitions = worst_joint_ratio(build_world(setting, mechanism, splitter))
    assert worst <= EPSILON
    assert worst >= 0.99 * EPSILON
    depends = not setting.startswith("hidden") and splitter != "random"
    assert (partitions > 1) == depends, "The partition should depend on the label report here, and only here."


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_bounded_label_report_keeps_epsilon_too(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism, label="window"))
    assert 0.99 * EPSILON <= worst <= EPSILON


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_client_that_spends_epsilon_twice_is_seen(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism, epsilons=(EPSILON, EPSILON)))
    assert worst > 1.99 * EPSILON


def _as_if_public(people: People, own: Bools) -> People:
    """Judge candidates from the first private feature too."""
    return People(people.rows, people.labels, people.mask & np.array([False, True, True]))


def _by_own_mask(people: People, own: Bools) -> People:
    """Judge candidates by the person's own mask where it should be hidden."""
    return People(people.rows, people.labels, own)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_candidates_that_depend_on_private_values_are_seen(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism), _as_if_public)
    assert worst == np.inf


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", ["hidden", "hidden, category"])
def test_candidates_that_depend_on_a_hidden_mask_are_seen(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism), _by_own_mask)
    assert worst == np.inf


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_word_for_each_interval_stands_for_all_of_it(setting: str, mechanism: str) -> None:
    """The first word of every interval gives the same law as the last, for labels and cells."""
    world = build_world(setting, mechanism, label="window")
    row, mask = world.rows[-1], world.masks[-1]
    cell, label = world.ask_cell(world.partition(0)), world.ask_label()
    for question, labels in ((cell, (0.0,)), (label, LABELS)):
        for y in labels:
            first, last = (law_of(world.study, question, row, y, mask, last=end) for end in (False, True))
            assert first == last


@pytest.mark.parametrize("setting", SETTINGS)
def test_several_asks_in_one_question_cost_their_sum(setting: str) -> None:
    """Label and bins of all hidden features, in one report: enumerated together."""
    world = build_world(setting)
    hidden = 3 if setting.startswith("hidden") else int(world.masks[0].sum())
    part = EPSILON / 4
    responses = tuple(mechanism_message(GeneralisedResponse(part, n or 2)) for n in world.study.n_values)
    label = AskLabel(GRID.low, GRID.high, "random", mechanism_message(WindowResponse(part, 1)), part)
    question = Question(world.study.digest, 1, (label, AskBins(responses, part)))
    inputs = zip(world.rows, world.masks, strict=True)
    laws = [law_of(world.study, question, row, y, mask) for row, mask in inputs for y in (-1.0, 0.3, 1.0)]
    assert 0.99 * (1 + hidden) * part <= worst_log_ratio(laws) <= (1 + hidden) * part


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_sent_beside_the_label_is_the_same_for_all_inputs(setting: str) -> None:
    """Byte for byte; a private entry that is missing or absurd makes no difference either."""
    world = build_world(setting)
    sent = world.enrolment(0)
    mask = read_enrolment(world.study, decode(sent, Enrolment)).mask
    if setting.startswith("hidden"):
        assert mask.all()
    for strange in (None, np.nan, np.inf, -1e300):
        rows = world.rows if strange is None else np.where(mask, strange, world.rows)
        for which in range(len(rows)):
            for label in (-1.0, 1.0, np.nan):
                assert replace(world, rows=rows).enrolment(which, label) == sent


@pytest.mark.parametrize("splitter", ["max-edge", "cart", "random"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_candidate_sets_do_not_depend_on_private_values(setting: str, splitter: str) -> None:
    world = build_world(setting, "grr", splitter)
    sent = read_enrolment(world.study, decode(world.enrolment(0), Enrolment))
    for z in (-40, 0, 44):
        partition = world.partition(z)
        expected = partition.candidates(sent.public, sent.mask).cells()[1].tolist()
        for strange in (None, np.nan, np.inf, -1e300):
            rows = world.rows if strange is None else np.where(sent.mask, strange, world.rows)
            candidates = partition.candidates(rows, np.repeat(sent.mask, len(rows), axis=0))
            person, cell = candidates.cells()
            assert all(cell[person == i].tolist() == expected for i in range(len(rows)))
            assert (partition.count(rows, np.repeat(sent.mask, len(rows), axis=0)) == len(expected)).all()
        assert np.isin(partition.cell(world.rows), expected).all()


def _check_client(world: World, acting: World, laws: list[Law]) -> None:
    """Hold a client that acts in one world against the laws of another, at partition 0; false alarm at most 1e-6."""
    question, asked = (w.ask_cell(world.partition(0)) for w in (world, acting))
    missing, source, count = SeededSource(7), SeededSource(8), []
    for i, law in enumerate(laws):
        alike = np.full(PEOPLE, i)
        people = ready(world.study, world.rows[alike], np.zeros(PEOPLE), world.masks[alike], missing)
        count.append(counts_of(question, answer(world.study, asked, people, source), law))
    chances = np.array([[float(p) for p in law.values()] for law in laws])
    assert_counts(np.array(count), PEOPLE, chances, "(input, cell report) is not sent as often as enumerated")


def _check_labels(world: World, acting: World) -> None:
    """The same for label reports, at every point of the label grid; false alarm at most 5e-6."""
    mechanism = LABEL_MECHANISMS[world.label](world.epsilons[0], GRID.steps)
    zs = np.arange(-60, GRID.steps + 61)
    for point in range(GRID.steps + 1):
        everyone = np.zeros(PEOPLE, dtype=np.int64)
        labels = np.full(PEOPLE, GRID.decode(np.array([point]))[0])
        people = ready(world.study, world.rows[everyone], labels, world.masks[everyone], SeededSource(7))
        (sent,) = answer(world.study, acting.ask_label(), people, SeededSource(9 + point))
        count = (sent.value[:, None] == zs).sum(axis=0)
        chance = np.exp(mechanism.log_probability(zs, np.full(len(zs), point)))
        assert_counts(count, PEOPLE, chance, f"at label {point}, a label report is not sent as often as enumerated")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_client_draws_from_the_enumerated_laws(setting: str, mechanism: str) -> None:
    """It does with its own budget, and a client that spends epsilon twice is told apart by the same samples."""
    world = build_world(setting, mechanism)
    laws = world.cell_laws(world.ask_cell(world.partition(0)))
    _check_client(world, world, laws)
    _check_labels(world, world)
    twice = replace(world, epsilons=(EPSILON, EPSILON))
    with pytest.raises(AssertionError, match="as enumerated"):
        _check_client(world, twice, laws)
    with pytest.raises(AssertionError, match="as enumerated"):
        _check_labels(world, twice)
