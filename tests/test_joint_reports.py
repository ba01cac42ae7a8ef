"""Cell and residual in one report: the guarantee by enumeration, and the client draws from the enumerated law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp.audit.statistics import assert_counts
from semildp.budgets import Budget
from semildp.client import report_joint
from semildp.sources import SeededSource
from tests.battery.joint import EPSILON, SETTINGS, build_world
from tests.battery.joint_pairs import (
    KINDS,
    MASKS,
    ROWS,
    ask,
    candidates,
    crowd_question,
    joint_law,
    possible_cells,
    sent_by,
    worst_visit,
)


@pytest.mark.parametrize("spread", [0.1, 0.35])
@pytest.mark.parametrize("setting", SETTINGS)
def test_one_visit_keeps_epsilon(setting, spread):
    """Aligned, personalised and hidden masks; the worst pair uses at least 99 % of it."""
    worst = worst_visit(build_world(setting, "grr", label="window"), None, EPSILON, spread)
    assert 0.99 * EPSILON <= worst <= EPSILON + 1e-9


@pytest.mark.parametrize("share", [0.3, 0.5])
@pytest.mark.parametrize("setting", SETTINGS)
def test_both_rounds_together_keep_epsilon(setting, share):
    """The second question depends on the label report; both reports are enumerated together."""
    world = build_world(setting, "grr", label="window")
    budget = Budget(EPSILON, share)
    worst = worst_visit(replace(world, study=replace(world.study, budget=budget)), budget.label, budget.cell, 0.35)
    assert 0.99 * EPSILON <= worst <= EPSILON + 1e-9


def test_spending_epsilon_twice_is_seen():
    assert worst_visit(build_world("aligned", "grr", label="window"), EPSILON, EPSILON, 0.35) > 1.9 * EPSILON


def test_the_worlds_have_different_numbers_of_candidates():
    sizes = set()
    for setting in SETTINGS:
        world = build_world(setting, "grr", label="window")
        sizes.add(len(possible_cells(ask(world, 2, EPSILON).partition, world.rows)))
    assert len(sizes) == 3


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_who_has_one_candidate_spends_all_of_epsilon_on_the_label(epsilon):
    world = build_world("aligned", "grr", label="window")
    public = replace(world, rows=world.rows[:1], masks=np.zeros((1, 3), dtype=np.bool_))
    assert 0.99 * epsilon <= worst_visit(public, None, epsilon, 0.35) <= epsilon + 1e-9


def test_the_codes_below_are_of_all_kinds():
    assert {crowd_question(*kind).code(k).kind for kind in KINDS for k in (1, 2, 4, 8)} == {
        "generalised",
        "subset",
        "paired",
    }


@pytest.mark.parametrize(("epsilon", "spread"), KINDS)
def test_the_client_draws_from_the_enumerated_law(epsilon, spread):
    """All masks in one call, mixed; 10,000 people of each mask and of two kinds; false alarm at most 8e-6."""
    n, asked = 10_000, crowd_question(epsilon, spread)
    kinds = [(ROWS[5], 0.45, mask) for mask in MASKS] + [(ROWS[2], -3.0, mask) for mask in MASKS]
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(kinds)), n))
    X, y, mask = (np.array([kind[part] for kind in kinds])[order] for part in range(3))
    sent = sent_by(report_joint(asked, X, y, mask, SeededSource(0)), len(order))
    for which, (row, label, hidden) in enumerate(kinds):
        expected = joint_law(asked, candidates(row, hidden), row, label)
        counts = dict.fromkeys(expected, 0)
        for i in np.flatnonzero(order == which):
            counts[tuple(sorted(sent[i]))] += 1
        assert_counts(list(counts.values()), n, list(expected.values()), "(cell, level) is not sent as enumerated")
