"""A budget is refused when it means nothing, and its parts never add up to more than the whole."""

from __future__ import annotations

import dataclasses
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semildp.budgets import Budget, equal_part
from semildp.errors import InputError

NOT_NUMBERS = ["1", None, True, False, np.True_, 1j, [1.0], np.array([1.0, 2.0]), Decimal(1)]


@pytest.mark.parametrize("epsilon", [0, 0.0, -0.0, -1, -1e-300, math.nan, math.inf, -math.inf, *NOT_NUMBERS], ids=repr)
def test_epsilon_that_means_nothing_is_refused(epsilon: object) -> None:
    with pytest.raises(InputError, match=r"^`epsilon` must be a finite number above 0\. Got "):
        Budget(epsilon)


@pytest.mark.parametrize("share", [0, 1, 0.0, 1.0, -0.1, 1.1, math.nan, math.inf, -math.inf, *NOT_NUMBERS], ids=repr)
def test_label_share_outside_0_and_1_is_refused(share: object) -> None:
    with pytest.raises(InputError, match=r"^`label_share` must be a number strictly between 0 and 1\. Got "):
        Budget(1.0, share)


@pytest.mark.parametrize("epsilon", [1, np.int64(1), np.float32(1), np.float64(1), Fraction(1)], ids=repr)
def test_any_real_number_will_do(epsilon: object) -> None:
    budget = Budget(epsilon)
    assert type(budget.epsilon) is float
    assert (budget.label, budget.cell) == (0.5, 0.5)


def test_a_whole_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(InputError):
        Budget(10**400)


@given(
    st.floats(0, allow_infinity=False, exclude_min=True),
    st.floats(0, 1, exclude_min=True, exclude_max=True),
)
@example(0.1, 0.3)
@example(1.0, math.nextafter(1.0, 0.0))
@example(5e-324, 0.5)
@example(1.7976931348623157e308, 0.7)
def test_the_parts_never_add_up_to_more_than_the_whole(epsilon: float, share: float) -> None:
    """As fractions: floating-point addition would hide the excess that floating-point subtraction makes."""
    budget = Budget(epsilon, share)
    assert budget.label >= 0
    assert budget.cell >= 0
    assert Fraction(budget.label) + Fraction(budget.cell) <= Fraction(budget.epsilon)


@given(st.floats(1e-9, 1e3), st.floats(0.01, 0.99))
def test_next_to_nothing_is_wasted(epsilon: float, share: float) -> None:
    budget = Budget(epsilon, share)
    assert budget.label == pytest.approx(share * epsilon, rel=1e-15)
    spent = Fraction(budget.label) + Fraction(budget.cell)
    assert spent >= Fraction(epsilon) * (1 - Fraction(1, 2**50))


@given(st.floats(1e-300, 1e300), st.integers(1, 1000))
@example(0.1, 3)
def test_equal_parts_never_add_up_to_more_than_the_whole(epsilon: float, n_parts: int) -> None:
    part = equal_part(epsilon, n_parts)
    assert Fraction(epsilon) * (1 - Fraction(1, 2**50)) <= Fraction(part) * n_parts <= Fraction(epsilon)


def test_a_budget_is_fixed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Budget(1.0).epsilon = 2.0
