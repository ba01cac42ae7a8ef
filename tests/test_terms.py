"""A mechanism written down is the mechanism; whatever is changed in what is written is refused."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

import numpy as np
import pytest

import semildp.mechanisms
from semildp.errors import InputError
from semildp.mechanisms import DiscreteLaplace, PairedResponse, SubsetResponse, WindowResponse
from semildp.mechanisms.terms import KINDS, BrokenClaimError, MechanismTerms, mechanism_from, terms_of
from semildp.sources import SeededSource
from semildp.wire.forms import mechanism_message, read_mechanism
from semildp.wire.problems import WireError
from tests.test_mechanisms import CASES, label, mechanism_classes

WIDTHS = [(WindowResponse, 1.0, 7, w) for w in (1, 3, 20)] + [(SubsetResponse, 1.0, 8, w) for w in (1, 3, 7)]
ALL = [*((kind, epsilon, parameter, None) for kind, epsilon, parameter in CASES), *WIDTHS]
EVERY = pytest.mark.parametrize(("kind", "epsilon", "parameter", "width"), ALL, ids=label)
WORD = 2**64


def build(kind, epsilon, parameter, width):
    return kind(epsilon, parameter) if width is None else kind(epsilon, parameter, width)


def test_every_mechanism_has_a_name_of_its_own():
    assert sorted(kind.__name__ for kind in KINDS.values()) == sorted(mechanism_classes())


@EVERY
def test_what_is_written_down_is_read_back(kind, epsilon, parameter, width):
    """The same class, the same thresholds, the same claim in exact numbers, and the same draws."""
    mechanism = build(kind, epsilon, parameter, width)
    terms = terms_of(mechanism)
    again = mechanism_from(terms, epsilon)
    assert type(again) is kind
    assert terms_of(again) == terms
    assert again.realised_epsilon == mechanism.realised_epsilon <= Decimal(epsilon)
    values = np.arange(mechanism.n_values).repeat(3)
    np.testing.assert_array_equal(*(m.randomise(values, SeededSource(1)) for m in (mechanism, again)))
    message = mechanism_message(mechanism)
    assert mechanism_message(read_mechanism(message, epsilon)) == message
    assert [int(t) for t in message.thresholds] == list(mechanism.thresholds)


@EVERY
def test_a_changed_threshold_is_refused(kind, epsilon, parameter, width):
    """By one part of 2**64, either way, in any of them; left out, doubled, all 0 or nearly certain."""
    terms = terms_of(build(kind, epsilon, parameter, width))
    for place, threshold in enumerate(terms.thresholds):
        for other in {threshold - 1, threshold + 1, 0, WORD // 2, WORD - 1} - {threshold}:
            changed = (*terms.thresholds[:place], other, *terms.thresholds[place + 1 :])
            with pytest.raises(BrokenClaimError, match="those that keep its epsilon"):
                mechanism_from(dataclasses.replace(terms, thresholds=changed), epsilon)
    for changed in (terms.thresholds[1:], (*terms.thresholds, terms.thresholds[-1]), ()):
        with pytest.raises(BrokenClaimError):
            mechanism_from(dataclasses.replace(terms, thresholds=changed), epsilon)


@EVERY
def test_the_thresholds_of_another_epsilon_are_refused(kind, epsilon, parameter, width):
    """A question that asks with a larger epsilon than it states; where one candidate is public there is none."""
    terms = terms_of(build(kind, 1.01 * epsilon, parameter, width))
    if terms == terms_of(build(kind, epsilon, parameter, width)):
        assert not any(terms.thresholds) or terms.thresholds == build(kind, epsilon, parameter, width).thresholds
        assert not any(terms.thresholds) or epsilon >= 50  # so large that the truth is as good as never replaced
        return
    with pytest.raises(BrokenClaimError):
        mechanism_from(terms, epsilon)


def test_another_size_or_width_does_not_fit_the_thresholds():
    for mechanism in (WindowResponse(1.0, 7), SubsetResponse(1.0, 8), PairedResponse(1.0, 3), DiscreteLaplace(1.0, 7)):
        terms = terms_of(mechanism)
        others = [dataclasses.replace(terms, values=terms.values + 2)]
        if isinstance(mechanism, WindowResponse | SubsetResponse):
            others.append(dataclasses.replace(terms, width=terms.width + 1))
        else:
            others.append(dataclasses.replace(terms, width=2))
        for other in others if not isinstance(mechanism, PairedResponse) else others[1:]:
            with pytest.raises(BrokenClaimError):
                mechanism_from(other, 1.0)
    with pytest.raises(BrokenClaimError):  # an odd number of values is not two signs each
        mechanism_from(dataclasses.replace(terms_of(PairedResponse(1.0, 3)), values=7), 1.0)


def test_other_kinds_and_impossible_numbers_are_refused():
    terms = terms_of(SubsetResponse(1.0, 8))
    for kind in set(KINDS) - {"subset"}:
        with pytest.raises(InputError):
            mechanism_from(dataclasses.replace(terms, kind=kind), 1.0)
    for bad in ({"kind": "exact"}, {"width": 0}, {"width": 8}, {"values": 0}, {"values": 2**40}):
        with pytest.raises(InputError):
            mechanism_from(dataclasses.replace(terms, **bad), 1.0)
    for epsilon in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError):
            mechanism_from(terms, epsilon)


def test_over_the_wire_a_broken_claim_has_that_name():
    message = mechanism_message(SubsetResponse(1.0, 8))
    with pytest.raises(WireError) as refused:
        read_mechanism(message, 0.99)
    assert refused.value.problem == "broken-claim"
    with pytest.raises(WireError) as refused:
        read_mechanism(type(message)("subset", 8, 8, message.thresholds), 1.0)
    assert refused.value.problem == "out-of-domain"


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_given_width_keeps_epsilon_and_the_best_one_is_the_default(epsilon):
    for kind, parameter, widths in ((WindowResponse, 7, range(1, 40)), (SubsetResponse, 8, range(1, 8))):
        for width in widths:
            mechanism = kind(epsilon, parameter, width)
            assert terms_of(mechanism).width == width
            assert mechanism.realised_epsilon <= Decimal(epsilon)
        best = terms_of(kind(epsilon, parameter)).width
        assert terms_of(kind(epsilon, parameter, best)) == terms_of(kind(epsilon, parameter))
        noise = [np.mean(kind(epsilon, parameter, w).variance(np.full(1, -1))) for w in widths]
        if kind is SubsetResponse:
            assert best == 1 + int(np.argmin(noise))


def test_terms_are_plain_numbers():
    for name in mechanism_classes():
        terms = terms_of(getattr(semildp.mechanisms, name)(1.0, 3))
        assert isinstance(terms, MechanismTerms)
        assert all(type(n) is int for n in (terms.values, terms.width, *terms.thresholds))
        assert all(0 <= n <= WORD for n in terms.thresholds)
