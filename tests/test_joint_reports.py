"""Cell and residual in one report: the guarantee by enumeration of what travels, and the law by its definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp.audit.statistics import assert_counts
from semildp.budgets import Budget
from semildp.client import answer, ready
from semildp.sources import SeededSource
from semildp.wire.codec import decode
from semildp.wire.messages import Question, Report
from tests.battery.joint import EPSILON, LABELS, SETTINGS
from tests.battery.joint_pairs import (
    CROWD,
    KINDS,
    MASKS,
    ROWS,
    candidates,
    crowd_enrolled,
    crowd_question,
    joint_law,
    pair_world,
    possible_cells,
    question_at,
    sent_by,
    terms_at,
    worst_visit,
)
from tests.battery.travels import law_of


@pytest.mark.parametrize("spread", [0.1, 0.35])
@pytest.mark.parametrize("setting", SETTINGS)
def test_one_visit_keeps_epsilon(setting, spread):
    """Aligned, personalised and hidden masks, without tolerance; the worst pair uses at least 99 % of it."""
    worst = worst_visit(pair_world(setting, (EPSILON, EPSILON)), spread, both=False)
    assert 0.99 * EPSILON <= worst <= EPSILON


@pytest.mark.parametrize("share", [0.3, 0.5])
@pytest.mark.parametrize("setting", SETTINGS)
def test_both_rounds_together_keep_epsilon(setting, share):
    """The second question depends on the label report; both reports are enumerated together."""
    budget = Budget(EPSILON, share)
    world = pair_world(setting, (budget.label, budget.cell))
    if setting == "hidden":
        world = replace(world, depth=1)  # eight candidates take a minute; they are enumerated in one visit above
    worst = worst_visit(world, 0.35, both=True)
    assert 0.99 * EPSILON <= worst <= EPSILON


@pytest.mark.parametrize("setting", ["aligned", "aligned, category"])
def test_spending_epsilon_twice_is_seen(setting):
    assert worst_visit(pair_world(setting, (EPSILON, EPSILON)), 0.35, both=True) > 1.9 * EPSILON


@pytest.mark.parametrize("kind", ["", ", category"])
def test_the_worlds_have_different_numbers_of_candidates(kind):
    sizes = set()
    for masks_are in ("aligned", "personalised", "hidden"):
        world = replace(pair_world(masks_are + kind), depth=2)
        sizes.add(len(possible_cells(terms_at(world, 2, EPSILON).partition, world.rows)))
    assert len(sizes) == 3


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_who_has_one_candidate_spends_all_of_epsilon_on_the_label(epsilon):
    world = pair_world("aligned", (epsilon, epsilon))
    public = replace(world, rows=world.rows[:1], masks=np.zeros((1, 3), dtype=np.bool_))
    assert 0.99 * epsilon <= worst_visit(public, 0.35, both=False) <= epsilon


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_law_of_the_bytes_is_the_one_of_the_definitions(setting):
    """Thresholds and draws of numbers are rounded to 64 bits: probabilities agree to 15 digits."""
    world = pair_world(setting)
    terms, question = terms_at(world, 2, EPSILON), question_at(world, 2, EPSILON)
    cells = possible_cells(terms.partition, world.rows)
    levels = terms.response(len(cells)).levels
    for row, mask in ((world.rows[0], world.masks[0]), (world.rows[-1], world.masks[-1])):
        for y in LABELS[1::2]:
            law = law_of(world.study, question, row, y, mask)
            sent = {tuple(divmod(v, levels) for v in decode(raw, Report).answers[0]): p for raw, p in law.items()}
            expected = joint_law(terms, cells, row, y)
            assert set(sent) == set(expected)
            assert all(abs(float(sent[marks]) / expected[marks] - 1) < 1e-12 for marks in sent)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_word_for_each_interval_stands_for_all_of_it(setting):
    """The first word of every interval gives the same law as the last."""
    world = pair_world(setting)
    question = question_at(world, 2, EPSILON)
    for y in (LABELS[1], LABELS[-1]):
        first, last = (
            law_of(world.study, question, world.rows[-1], y, world.masks[-1], last=end) for end in (False, True)
        )
        assert first == last


def test_the_codes_below_are_of_all_kinds():
    assert {crowd_question(*kind).response(k).kind for kind in KINDS for k in (1, 2, 4, 8)} == {
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
    enrolled = crowd_enrolled(X, mask)
    question = Question(CROWD.digest, 1, (asked.ask(enrolled),))
    (marks,) = answer(CROWD, question, ready(CROWD, X, y, mask, SeededSource(1)), SeededSource(0))
    sent = sent_by(asked, enrolled, marks)
    for which, (row, label, hidden) in enumerate(kinds):
        expected = joint_law(asked, candidates(row, hidden), row, label)
        counts = dict.fromkeys(expected, 0)
        for i in np.flatnonzero(order == which):
            counts[tuple(sorted(sent[i]))] += 1
        assert_counts(list(counts.values()), n, list(expected.values()), "(cell, level) is not sent as enumerated")
