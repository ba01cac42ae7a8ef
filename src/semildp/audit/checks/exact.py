"""Checks that draw nothing: what a mechanism states is held against its claim, over the whole domain."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Ints, Words
from semildp.audit.finding import ViolationError, require
from semildp.audit.laws.estimates import estimate_law, targets
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import law_error
from semildp.audit.laws.values import MANY_VALUES, all_values, spread_values
from semildp.audit.laws.wide import is_wide, wide_law
from semildp.audit.laws.worst import worst_ratio
from semildp.errors import InputError
from semildp.mechanisms import Mechanism


def check_likelihood_ratio(mechanism: Mechanism, outputs: Ints | None = None) -> float:
    """No output is more than e**epsilon times likelier under one value than under another, up to float64 rounding."""
    worst = worst_ratio(mechanism, outputs)
    require(
        worst.log_ratio <= mechanism.epsilon + worst.rounding,
        f"The worst log likelihood ratio {worst.log_ratio!r} is above the claimed epsilon {mechanism.epsilon!r}: "
        f"output {worst.output} under value {worst.value} against value {worst.other}.",
    )
    return worst.log_ratio


def check_realised_epsilon(mechanism: Mechanism) -> float:
    """In exact arithmetic, and without any tolerance, the thresholds in use stay within epsilon."""
    realised = mechanism.realised_epsilon
    require(isinstance(realised, Decimal), "realised_epsilon must be exact, a Decimal.")
    require(
        Decimal(0) <= realised <= Decimal(mechanism.epsilon),
        f"realised_epsilon {realised} is not between 0 and the claimed epsilon {mechanism.epsilon!r}.",
    )
    return float(realised)


def check_realised_as_stated(mechanism: Mechanism) -> None:
    """The thresholds in use are those of the stated law: realised_epsilon agrees with log_probability to 1e-6.

    A threshold is a whole number of 2**-64, at least 2**64 / e**epsilon of them: rounding it by one changes a log ratio
    by at most e**epsilon / 2**64. Two thresholds may be rounded, so twice that is allowed on top.
    """
    ratio = worst_ratio(mechanism).log_ratio
    realised = float(mechanism.realised_epsilon)
    allowed = 1e-6 * mechanism.epsilon + 2 * math.exp(min(mechanism.epsilon, 100.0)) / 2**64
    require(
        abs(realised - ratio) <= allowed,
        f"realised_epsilon {realised!r} is not that of the stated law, {ratio!r}.",
    )


def check_total_probability(mechanism: Mechanism) -> None:
    """The stated probabilities of all outputs add up to 1 for every value; of very many values, for some."""
    outputs = listed_outputs(mechanism)
    values = all_values(mechanism) if mechanism.n_values <= MANY_VALUES else spread_values(mechanism)
    if outputs is None:
        error = wide_law(mechanism).error if is_wide(mechanism) else law_error(mechanism, values)
        require(
            error <= 1e-9, f"The probabilities of rows are {error:.2g} off those of their entries, or off adding up."
        )
        return
    total = np.exp(log_table(mechanism, outputs, values)).sum(axis=1)
    worst = int(np.abs(total - 1).argmax())
    require(
        abs(total[worst] - 1) <= 1e-8,
        f"The probabilities of value {values[worst]} add up to {total[worst]!r}, not to 1.",
    )


def check_unbiased_exactly(mechanism: Mechanism) -> None:
    """The sum over outputs of probability times estimate is the value, or its indicator, for every value."""
    values = all_values(mechanism)
    worth, chance = estimate_law(mechanism, values)
    mean = (worth * chance).sum(axis=2)
    error = np.abs(mean - targets(mechanism, values, mean.shape[1])).max()
    require(error <= 1e-12 * (1 + np.abs(worth).max()), f"The estimate is biased by {error:.3g}.")


def check_variance_exactly(mechanism: Mechanism) -> None:
    """`variance` is the variance of `estimate` under the stated law, for every value and every column."""
    values = all_values(mechanism)
    worth, chance = estimate_law(mechanism, values)
    stated = np.asarray(mechanism.variance(values)).reshape(worth.shape[:2])
    mean = (worth * chance).sum(axis=2)
    actual = ((worth - mean[:, :, None]) ** 2 * chance).sum(axis=2)
    excess = np.abs(stated - actual) - 1e-6 * actual - 1e-11 * np.abs(worth).max() ** 2
    where = np.unravel_index(excess.argmax(), excess.shape)
    require(excess[where] <= 0, f"The stated variance {stated[where]:.6g} should be {actual[where]:.6g}.")


def check_refusals(mechanism: Mechanism) -> None:
    """Values outside the domain are refused with InputError, before a single word is drawn."""
    n = mechanism.n_values
    bad: dict[str, NDArray[Any]] = {
        "a negative value": np.array([0, -1]),
        "n_values": np.array([0, n]),
        "a value far beyond the domain": np.array([2**62]),
        "a value that wraps around as a signed number": np.array([2**64 - 1], dtype=np.uint64),
        "floats": np.array([0.0]),
        "NaN": np.array([np.nan]),
        "booleans": np.array([False]),
        "strings": np.array(["0"]),
        "a 2-d array": np.array([[0]]),
        "a 0-d array": np.array(0),
    }
    for name, values in bad.items():
        try:
            mechanism.randomise(values, NoSource())
        except InputError:
            continue
        except Exception as error:
            raise ViolationError(f"{name}: InputError was required. Got {type(error).__name__}: {error}") from error
        raise ViolationError(f"{name} was randomised, not refused.")


class NoSource:
    """A source that must not be asked."""

    def words(self, *shape: int) -> Words:
        """Refuse."""
        raise ViolationError("Randomness was drawn before the values were checked.")
