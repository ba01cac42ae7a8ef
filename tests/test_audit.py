"""The audit tells the truth: of what ships it proves nearly epsilon and never more, and its checks can fail."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import bdtr

import semildp.mechanisms
from semildp.audit import (
    ViolationError,
    Visit,
    audit_study,
    audit_visit,
    columns,
    default_studies,
    lower_bound,
    mechanism_visit,
    worst_ratio,
)
from semildp.audit.checks import (
    check_frequencies,
    check_fresh_randomness,
    check_one_person_calls,
    check_realised_as_stated,
    outside,
)
from semildp.audit.checks.power import check_power
from semildp.audit.laws.listed import listed_outputs
from semildp.audit.laws.rows import entry_chances
from semildp.audit.laws.wide import wide_law
from semildp.audit.run import LARGE, SHELF
from semildp.audit.search import lower_bound as lower_bound_module
from semildp.audit.search.columns import as_columns, lowest_digit
from semildp.audit.statistics import clopper_pearson, log_ratio_bound
from semildp.audit.visits import asked
from semildp.audit.visits.visits import study_visits
from semildp.errors import InputError
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    Mechanism,
    PairedResponse,
    SubsetResponse,
)
from semildp.sources import SeededSource
from tests.battery.broken_rows import UnequalSubsets

audited_once = pytest.mark.xdist_group("audited")  # one worker, so that the default audit is made once


@pytest.fixture(scope="module")
def audited():
    """The default audit, once; the seed is that of the samples, not of what they should show.

    A quarter of the calls for one person: what a device sends alone is enumerated elsewhere.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outside, "CALLS", outside.CALLS // 4)
        return audit_study(source=SeededSource(0))


@audited_once
def test_every_claim_stands_and_nearly_all_of_it_is_proven(audited):
    """Seed 0. Of rows of very many entries nothing is searched for; one of 1,025 candidates is sent rarely."""
    assert len(audited) >= 15
    for row in audited:
        assert row.ok, (row.name, row.caught_by)
        assert row.exact == pytest.approx(row.claimed, abs=1e-9), row.name
        if row.bound.trials:
            assert (0.8 if "1,025" in row.name else 0.9) <= row.reached <= 1.0, (row.name, row.bound)


@audited_once
def test_the_sampler_s_checks_have_power(audited):
    powers = [row.power for row in audited if row.kind == "mechanism" and row.bound.trials]
    assert len(powers) == len(SHELF) + 2
    assert all(power is not None and power.ok for power in powers)


@audited_once
def test_every_mechanism_and_both_ways_to_take_part_are_audited(audited):
    members = {name: getattr(semildp.mechanisms, name) for name in semildp.mechanisms.__all__}
    classes = {n for n, m in members.items() if inspect.isclass(m) and m is not Mechanism and hasattr(m, "randomise")}
    assert classes == set(SHELF), "A mechanism is not audited: it needs a line in semildp.audit.run.SHELF."
    assert classes == {*LARGE, "DiscreteLaplace"}, "and one in LARGE"
    names = [row.name for row in audited]
    assert any("split" in name for name in names)
    assert any("both" in name for name in names)
    for protocol in ("hist-of-tree", "hist-of-tree-joint", "semi-private"):
        assert any(name.startswith(f"{protocol},") for name in names), protocol
    for words in ("hidden masks", "all hidden", "few hidden", "wave 1,", "wave 2,", "wave 1+2,"):
        assert any(words in f"{name}," for name in names), words


@pytest.mark.parametrize("epsilon", [0.01, 14.0, 30.0])
def test_no_visit_is_accused_where_noise_is_rare_or_wide(epsilon, monkeypatch):
    """At epsilon 14 and above two calls are likely to send the same: that alone accuses nobody.

    Fewer people than in an audit: bounds on false alarms hold for any number, and rare outputs are the rarer.
    """
    monkeypatch.setattr(asked, "PEOPLE", 5000)
    monkeypatch.setattr(outside, "PEOPLE", 1 << 15)
    monkeypatch.setattr(outside, "CALLS", 64)
    for size in ("LEARN", "CHOOSE", "_LEAST"):
        monkeypatch.setattr(lower_bound_module, size, 1 << 11)
    for visit in study_visits(*(s for s in default_studies(epsilon) if s.protocol == "semi-private")):
        row = audit_visit(visit, source=SeededSource(4), trials=1)
        assert row.ok, (visit.name, row.findings)


@pytest.mark.parametrize("epsilon", [0.01, 14.0, 30.0])
@pytest.mark.parametrize("name", sorted(set(SHELF) - {"DiscreteLaplace"}))
def test_no_mechanism_is_accused_where_noise_is_rare_or_wide(name, epsilon):
    mechanism = SHELF[name](default_studies(epsilon)[0])
    for check in (check_realised_as_stated, check_frequencies, check_fresh_randomness, check_one_person_calls):
        check(mechanism, *([] if check is check_realised_as_stated else [5]))


def test_noise_too_wide_to_list_is_audited_or_refused_in_a_sentence():
    near = listed_outputs(DiscreteLaplace(0.005, 1024))
    assert len(near) > 2**22
    with pytest.raises(InputError, match="epsilon"):
        listed_outputs(DiscreteLaplace(1e-4, 1024))


def test_wide_rows_are_judged_by_their_law_in_short():
    """The same law as the table of every entry, and the same worst ratio; a law that is another is noticed."""
    for kind in (BinaryResponse, SubsetResponse, PairedResponse):
        mechanism = kind(1.0, 20)
        law = wide_law(mechanism)
        values = np.arange(mechanism.n_values)
        chance = entry_chances(mechanism, values)
        candidate = values // (mechanism.n_values // 20)
        own, other, _ = law.marked(mechanism)
        np.testing.assert_allclose(own, chance[values, candidate, 1:], rtol=1e-9)
        np.testing.assert_allclose(other, chance[values, (candidate + 1) % 20, 1:], rtol=1e-9)
        assert law.worst(mechanism) == pytest.approx(worst_ratio(mechanism).log_ratio, abs=1e-9)
        assert law.error < 1e-9
    assert wide_law(UnequalSubsets(1.0, 100)).error > 1e-3


@pytest.mark.parametrize("protocol", ["randomized-features", "private-histogram"])
def test_the_baselines_clients_keep_epsilon_too(protocol):
    study = next(study for study in default_studies(baselines=True) if study.protocol == protocol)
    row = audit_visit(next(study_visits(study)), source=SeededSource(2), trials=1 << 17)
    assert row.ok, row.caught_by
    assert row.exact == pytest.approx(1.0, abs=1e-9)
    assert row.reached > 0.7


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_black_boxes_without_a_stated_law_are_searched_nearly_as_well(epsilon):
    for mechanism in (GeneralisedResponse(epsilon, 4), BinaryResponse(epsilon, 4), DiscreteLaplace(epsilon, 64)):
        visit = replace(mechanism_visit(mechanism), parts=())
        found = lower_bound(visit, SeededSource(3))
        assert 0.85 * epsilon <= found.epsilon <= epsilon, (mechanism, found)


def test_a_visit_that_says_nothing_proves_nothing():
    visit = Visit("silent", 1.0, (0, 1), lambda _, n, source: np.zeros(n, dtype=np.int64))
    assert lower_bound(visit, SeededSource(0), trials=1 << 12).epsilon == 0.0


def test_anything_hashable_can_be_sent():
    def send(value, n, source):
        sent = GeneralisedResponse(1.0, 2).randomise(np.full(n, value), source)
        return np.array([("no", "yes")[s] for s in sent], dtype=object)

    assert 0.85 <= lower_bound(Visit("words", 1.0, (0, 1), send), SeededSource(0)).epsilon <= 1.0


def test_the_worst_ratio_names_where_it_is_reached():
    class OneCertain(GeneralisedResponse):
        def log_probability(self, outputs, values):
            chance = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.4, 0.6, 0.0]])
            with np.errstate(divide="ignore"):
                table = np.log(chance)
            return table[np.asarray(values), np.asarray(outputs)]

    worst = worst_ratio(OneCertain(1.0, 3))
    assert worst.log_ratio == math.inf
    assert (worst.other, worst.output) == (2, 2)
    worst = worst_ratio(BinaryResponse(1.0, 3))
    assert worst.log_ratio == pytest.approx(1.0, abs=1e-12)
    assert worst.output[worst.value] == 1
    assert worst.output[worst.other] == 0


def test_of_outputs_too_many_to_list_the_worst_ratio_is_still_found():
    assert worst_ratio(BinaryResponse(1.0, 64)).log_ratio == pytest.approx(1.0, abs=1e-9)


def test_power_is_not_claimed_where_there_is_none():
    """At epsilon 40 nobody's response is ever replaced, so that noise of another scale looks the same."""
    with pytest.raises(ViolationError, match="no power"):
        check_power(GeneralisedResponse(40.0, 3))
    assert check_power(GeneralisedResponse(1.0, 3)) == 4


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_clopper_pearson_bounds_fail_no_more_often_than_they_say(n, alpha):
    """Exactly: over all counts, for a grid of true probabilities; and they are the tails they should be."""
    counts = np.arange(n + 1)
    low, high = clopper_pearson(counts, n, alpha)
    for p in np.linspace(0.01, 0.99, 25):
        chance = np.diff(bdtr(counts, n, p), prepend=0.0)
        assert chance[low > p].sum() <= alpha * (1 + 1e-9)
        assert chance[high < p].sum() <= alpha * (1 + 1e-9)
    assert low[0] == 0.0
    assert high[-1] == 1.0
    np.testing.assert_allclose(bdtr(counts[:-1], n, high[:-1]), alpha, rtol=1e-6)


def test_the_ratio_bound_is_conservative_and_tight():
    assert log_ratio_bound(0, 5, 100, 1e-6) == -np.inf
    many = 10**8
    assert 0.99 < float(log_ratio_bound(int(0.5 * many), int(0.5 * many / np.e), many, 1e-6)) < 1.0


def test_the_lowest_digit_of_a_float():
    numbers = np.array([1.0, 0.5, 3.0, 0.75, 2.0**-1074, 1 + 2.0**-52, 0.0, -6.0])
    assert lowest_digit(numbers).tolist() == [0, -1, 0, -2, -1074, -52, -2000, 1]


def test_columns_keep_the_order_of_floats_bit_for_bit():
    numbers = np.array([-np.inf, -1.5, -0.0, 0.0, 1e-300, 2.0, np.inf])
    whole = columns(numbers)[:, 0]
    assert (np.diff(whole) > 0).all()
    assert as_columns(numbers).shape == (7, 2)
    assert columns(np.array([True, False]), np.array([[1, 2], [3, 4]])).tolist() == [[1, 1, 2], [0, 3, 4]]


def test_fewer_than_two_inputs_are_refused():
    with pytest.raises(InputError, match="2 inputs"):
        Visit("alone", 1.0, (0,), lambda _, n, source: np.zeros(n))
