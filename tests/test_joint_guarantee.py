"""Both rounds together keep epsilon: every private input, every label report and partition, every cell report.

The enumeration in `battery.joint` is exact; that the client draws from the enumerated laws is tested from samples.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp.audit.statistics import assert_counts
from semildp.budgets import Budget
from semildp.client import report_cells, report_labels
from semildp.mechanisms import LABEL_MECHANISMS
from semildp.partition import Partition
from semildp.sources import SeededSource
from semildp.wire import Study
from tests.battery.joint import (
    EPSILON,
    SETTINGS,
    Bools,
    Floats,
    Ints,
    World,
    build_world,
    cell_report_laws,
    honest_candidates,
    worst_joint_ratio,
)

ROUNDING = 1e-9
MECHANISMS = ("grr", "rr")
PEOPLE = 20_000


@pytest.mark.parametrize("splitter", ["max-edge", "cart", "random"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_both_rounds_together_keep_epsilon(setting: str, mechanism: str, splitter: str) -> None:
    """And they use it: the worst pair comes within 1 % of it, so the enumeration looks where it matters."""
    worst, partitions = worst_joint_ratio(build_world(setting, mechanism, splitter))
    assert worst <= EPSILON + ROUNDING
    assert worst >= 0.99 * EPSILON
    depends = setting != "hidden" and splitter != "random"
    assert (partitions > 1) == depends, "The partition should depend on the label report here, and only here."


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_bounded_label_report_keeps_epsilon_too(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism, label="window"))
    assert 0.99 * EPSILON <= worst <= EPSILON + ROUNDING


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_client_that_spends_epsilon_twice_is_seen(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism), EPSILON, EPSILON)
    assert worst > 1.99 * EPSILON


def _as_if_public(partition: Partition, X: Floats, acting: Bools, own: Bools) -> Ints:
    """Judge candidates from the first private feature too."""
    return honest_candidates(partition, X, acting & np.array([False, True, True]), own)


def _by_own_mask(partition: Partition, X: Floats, acting: Bools, own: Bools) -> Ints:
    """Judge candidates by the person's own mask where it should be hidden."""
    return honest_candidates(partition, X, own, own)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_candidates_that_depend_on_private_values_are_seen(setting: str, mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world(setting, mechanism), candidates=_as_if_public)
    assert worst == np.inf


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_candidates_that_depend_on_a_hidden_mask_are_seen(mechanism: str) -> None:
    worst, _ = worst_joint_ratio(build_world("hidden", mechanism), candidates=_by_own_mask)
    assert worst == np.inf


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_sent_beside_the_label_is_the_same_for_all_inputs(setting: str) -> None:
    """Bit for bit; a private entry that is missing or absurd makes no difference either."""
    world = build_world(setting, "grr")
    sent = world.label_report(0)
    assert np.isnan(sent.public[sent.mask]).all()
    if setting == "hidden":
        assert sent.mask.all()
    for strange in (None, np.nan, np.inf, -1e300):
        rows = world.rows if strange is None else np.where(sent.mask, strange, world.rows)
        for which in range(len(rows)):
            for label in (-1.0, 1.0):
                other = replace(world, rows=rows).label_report(which, label, seed=which)
                assert other.public.tobytes() == sent.public.tobytes()
                assert other.mask.tobytes() == sent.mask.tobytes()


@pytest.mark.parametrize("splitter", ["max-edge", "cart", "random"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_candidate_sets_do_not_depend_on_private_values(setting: str, splitter: str) -> None:
    world = build_world(setting, "grr", splitter)
    for z in (-40, 0, 44):
        partition = world.partition(z)
        sent = world.label_report(0)
        expected = partition.candidates(sent.public, sent.mask).cells()[1].tolist()
        for strange in (None, np.nan, np.inf, -1e300):
            rows = world.rows if strange is None else np.where(sent.mask, strange, world.rows)
            candidates = partition.candidates(rows, np.repeat(sent.mask, len(rows), axis=0))
            person, cell = candidates.cells()
            assert all(cell[person == i].tolist() == expected for i in range(len(rows)))
            assert (partition.count(rows, np.repeat(sent.mask, len(rows), axis=0)) == len(expected)).all()
        assert np.isin(partition.cell(world.rows), expected).all()


def _check_client(world: World, study: Study) -> None:
    """Hold a client that acts on `study` against the laws enumerated for `world`; false alarm at most 2e-6."""
    partition = world.partition(0)
    laws = np.exp(cell_report_laws(world, partition, world.study.budget.cell, honest_candidates))
    people = np.repeat(np.arange(len(world.rows)), PEOPLE)
    reports = report_cells(study, partition, world.rows[people], world.masks[people], SeededSource(8))
    marked = np.bincount(reports.person, weights=1 << reports.cell, minlength=len(people)).astype(np.int64)
    count = np.array([np.bincount(m, minlength=laws.shape[1]) for m in np.split(marked, len(world.rows))])
    assert_counts(count, PEOPLE, laws, "(input, cell report) is not sent as often as enumerated")


def _check_labels(world: World, study: Study) -> None:
    """The same for label reports, at every point of the label grid; false alarm at most 1e-6."""
    grid = world.study.label_grid
    mechanism = LABEL_MECHANISMS[study.label_mechanism](world.study.budget.label, grid.steps)
    zs = np.arange(-60, grid.steps + 61)
    for point in range(grid.steps + 1):
        X, mask = np.repeat(world.rows[:1], PEOPLE, axis=0), np.repeat(world.masks[:1], PEOPLE, axis=0)
        sent = report_labels(study, X, np.full(PEOPLE, grid.decode(point)), mask, SeededSource(9 + point)).labels
        count = (sent[:, None] == zs).sum(axis=0)
        chance = np.exp(mechanism.log_probability(zs, np.full(len(zs), point)))
        assert_counts(count, PEOPLE, chance, f"at label {point}, a label report is not sent as often as enumerated")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_client_draws_from_the_enumerated_laws(setting: str, mechanism: str) -> None:
    """It does with its own budget, and a client that spends epsilon twice is told apart by the same samples."""
    world = build_world(setting, mechanism)
    _check_client(world, world.study)
    _check_labels(world, world.study)
    twice = replace(world.study, budget=Budget(2 * EPSILON, 0.5))
    with pytest.raises(AssertionError, match="as enumerated"):
        _check_client(world, twice)
    with pytest.raises(AssertionError, match="as enumerated"):
        _check_labels(world, twice)
