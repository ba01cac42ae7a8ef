"""Every mechanism passes the battery, every broken one is caught by it, and thresholds are what they should be."""

from __future__ import annotations

import decimal
import inspect
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import semildp.mechanisms
from semildp.audit.checks import (
    CHECKS,
    EXACT,
    SAMPLED,
    check_frequencies,
    check_likelihood_ratio,
    check_one_person_calls,
    check_realised_epsilon,
    check_total_probability,
)
from semildp.errors import InputError
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    Mechanism,
    PairedResponse,
    SubsetResponse,
)
from semildp.mechanisms._geometric import GeometricSampler
from semildp.mechanisms._replacement import replace_threshold
from semildp.mechanisms.binary_response import flip_threshold
from tests.battery import broken, broken_many, broken_rows
from tests.battery.among_others import AmongOthers
from tests.battery.caught import CAUGHT, DOUBLED
from tests.battery.realised import WORD, Script, geometric_law, log, two_sided_law

SIZES, STEPS = (1, 2, 3, 8, 64), (1, 2, 7, 64)
EPSILONS = (0.1, 1.0, 4.0)

# Every mechanism must be here: its parameters beside epsilon, and the epsilons at which its outputs can be listed.
PARAMETERS: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "GeneralisedResponse": (SIZES, (1e-6, *EPSILONS, 50.0)),
    "BinaryResponse": (SIZES, (1e-6, *EPSILONS, 50.0)),
    "DiscreteLaplace": (STEPS, (*EPSILONS, 50.0)),
    "WindowResponse": (STEPS, (1e-6, *EPSILONS, 50.0)),
    "SubsetResponse": (SIZES, (1e-6, *EPSILONS, 50.0)),
    "PairedResponse": (SIZES, (1e-6, *EPSILONS, 50.0)),
}
CASES = [
    (getattr(semildp.mechanisms, name), epsilon, parameter)
    for name, (parameters, epsilons) in PARAMETERS.items()
    for epsilon in epsilons
    for parameter in parameters
]
# In samples every size at epsilon 1, and two sizes at the other epsilons; what is stated is checked for all of CASES.
SAMPLED_CASES = [c for c in CASES if c[1] == 1.0 or (c[1] in EPSILONS and c[2] in (2, 7, 8))]
MANY = {name: 1024 if parameters[0] is STEPS else 1025 for name, parameters in PARAMETERS.items()}


def label(part: object) -> str | None:
    return part.__name__ if inspect.isclass(part) or inspect.isfunction(part) else None


def mechanism_classes() -> list[str]:
    members = {name: getattr(semildp.mechanisms, name) for name in semildp.mechanisms.__all__}
    return [n for n, m in members.items() if inspect.isclass(m) and m is not Mechanism and hasattr(m, "randomise")]


@pytest.mark.parametrize("name", mechanism_classes())
def test_every_mechanism_is_in_the_battery(name: str) -> None:
    assert name in PARAMETERS, f"{name} has no parameter sets in tests/test_mechanisms.py: it is not tested."


@pytest.mark.parametrize("name", mechanism_classes())
@pytest.mark.parametrize("heading", ["*Formal guarantee.*", "*Edge cases.*", "*Reference.*"])
def test_docstrings_have_their_headings(name: str, heading: str) -> None:
    assert heading in inspect.getdoc(getattr(semildp.mechanisms, name)), f"{name} lacks the heading {heading}"


@pytest.mark.parametrize("check", EXACT, ids=label)
@pytest.mark.parametrize(("kind", "epsilon", "parameter"), CASES, ids=label)
def test_exactly(kind: Callable[..., Mechanism], epsilon: float, parameter: int, check: Callable[..., None]) -> None:
    check(kind(epsilon, parameter))


@pytest.mark.parametrize("check", SAMPLED, ids=label)
@pytest.mark.parametrize(("kind", "epsilon", "parameter"), SAMPLED_CASES, ids=label)
def test_in_samples(kind: Callable[..., Mechanism], epsilon: float, parameter: int, check: Callable[..., None]) -> None:
    if check is check_one_person_calls and epsilon != 1.0:
        pytest.skip("one-person calls take long; they are made at epsilon 1")
    check(kind(epsilon, parameter))


@pytest.mark.parametrize("name", MANY)
def test_large_domains(name: str) -> None:
    """Code that does something else beyond a thousand values is looked at too: stated and drawn, every value."""
    mechanism = getattr(semildp.mechanisms, name)(1.0, MANY[name])
    check_likelihood_ratio(mechanism)
    check_total_probability(mechanism)
    check_frequencies(mechanism)


@pytest.mark.parametrize("kind", [GeneralisedResponse, BinaryResponse, SubsetResponse, PairedResponse], ids=label)
@pytest.mark.parametrize("epsilon", [1e-6, *EPSILONS, 50.0])
@pytest.mark.parametrize("size", [64, 10**6])
def test_realised_epsilon_of_large_candidate_sets(kind: Callable[..., Mechanism], epsilon: float, size: int) -> None:
    check_realised_epsilon(kind(epsilon, size))


@pytest.mark.parametrize("steps", STEPS)
def test_discrete_laplace_at_tiny_epsilon(steps: int) -> None:
    """Its outputs are too many to list: ratios near the values and far out, and the mass from the geometric tail."""
    mechanism = DiscreteLaplace(1e-6, steps)
    check_realised_epsilon(mechanism)
    check_likelihood_ratio(mechanism, np.r_[-200 : steps + 200, -(10**9), 10**9])
    at_zero, far = mechanism.log_probability(np.array([0, 10**6]), np.zeros(2, dtype=np.int64))
    rate = (at_zero - far) / 10**6
    assert np.exp(at_zero) == pytest.approx(np.tanh(rate / 2), rel=1e-6)
    assert rate * steps == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("check", SAMPLED, ids=label)
@pytest.mark.parametrize("kind", [GeneralisedResponse, BinaryResponse], ids=label)
def test_people_with_other_candidate_sets_change_nothing(
    kind: Callable[..., Mechanism], check: Callable[..., None]
) -> None:
    check(AmongOthers(kind, 1.0, 3))


@pytest.mark.parametrize(
    ("mechanism", "check"), CAUGHT, ids=lambda part: part if isinstance(part, str) else type(part).__name__
)
def test_broken_mechanisms_are_caught(mechanism: Mechanism, check: str) -> None:
    with pytest.raises(AssertionError, match=r"\w+ \w+"):
        {named.__name__: named for named in CHECKS}[check](mechanism)


def test_every_broken_mechanism_is_tried() -> None:
    members = [(module, member) for module in (broken, broken_rows, broken_many) for member in vars(module).values()]
    defined = {m.__name__ for module, m in members if inspect.isclass(m) and m.__module__ == module.__name__}
    doubled = {kind.__name__ for kind in DOUBLED.values()}
    assert defined == {type(mechanism).__name__ for mechanism, _ in CAUGHT} | doubled


@pytest.mark.parametrize(("kind", "epsilon", "parameter"), [c for c in SAMPLED_CASES if c[2] > 1], ids=label)
def test_frequencies_reject_twice_the_epsilon(kind: Callable[..., Mechanism], epsilon: float, parameter: int) -> None:
    """The check has power wherever it is used: the same size of sample rejects a sampler that spends twice as much."""
    with pytest.raises(AssertionError, match="as stated"):
        check_frequencies(DOUBLED[kind](epsilon, parameter))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("steps", STEPS)
def test_the_fit_accepts_the_stated_scale_and_rejects_others(epsilon: float, steps: int) -> None:
    check_frequencies(DiscreteLaplace(epsilon, steps), seed=1)
    for wrong in (broken.NarrowLaplace(epsilon, steps), broken.WideLaplace(epsilon, steps)):
        with pytest.raises(AssertionError, match="as stated"):
            check_frequencies(wrong, seed=1)


RATES = [Decimal("0.04"), Decimal("0.3"), Decimal("0.9"), Decimal("1.7"), Decimal(40)]


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_geometric_thresholds_respect_their_bound(rate: Decimal) -> None:
    """Brute force over digits and tail, in fractions: neighbours up to `shift` apart never differ by more than said."""
    sampler = GeometricSampler(rate)
    law = geometric_law(sampler, tail=4)
    for shift in (1, 2, 3, 7):
        pairs = [(law[z], law[z + s]) for s in range(1, shift + 1) for z in range(len(law) - s)]
        worst = log(max(max(p / q, q / p) for p, q in pairs))
        assert worst <= sampler.log_ratio_bound(shift) <= rate * shift + Decimal(2) ** -55


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 50.0])
def test_discrete_laplace_realises_its_claim(epsilon: float, steps: int) -> None:
    """The exact law of the difference of two draws: over all values and near outputs, never beyond realised_epsilon."""
    mechanism = DiscreteLaplace(epsilon, steps)
    law = two_sided_law(mechanism._sampler, 30)
    columns = [[law[z - v] for v in range(steps + 1)] for z in range(-20, steps + 20)]
    assert log(max(max(c) / min(c) for c in columns)) <= mechanism.realised_epsilon <= Decimal(epsilon)
    assert 0 <= 1 - sum(law.values()) <= 2 * law[30] * Fraction(1.01 * steps / epsilon)


@pytest.mark.parametrize("size", [2, 3, 5, 64, 10**6, 2**31])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.3, 1.0, 4.0, 50.0])
def test_replace_threshold_is_the_smallest_allowed(epsilon: float, size: int) -> None:
    """With one part in 2**64 less the worst ratio would be above e**epsilon (150 digits)."""
    smallest = min(((j + 1) * WORD - 1) // size - (j * WORD - 1) // size for j in range(min(size, 1000)))
    assert smallest == WORD // size
    worst = [log(1 + Fraction((WORD - t) * WORD, t * smallest)) for t in _two(replace_threshold(epsilon, size))]
    assert worst[0] <= Decimal(epsilon), "The threshold is too small: the ratio is above e**epsilon."
    assert worst[1] > Decimal(epsilon), "The threshold is larger than it has to be."


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.3, 1.0, 4.0, 50.0])
def test_flip_threshold_is_the_smallest_allowed(epsilon: float) -> None:
    worst = [log(Fraction(WORD - t, t) ** 2) for t in _two(flip_threshold(epsilon))]
    assert worst[0] <= Decimal(epsilon), "The threshold is too small: the ratio is above e**epsilon."
    assert worst[1] > Decimal(epsilon), "The threshold is larger than it has to be."


def _two(threshold: int) -> tuple[int, Fraction]:
    """Return the threshold, and one less; 0 stands for as good as nothing."""
    return threshold, threshold - 1 or Fraction(1, WORD)


def test_words_are_compared_with_thresholds_as_the_claims_assume() -> None:
    """A word below the threshold counts, the threshold itself does not: the probability is T / 2**64 exactly."""
    t = replace_threshold(1.0, 3)
    assert GeneralisedResponse(1.0, 3).randomise(np.array([2, 2]), Script(t - 1, 0, t, 0)).tolist() == [0, 2]
    t = flip_threshold(1.0)
    assert BinaryResponse(1.0, 3).randomise(np.array([0]), Script(t, t - 1, t)).tolist() == [1, 1, 0]
    sampler = GeometricSampler(Decimal("0.3"))  # two digits, then steps of 4
    assert len(sampler.digit_thresholds) == 2
    first, second = sampler.digit_thresholds
    t = sampler.tail_threshold
    script = Script(t - 1, t, t, first, first - 1, second - 1, second)  # tail, tail of the first again, digits by row
    assert [block.numbers().tolist() for block in sampler.blocks(2, script)] == [[4 + 2, 1]]
    assert script.left() == 0


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0, 4.0, 10.72513865856374])
def test_realised_epsilon_is_an_upper_bound_to_the_last_digit(epsilon: float) -> None:
    """Held against the ratio of the thresholds as a fraction, without tolerance."""
    flip, replace = flip_threshold(epsilon), replace_threshold(epsilon, 3)
    ratio = 1 + Fraction((WORD - replace) * WORD, replace * (WORD // 3))
    assert GeneralisedResponse(epsilon, 3).realised_epsilon >= log(ratio)
    assert BinaryResponse(epsilon, 3).realised_epsilon >= log(Fraction(WORD - flip, flip) ** 2)


def test_the_caller_s_decimal_context_changes_nothing() -> None:
    """A program that computes prices with 3 digits must not thereby weaken its users' privacy."""
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_DOWN):
        flip, replace = flip_threshold.__wrapped__(1.3), replace_threshold.__wrapped__(1.3, 3)
        laplace = DiscreteLaplace(1.3, 7)._sampler
        drawn_from = (*laplace.digit_thresholds, laplace.tail_threshold)
        realised = [kind(1.3, 3).realised_epsilon for kind in DOUBLED]
    assert flip == flip_threshold.__wrapped__(1.3)
    assert replace == replace_threshold.__wrapped__(1.3, 3)
    laplace = DiscreteLaplace(1.3, 7)._sampler
    assert drawn_from == (*laplace.digit_thresholds, laplace.tail_threshold)
    assert realised == [kind(1.3, 3).realised_epsilon for kind in DOUBLED]


ZEROS = np.zeros(3, dtype=np.int64)


@pytest.mark.parametrize(
    "build",
    [
        lambda: GeneralisedResponse(0.0, 3),
        lambda: BinaryResponse(float("nan"), 3),
        lambda: DiscreteLaplace(float("inf"), 3),
        lambda: DiscreteLaplace(2.0**-41, 3),
        lambda: DiscreteLaplace(1.0, 0),
        lambda: DiscreteLaplace(1.0, 1.5),
        lambda: GeneralisedResponse(1.0, 0),
        lambda: BinaryResponse(1.0, 2.5),
        lambda: GeneralisedResponse(1.0, 2**31 + 1),
        lambda: BinaryResponse(1.0, np.array([2, 0])),
        lambda: GeneralisedResponse(1e-21, 2).realised_epsilon,
        lambda: BinaryResponse(1e-21, 2).realised_epsilon,
        lambda: SubsetResponse(0.0, 3),
        lambda: PairedResponse(float("inf"), 3),
        lambda: SubsetResponse(1.0, 2**20 + 1),
        lambda: PairedResponse(1.0, 2**31 + 1),
        lambda: PairedResponse(1.0, np.array([2, 3])),
        lambda: SubsetResponse(1e-21, 2).realised_epsilon,
        lambda: SubsetResponse(1e-21, 2).randomise(ZEROS, Script(*range(9))),
        lambda: PairedResponse(1e-21, 2).realised_epsilon,
        lambda: PairedResponse(1e-21, 1).realised_epsilon,
        lambda: SubsetResponse(1.0, 10**6).output_domain,
        lambda: PairedResponse(1.0, 10).output_domain,
        lambda: DiscreteLaplace(2.0**-11, 2**30),
        lambda: DiscreteLaplace(1e-6, 64).output_domain,
        lambda: GeneralisedResponse(1.0, np.array([2, 3])).randomise(ZEROS, Script()),
    ],
)
def test_parameters_that_cannot_be_kept_are_refused(build: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        build()


def test_very_large_epsilon_neither_overflows_nor_overclaims() -> None:
    large = [GeneralisedResponse, BinaryResponse, SubsetResponse, PairedResponse]
    for mechanism in (DiscreteLaplace(1e7, 1), *(kind(1e7, 2) for kind in large)):
        assert mechanism.realised_epsilon <= Decimal(mechanism.epsilon)
        assert np.isfinite(mechanism.variance(ZEROS)).all()


def test_the_only_candidate_is_sent_for_certain() -> None:
    assert BinaryResponse(1.0, 1).log_probability(np.array([[1], [0]]), ZEROS[:2]).tolist() == [0.0, -np.inf]
