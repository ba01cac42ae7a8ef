"""Planning a study: simulate what can only be simulated, and put it together with what a formula tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from semildp._checks import (
    finite_number,
    one_of,
    positive_number,
    privacy_parameter,
    short,
    true_or_false,
    whole_number,
)
from semildp.errors import InputError, refusal
from semildp.planning.assumptions import MOST_PEOPLE, Assumptions
from semildp.planning.needing import people_needed
from semildp.planning.noticing import smallest_effects
from semildp.planning.record import Expected, Needed, Plan, Row
from semildp.planning.trying import METHODS, try_study

USUAL_WIDTH = 6.0  # of label bounds, in standard deviations of the label; what estimators guess before anyone is asked
WIDER = (1.0, 2.0, 4.0, 8.0)
SEMI = "SemiPrivateRegressor"
MOST_REPLICATIONS = 1_000
LABEL = ("label_bounds", "label_deviation", "width")


def plan(
    n_people: int,
    n_features: int,
    n_private: int,
    epsilon: Any = (1.0, 2.0, 4.0),
    *,
    target: float | None = None,
    wide: bool = False,
    replications: int = 20,
    random_state: int = 0,
    progress: Callable[[int], object] | None = None,
    **assumptions: Any,
) -> Plan:
    """Say what a study is expected to come to, before anyone is asked.

    Errors are those of simulated studies of made-up people, collected and learnt from as real ones are. The smallest
    effects that would be found are by a formula. Nobody is asked, and nothing is spent.

    Parameters
    ----------
    n_people, n_features, n_private, epsilon
        How many people, features, and features that people hide; one epsilon or several.
    target
        An error, in units of the label's variance: how many people reach it, and which epsilon.
    wide
        Whether to simulate label bounds that are two, four and eight times as wide.
    replications, random_state
        Simulated studies behind each error, and their seed: the same plan gives the same numbers.
    progress
        Called with 1 after each simulated study of `SemiPrivateRegressor`.
    assumptions
        `public_share`, `private_share`, `shape`, `bend`, `together`, `matter`, `hide`, `spread` of
        `planning.Assumptions`. And `label_bounds`, `label_deviation`, `width`, of which two tell the third; a width
        that they do not tell is 6.

    Examples
    --------
    >>> expected = plan(100, 3, 1, epsilon=4.0, replications=1, public_share=0.5)
    >>> expected.rows[0].errors["SemiPrivateRegressor"].mean < expected.assumed.most
    True
    """
    assumed, deviation = _read(n_features, n_private, assumptions)
    whole_number("n_people", n_people, 1, MOST_PEOPLE)
    _check(target, wide, replications, random_state)
    trials = _Trials(assumed, replications, random_state, progress or (lambda many: None))
    rows = tuple(trials.row(n_people, each, target) for each in _epsilons(epsilon))
    wider = trials.wide(n_people, rows[0]) if wide else {}
    return Plan(n_people, assumed, rows, deviation, target, wider, replications, random_state)


def _read(n_features: Any, n_private: Any, given: dict[str, Any]) -> tuple[Assumptions, float | None]:
    """Return the assumptions, and the label's standard deviation if it is known."""
    label = {name: given.get(name) for name in LABEL}
    rest = {name: value for name, value in given.items() if name not in LABEL}
    known = [each.name for each in fields(Assumptions)]
    for name in rest:
        one_of("name of an assumption", name, [*known, *LABEL])
    width, deviation = _label(*label.values())
    for name in ("matter", "bend", "together"):
        if isinstance(rest.get(name), list):
            rest[name] = tuple(rest[name])
    return Assumptions(n_features, n_private, **rest, width=width), deviation


def _check(target: Any, wide: Any, replications: Any, random_state: Any) -> None:
    """Refuse what is no plan."""
    whole_number("replications", replications, 1, MOST_REPLICATIONS)
    whole_number("random_state", random_state, 0, 2**63)
    true_or_false("wide", wide)
    if target is not None:
        positive_number("target", target)


def n_studies(epsilon: Any, replications: int, wide: bool) -> int:
    """Return how often `progress` is called at least; a target needs more, which depend on what is found."""
    return replications * (len(_epsilons(epsilon)) + (len(WIDER) - 1) * wide)


class _Trials:
    """Simulated studies under the same assumptions."""

    def __init__(self, assumed: Assumptions, replications: int, seed: int, progress: Callable[[int], object]) -> None:
        self.assumed, self._replications, self._seed, self._progress = assumed, replications, seed, progress

    def wide(self, n_people: int, first: Row) -> dict[float, Expected]:
        """Return the error at the first row's epsilon with wider label bounds, by how many times wider."""
        found = {1.0: first.errors[SEMI]}
        for factor in WIDER[1:]:
            assumed = replace(self.assumed, width=factor * self.assumed.width)
            wider = _Trials(assumed, self._replications, self._seed, self._progress)
            found[factor] = wider.expected(SEMI, n_people, first.epsilon)[0]
        return found

    def expected(self, method: str, n_people: int, epsilon: float) -> tuple[Expected, float]:
        """Return the expected error, and how often an effect of a private feature was found."""
        tried = []
        for r in range(self._replications):
            tried.append(try_study(self.assumed, method, n_people, epsilon, (self._seed, r)))
            if method == SEMI:
                self._progress(1)
        errors = np.array([each.error for each in tried])
        spread = float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else None
        return Expected(float(errors.mean()), spread), float(np.mean([bool(each.found) for each in tried]))

    def row(self, n_people: int, epsilon: float, target: float | None) -> Row:
        """Simulate all methods at one epsilon."""
        found = {method: self.expected(method, n_people, epsilon) for method in METHODS}
        errors = {method: error for method, (error, _) in found.items()}
        needed = None if target is None else self._needed(n_people, epsilon, target, errors[SEMI].mean)
        smallest = smallest_effects(self.assumed, n_people, epsilon)
        return Row(epsilon, errors, found[SEMI][1], smallest, needed)

    def _needed(self, n_people: int, epsilon: float, target: float, here: float) -> Needed:
        def error_at(n: int) -> float:
            return here if n == n_people else self.expected(SEMI, n, epsilon)[0].mean

        return people_needed(error_at, target, n_people)


def _epsilons(epsilon: Any) -> tuple[float, ...]:
    """Return one or more epsilons, each once, in rising order."""
    if isinstance(epsilon, str | bytes) or not isinstance(epsilon, Iterable):
        return (privacy_parameter("epsilon", epsilon),)
    each = sorted({privacy_parameter("epsilon", e.item() if isinstance(e, np.generic) else e) for e in epsilon})
    if not each:
        raise refusal("epsilon", "one number, or several", "none")
    return tuple(each)


def _label(bounds: Any, deviation: Any, width: Any) -> tuple[float, float | None]:
    """Return the width of the bounds in standard deviations of the label, and that deviation, if it is known."""
    if deviation is not None:
        deviation = positive_number("label_deviation", deviation)
    if width is not None:
        width = positive_number("width", width)
    if bounds is None:
        return (USUAL_WIDTH if width is None else width), deviation
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        raise refusal("label_bounds", "two finite numbers, low < high", short(bounds))
    low, high = (finite_number("label_bounds", b, "two finite numbers, low < high") for b in bounds)
    if not low < high or not np.isfinite(high - low):
        raise refusal("label_bounds", "two finite numbers, low < high", short(bounds))
    if deviation is not None and width is not None:
        raise InputError("Of `label_bounds`, `label_deviation` and `width` two tell the third. Got all; leave one out.")
    if deviation is not None:
        return (high - low) / deviation, deviation
    width = USUAL_WIDTH if width is None else width
    return width, (high - low) / width
