"""What the next people are asked: sane at the ends, blind where there is nothing to learn, and fair among features."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from semildp.audit.statistics import assert_counts
from semildp.curator.effects.fitting import ASKED_BINS
from semildp.curator.wave_plan import BINS, MOST_TOGETHER, Known, Plan, plan_question, unknown
from semildp.protocols.cohorts import draw_features, stages
from semildp.sources import SeededSource

PUBLIC = (100, 101, 102)  # indices of public features


def known_of(n_private: int, values: dict[int, int] | None = None, precision: float = 100.0, **more) -> Known:
    """Return what is known before anyone is asked about so many private features."""
    private = tuple(range(n_private))
    each = {j: (values or {}).get(j) for j in private}
    return Known(unknown(private, PUBLIC), each, len(PUBLIC), precision, **more)


@pytest.mark.parametrize("probe", [False, True])
@pytest.mark.parametrize(("n", "epsilon"), [(10, 0.5), (10_000, 1.0), (10**6, 8.0)])
def test_without_private_features_none_is_asked_about(n, epsilon, probe):
    plan = plan_question(known_of(0), n, epsilon, probe=probe)
    assert (plan.features, plan.together) == ((), 0)
    assert plan.bins_of((), (), turned=False) == ()


@pytest.mark.parametrize("n_private", [1, 2, 4, 8])
@pytest.mark.parametrize(("n", "epsilon"), [(20, 1.0), (3, 1.0), (10_000, 0.01), (1, 0.001)])
def test_few_people_or_a_tiny_epsilon_are_asked_for_the_residual_alone(n, epsilon, n_private):
    """Where labels have told as little: then the public prediction has most to gain."""
    known = known_of(n_private, precision=0.1)
    assert plan_question(known, n, epsilon, probe=False).features == ()


def test_of_many_features_hardly_any_is_asked_about():
    """Twenty, epsilon 1, a thousand people: each question would tell of a twentieth of what is unknown."""
    assert len(plan_question(known_of(20, precision=10.0), 1000, 1.0, probe=False).features) <= 5


@pytest.mark.parametrize("n_private", [1, 2, 4])
def test_many_people_and_a_large_epsilon_are_asked_about_all(n_private):
    plan = plan_question(known_of(n_private), 10**6, 8.0, probe=False)
    assert sorted(plan.features) == list(range(n_private))


@pytest.mark.parametrize("n_private", [2, 3, 4, 5, 8])
def test_a_probe_of_few_features_asks_about_two_at_a_time(n_private):
    """Unless it asks about none: it must tell whether they go together."""
    plan = plan_question(known_of(n_private), 10**6, 8.0, probe=True)
    assert plan.together == (2 if n_private <= MOST_TOGETHER else 1)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("n", [1000, 10_000, 10**6])
@pytest.mark.parametrize("n_private", [2, 4, 6])
def test_a_feature_without_doubt_is_not_asked_about_again(n_private, n, epsilon):
    """All that the first one does, alone and with others, is known to be nothing."""
    known = known_of(n_private, likely={0: 0.0})
    doubt = {f: dict.fromkeys(ASKED_BINS, 0.0) if 0 in f else each for f, each in known.doubt.items()}
    assert 0 not in plan_question(replace(known, doubt=doubt), n, epsilon, probe=False).features


def test_with_no_doubt_at_all_the_residual_alone_is_asked_for():
    known = known_of(3)
    doubt = {f: dict.fromkeys(ASKED_BINS, 0.0) for f in known.doubt}
    plan = plan_question(replace(known, doubt=doubt), 10**5, 4.0, probe=False)
    assert plan.features == ()


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_more_people_leave_less_error(epsilon):
    """And never more than is unknown now."""
    known = known_of(3)
    errors = [plan_question(known, n, epsilon, probe=False).error for n in (0, 10, 100, 10**3, 10**4, 10**5, 10**6)]
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(errors))
    numbers = plan_question(known_of(0), 0, epsilon, probe=False).error
    assert errors[0] <= numbers + sum(each[None] for each in known.doubt.values()) + 1e-12


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
def test_a_larger_epsilon_leaves_less_error(n):
    errors = [plan_question(known_of(3), n, epsilon, probe=False).error for epsilon in (0.1, 0.5, 1, 2, 4, 8)]
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(errors))


def test_of_many_families_each_is_unlikely():
    """What is unknown of one feature alone does not grow with their number; finer bins show more of it."""
    for few, many in ((2, 10), (10, 100)):
        assert unknown(tuple(range(many)), PUBLIC)[0,][None] <= unknown(tuple(range(few)), PUBLIC)[0,][None]
    for doubt in unknown((0, 1), PUBLIC).values():
        shown = [doubt[b] for b in range(2, 9)]
        assert all(0 < a <= b * (1 + 1e-9) for a, b in itertools.pairwise(shown))
        assert shown[-1] <= doubt[None]


def test_categories_are_asked_about_with_their_values():
    """Numbers take the two numbers of bins in turn; a category has as many as it has values, and takes none of them."""
    plan = Plan((0, 1, 2), 2, (3, 4), 1.5, 0.0)
    values = (None, 7, None)
    assert plan.bins_of((0, 2), values, turned=False) == (3, 4)
    assert plan.bins_of((0, 2), values, turned=True) == (4, 3)
    assert plan.bins_of((1,), values, turned=True) == (7,)
    assert plan.bins_of((0, 1), values, turned=True) == (4, 7)
    assert plan.bins_of((1, 2), values, turned=False) == (7, 3)


def test_many_values_cost():
    """A category of a thousand values is worth less of a question than one of two."""
    two, many = (plan_question(known_of(1, {0: v}), 2000, 2.0, probe=False).error for v in (2, 1000))
    assert two <= many


@pytest.mark.parametrize("n_private", [0, 1, 4])
def test_the_plan_can_be_asked(n_private):
    plan = plan_question(known_of(n_private), 10**5, 4.0, probe=True)
    assert plan.bins in BINS
    assert plan.reach > 0
    assert 0 < plan.spread < 1
    assert math.isfinite(plan.error)


def drawn(hidden: np.ndarray, together: int, seed: int = 0) -> list[tuple[tuple[int, ...], bool]]:
    """Return what each person is asked about."""
    kinds, kind = draw_features(SeededSource(seed), hidden, together)
    return [kinds[k] for k in kind]


@pytest.mark.parametrize("together", [0, 1, 2, 3])
@pytest.mark.parametrize("columns", [0, 1, 4])
def test_only_hidden_features_are_asked_about_and_as_many_as_can_be(columns, together):
    hidden = np.random.default_rng(0).random((300, columns)) < 0.5
    for own, (features, turned) in zip(hidden, drawn(hidden, together), strict=True):
        assert all(own[list(features)])
        assert len(features) == min(together, int(own.sum()))
        assert features or not turned
        assert list(features) == sorted(features)


@pytest.mark.parametrize(
    ("together", "sets"), [(1, [(0,), (2,), (3,)]), (2, [(0, 2), (0, 3), (2, 3)]), (3, [(0, 2, 3)])]
)
def test_each_choice_is_as_likely_and_turned_half_of_the_time(together, sets):
    """Exact binomial tails; a fair draw fails with probability at most 5e-9 per count."""
    n = 30_000
    hidden = np.tile([True, False, True, True], (n, 1))
    every = drawn(hidden, together)
    counts = [sum(kind == (each, turned) for kind in every) for each in sets for turned in (False, True)]
    assert sum(counts) == n
    assert_counts(np.array(counts), n, 1 / len(counts), "a choice of features")


def test_a_draw_that_prefers_a_feature_would_be_seen():
    counts = np.array([11_000, 9_500, 9_500])
    with pytest.raises(AssertionError, match="a choice of features"):
        assert_counts(counts, 30_000, 1 / 3, "a choice of features")


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 50, 666, 667, 5000])
def test_everybody_has_a_place_in_the_waves(n, both):
    """Once, or once among labels and once among residuals; no wave is empty, and labels come first."""
    found = stages(SeededSource(n), n, 1 / 3, both=both)
    kinds = [stage.asks for stage in found]
    assert kinds == sorted(kinds)
    assert kinds[0] == "label"
    assert all(len(stage.people) for stage in found)
    for asks in ("label", "residual"):
        people = np.concatenate([np.zeros(0, dtype=np.int64), *(s.people for s in found if s.asks == asks)])
        assert len(np.unique(people)) == len(people)
        assert not both or len(people) == n
    assert both or sorted(np.concatenate([stage.people for stage in found])) == list(range(n))
