"""The audit of one mechanism or one visit: every check, and the largest epsilon that could be proven."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeVar

import numpy as np

from semildp._checks import instance_of
from semildp.audit.checks.alone import check_one_person_calls
from semildp.audit.checks.exact import (
    check_likelihood_ratio,
    check_realised_as_stated,
    check_realised_epsilon,
    check_total_probability,
)
from semildp.audit.checks.fresh import check_batch_position, check_fresh_randomness
from semildp.audit.checks.order import check_order
from semildp.audit.checks.outside import (
    check_everyone,
    check_visit_alone,
    check_visit_frequencies,
    check_visit_randomness,
    three_samples,
)
from semildp.audit.checks.power import check_power
from semildp.audit.checks.sampled import MANY_PEOPLE, check_frequencies
from semildp.audit.checks.words import check_words
from semildp.audit.contract import check_mechanism, check_trials
from semildp.audit.finding import Finding, ViolationError, find, require
from semildp.audit.laws.wide import is_wide
from semildp.audit.laws.worst import ROUNDING, worst_ratio
from semildp.audit.search.lower_bound import TRIALS, LowerBound, lower_bound
from semildp.audit.show.report import NOT_SEARCHED, Audited
from semildp.audit.statistics import FALSE_ALARM
from semildp.audit.visits.visit import Visit, mechanism_visit
from semildp.errors import InputError
from semildp.mechanisms import Mechanism
from semildp.sources import SeededSource, Source, SystemSource, check_source

Input = TypeVar("Input")


def audit_mechanism(
    mechanism: Mechanism, *, name: str | None = None, source: Source | None = None, trials: int = TRIALS
) -> Audited:
    """Audit anything that meets the `Mechanism` contract.

    Parameters
    ----------
    mechanism
        What to audit; it need not be one of semildp's.
    name
        What to call it; by default its class.
    source
        Where the randomness of the search comes from; by default a generator that the operating system seeds, whose
        words cost a tenth of the system's own. The checks draw from the system and from a seed in any case.
    trials
        People per input, at most, in the last sample of the search.

    Examples
    --------
    >>> from semildp.audit import audit_mechanism
    >>> from semildp.mechanisms import GeneralisedResponse
    >>> audited = audit_mechanism(GeneralisedResponse(1.0, 4))
    >>> audited.ok, round(audited.exact, 6), bool(0.9 < audited.reached <= 1)
    (True, 1.0, True)
    """
    started, source = time.perf_counter(), source or _seeded_by_the_system()
    check_mechanism(mechanism)
    check_source(source)
    check_trials(trials)
    seed = int(source.words(1)[0] >> np.uint64(1))
    worst = worst_ratio(mechanism)
    where = f"Reached by output {worst.output} under value {worst.value} against value {worst.other}."
    findings = [
        find("exact ratio", partial(check_likelihood_ratio, mechanism), where),
        find("realised epsilon", partial(check_realised_epsilon, mechanism), "Within the claim, in exact arithmetic."),
        find("realised as stated", partial(check_realised_as_stated, mechanism)),
        find("total probability", partial(check_total_probability, mechanism)),
        find("frequencies", partial(check_frequencies, mechanism, seed, MANY_PEOPLE)),
        find("one-person calls", partial(check_one_person_calls, mechanism, seed)),
        find("fresh randomness", partial(check_fresh_randomness, mechanism, seed), "Independent, from the source."),
        find("batch position", partial(check_batch_position, mechanism, seed), "The same at every place of a batch."),
        find("system's words", partial(_system_words, SystemSource), "64 random bits each, none twice."),
    ]
    name, bound, power = name or type(mechanism).__name__, NOT_SEARCHED, None
    if not is_wide(mechanism):
        bound = lower_bound(mechanism_visit(mechanism, name, worst), source, trials=trials, false_alarm=FALSE_ALARM / 2)
        findings.append(_judge_bound(mechanism.epsilon, bound))
        power = _power(mechanism, seed)
    seconds = time.perf_counter() - started
    return Audited(name, "mechanism", mechanism.epsilon, worst.log_ratio, bound, tuple(findings), power, seconds)


def _seeded_by_the_system() -> Source:
    return SeededSource(np.random.SeedSequence([int(word) for word in SystemSource().words(4)]))


def _power(mechanism: Mechanism, seed: int) -> Finding:
    try:
        return find("power", partial(check_power, mechanism, seed), "All spoilt samplers were rejected.")
    except InputError as problem:
        return Finding("power", False, None, str(problem))


def audit_visit(visit: Visit[Input], *, source: Source | None = None, trials: int = TRIALS) -> Audited:
    """Audit everything one person sends, as a black box; what the visit states is held against it too.

    Parameters
    ----------
    visit
        What to audit.
    source, trials
        As in `audit_mechanism`.
    """
    started, source = time.perf_counter(), source or _seeded_by_the_system()
    instance_of("visit", visit, Visit)
    check_source(source)
    check_trials(trials)
    seed = int(source.words(1)[0] >> np.uint64(1))
    exact, findings, known = visit.exact_epsilon(), [], None
    if exact is not None:
        samples = three_samples(visit, seed)
        known = samples[0], samples[1]
        findings.append(find("exact ratio", partial(_check_exact, visit.epsilon, exact), "Within the claim."))
        findings.append(find("frequencies", partial(check_visit_frequencies, visit, samples)))
        findings.append(find("every value", partial(check_everyone, visit, seed)))
        findings.append(find("one-person calls", partial(check_visit_alone, visit, seed)))
    findings.append(
        find("fresh randomness", partial(check_visit_randomness, visit, seed), "Independent, from the source.")
    )
    findings.append(find("order of marks", partial(check_order, visit, source), "It tells nothing."))
    bound = lower_bound(visit, source, trials=trials, false_alarm=FALSE_ALARM / 2, samples=known)
    findings.append(_judge_bound(visit.epsilon, bound))
    seconds = time.perf_counter() - started
    return Audited(visit.name, "visit", visit.epsilon, exact, bound, tuple(findings), None, seconds)


@lru_cache(maxsize=8)
def _judged_words(new: Callable[[], Source]) -> str | None:
    try:
        check_words(new)
    except ViolationError as violation:
        return str(violation)
    return None


def _system_words(new: Callable[[], Source]) -> None:
    """The operating system's words, which are the same for all mechanisms, are judged once."""
    problem = _judged_words(new)
    require(problem is None, str(problem))


def _check_exact(claimed: float, exact: float) -> float:
    require(
        exact <= claimed + 100 * ROUNDING * (1 + claimed),
        f"The worst log likelihood ratio {exact!r} is above the claimed epsilon {claimed!r}.",
    )
    return exact


def _judge_bound(claimed: float, bound: LowerBound) -> Finding:
    """Hold what was proven against the claim."""
    one, other = bound.inputs
    counts = f"{bound.hits} of {bound.trials} under {one}, {bound.misses} of {bound.trials} under {other}"
    sentence = f"The event {bound.event} happened {counts}: epsilon is at least {bound.epsilon:.4g}"
    ok = bound.epsilon <= claimed
    return Finding("lower bound", ok, bound.epsilon, f"{sentence}{'.' if ok else f', above the claimed {claimed:g}.'}")
