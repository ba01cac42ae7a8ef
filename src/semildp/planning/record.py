"""A plan as data: what is expected at each epsilon, under which assumptions, found how."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from semildp.planning.assumptions import Assumptions


@dataclass(frozen=True)
class Expected:
    """An expected error, in units of the label's variance: mean over simulated studies, and its standard error.

    One study alone has no standard error: None.
    """

    mean: float
    standard_error: float | None


@dataclass(frozen=True)
class Needed:
    """People needed for a target error.

    Parameters
    ----------
    about
        How many, about; None: more than were tried, or no number is enough.
    tried
        Numbers of people that were simulated, and the error of each.
    """

    about: int | None
    tried: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Row:
    """What is expected at one epsilon.

    Parameters
    ----------
    epsilon
        What each person spends.
    errors
        By estimator, the expected squared difference between its prediction and the best one there is; simulated.
    found
        Share of simulated studies in which some effect of a private feature was told from noise.
    smallest
        By number of features, 1 or 2 together: the smallest effect found with probability 80 % (of 2: about 2 in 3), as
        share of the label's variance; by a formula. Above 1: none. Empty where no feature is hidden by most people.
    needed
        People needed for the target, with `SemiPrivateRegressor`; simulated. None: there is no target.
    """

    epsilon: float
    errors: Mapping[str, Expected]
    found: float
    smallest: Mapping[int, float]
    needed: Needed | None = None


@dataclass(frozen=True)
class Plan:
    """What a study is expected to come to. `print(plan)` shows it; `as_dict` has it in plain types.

    Parameters
    ----------
    n_people, assumed
        The people, and what is assumed of them.
    rows
        One for each epsilon, in rising order.
    deviation
        Standard deviation of the label in its own units; None: not known.
    target
        The error that is wanted, in units of the label's variance.
    wide
        By how many times as wide as assumed the label bounds are: the error at the smallest epsilon.
    replications, random_state
        Simulated studies behind each error, and their seed: the same plan again gives the same numbers.
    """

    n_people: int
    assumed: Assumptions
    rows: tuple[Row, ...]
    deviation: float | None = None
    target: float | None = None
    wide: Mapping[float, Expected] = field(default_factory=dict)
    replications: int = 20
    random_state: int = 0

    @property
    def enough(self) -> float | None:
        """The smallest epsilon that reaches the target, between rows along a line in logarithms; None: none does."""
        if self.target is None:
            return None
        points = [(row.epsilon, row.errors["SemiPrivateRegressor"].mean) for row in self.rows]
        for at, (epsilon, error) in enumerate(points):
            if error <= self.target:
                if at == 0:
                    return epsilon
                (before, larger), wanted = points[at - 1], math.log(self.target)
                if error <= 0:
                    return epsilon
                part = (math.log(larger) - wanted) / (math.log(larger) - math.log(error))
                return float(math.exp(math.log(before) + part * (math.log(epsilon) - math.log(before))))
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return the plan in plain types, which `json.dumps` takes; None where no effect would be found."""
        plain = asdict(self)
        for row in plain["rows"]:
            row["smallest"] = {str(k): v if v < 1 else None for k, v in row["smallest"].items()}
        plain["wide"] = {f"{factor:g}": each for factor, each in plain["wide"].items()}
        plain["enough"] = self.enough
        plain["found_by"] = {
            "errors": "simulation",
            "needed": "simulation",
            "wide": "simulation",
            "smallest": "formula",
        }
        return plain

    def as_text(self) -> str:
        """Return the plan as tables with a sentence each."""
        from semildp.planning.told import plan_text

        return plan_text(self)

    def __str__(self) -> str:
        return self.as_text()
