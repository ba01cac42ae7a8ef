"""Effects and expectations as parts of a model: as JSON, where values are missing, at the ends, of categories."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp.models.effects import Effect
from semildp.models.expectation import Expectation
from semildp.models.places import even_cuts, even_rows, membership, place_of, within_bins

NOTHING = np.zeros((1, 0))


def one(values, shares=None, cuts=None, feature=0) -> Effect:
    """Return an effect of one feature."""
    n = len(values)
    shares = tuple([1 / n] * n) if shares is None else shares
    return Effect((feature,), (even_cuts(n) if cuts is None else cuts,), (shares,), tuple(values), tuple([0.1] * n))


def two(table, first, second) -> Effect:
    """Return an effect of features 0 and 1."""
    table = np.asarray(table, dtype=float)
    flat = tuple(table.ravel().tolist())
    cuts = tuple(even_cuts(n) for n in table.shape)
    return Effect((0, 1), cuts, (tuple(first), tuple(second)), flat, tuple(np.abs(flat).tolist()))


def at(effect: Effect, rows, *expectations, seen=None) -> list[float]:
    unit, expected = np.asarray(rows, dtype=float), {each.feature: each for each in expectations}
    seen = np.zeros((len(unit), 0)) if seen is None else np.asarray(seen, dtype=float)
    return effect.at(unit, expected, seen).tolist()


finite = st.floats(-1e6, 1e6, allow_nan=False)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_effects_survive_json_bit_for_bit(rows, columns, data):
    numbers = data.draw(st.lists(finite, min_size=2 * rows * columns, max_size=2 * rows * columns))
    shares = tuple([1 / rows] * rows), tuple([1 / columns] * columns)
    half = rows * columns
    effect = Effect((3, 7), (even_cuts(rows), even_cuts(columns)), shares, tuple(numbers[:half]), tuple(numbers[half:]))
    again = msgspec.json.decode(msgspec.json.encode(effect), type=Effect)
    assert again == effect
    assert again.table.tolist() == effect.table.tolist()
    assert again.deviation.shape == (rows, columns)


@pytest.mark.parametrize("slopes", [(), ((0.1, -0.1), (0.0, 0.0))])
def test_expectations_survive_json(slopes):
    some = Expectation(2, (0.3, 0.7), (0.5, 1.0), (1.0, 2.0), slopes)
    assert msgspec.json.decode(msgspec.json.encode(some), type=Expectation) == some
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode({**msgspec.to_builtins(some), "more": 1}), type=Expectation)


def test_places_at_the_ends_and_on_the_cuts():
    """A place holds its lower end and not its upper one, but for the last; what is outside counts as on the end."""
    cuts = even_cuts(4)
    values = [-0.5, 0.0, 0.249, 0.25, np.nextafter(0.5, 0), 0.5, 0.75, 1.0, 1.5]
    assert place_of(np.array(values), cuts).tolist() == [0, 0, 0, 1, 1, 2, 3, 3, 3]
    assert at(one([1.0, 2.0, 3.0, 4.0]), [[v] for v in (0.0, 0.25, 0.5, 0.75, 1.0)]) == [1.0, 2.0, 3.0, 4.0, 4.0]
    assert even_cuts(1) == ()
    assert at(one([7.0]), [[0.0], [1.0]]) == [7.0, 7.0]


def test_a_category_has_a_place_per_value():
    """Code j of v values is at (j + 1/2) / v of its axis."""
    values = [5.0, -1.0, 2.0]
    middles = [(j + 0.5) / 3 for j in range(3)]
    assert at(one(values), [[m] for m in middles]) == values
    assert np.allclose(membership(3, 3), np.eye(3))


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9))
def test_places_are_divided_among_bins(bins, places):
    """Every place lies in bins by parts that add up to one; a bin holds as much of all places as is its size."""
    part = membership(bins, places)
    np.testing.assert_allclose(part.sum(axis=0), 1)
    np.testing.assert_allclose(part.sum(axis=1), places / bins)
    shares = np.arange(1, places + 1) / np.arange(1, places + 1).sum()
    np.testing.assert_allclose(within_bins(bins, shares).sum(axis=1), 1)
    np.testing.assert_allclose(
        (part @ shares) @ within_bins(bins, shares), shares @ (part.T @ within_bins(bins, shares))
    )


def test_a_bin_without_people_is_even():
    assert even_rows(np.array([[0.0, 0.0], [1.0, 3.0]])).tolist() == [[0.5, 0.5], [0.25, 0.75]]
    assert within_bins(2, np.array([0.0, 0.0, 0.2, 0.8])).tolist() == [[0.25] * 4, [0.0, 0.0, 0.2, 0.8]]


def test_without_an_expectation_a_missing_value_gets_the_average():
    effect = one([1.0, 5.0], shares=(0.25, 0.75))
    assert at(effect, [[0.2], [0.8], [np.nan]]) == [1.0, 5.0, 4.0]


def test_with_an_expectation_a_missing_value_adds_nothing():
    """What is expected is in the public prediction already, and is taken off where the value is known."""
    effect, constant = one([1.0, 5.0], shares=(0.25, 0.75)), Expectation.constant(0, np.array([0.25, 0.75]))
    assert at(effect, [[0.2], [0.8], [np.nan]], constant) == [-3.0, 1.0, 0.0]


def test_what_is_expected_depends_on_public_columns():
    """With bins 1/2 + x/4 and 1/2 - x/4, x standardised; probabilities are cut at 0 and add up to 1."""
    slopes, mean, scale = np.array([[0.25, -0.25]]), np.array([10.0]), np.array([2.0])
    linear = Expectation.linear(0, np.array([0.5, 0.5]), slopes, mean, scale)
    seen = np.array([[10.0], [12.0], [2.0], [np.nan]])
    assert linear.at(seen).tolist() == [[0.5, 0.5], [0.75, 0.25], [0.0, 1.0], [0.5, 0.5]]
    effect = one([1.0, 5.0])
    assert at(effect, [[0.2]] * 4, linear, seen=seen) == [-2.0, -1.0, -4.0, -2.0]
    assert at(effect, [[np.nan]] * 4, linear, seen=seen) == [0.0] * 4


def test_slopes_of_nothing_are_a_constant():
    flat = Expectation.linear(0, np.array([0.5, 0.5]), np.zeros((1, 2)), np.zeros(1), np.ones(1))
    assert flat == Expectation.constant(0, np.array([0.5, 0.5]))
    assert flat.at(np.zeros((5, 1))).shape == (1, 2)


def test_a_second_value_that_is_missing_is_averaged_over_and_a_first_one_adds_nothing():
    table = [[1.0, 2.0], [3.0, 8.0]]
    effect = two(table, (0.5, 0.5), (0.25, 0.75))
    rows = [[0.2, 0.2], [0.8, 0.8], [0.2, np.nan], [0.8, np.nan], [np.nan, 0.2], [np.nan, np.nan]]
    assert at(effect, rows) == [1.0, 8.0, 1.75, 6.75, 2.0, 4.25]
    constant = Expectation.constant(0, np.array([0.5, 0.5]))
    assert at(effect, rows, constant) == [-1.0, 3.0, -2.5, 2.5, 0.0, 0.0]


def test_of_two_private_features_what_is_expected_beyond_the_average_is_taken_off():
    """Bins 1/2 + x/4 and 1/2 - x/4 of the first, 1/4 and 3/4 of the second; both missing add nothing."""
    effect = two([[1.0, 2.0], [3.0, 8.0]], (0.5, 0.5), (0.25, 0.75))
    slopes, mean, scale = np.array([[0.25, -0.25]]), np.array([10.0]), np.array([2.0])
    first = Expectation.linear(0, np.array([0.5, 0.5]), slopes, mean, scale)
    second = Expectation.constant(1, np.array([0.25, 0.75]))
    seen = [[10.0], [12.0], [12.0], [12.0]]
    rows = [[0.2, 0.2], [0.2, 0.2], [0.8, 0.8], [np.nan, np.nan]]
    expected = (0.75 - 0.5) * (0.25 * 1 + 0.75 * 2) + (0.25 - 0.5) * (0.25 * 3 + 0.75 * 8)
    assert at(effect, rows, first, second, seen=seen) == pytest.approx([1.0, 1.0 - expected, 8.0 - expected, 0.0])
    constant = Expectation.constant(0, np.array([0.5, 0.5]))
    assert at(effect, rows, constant, second, seen=seen) == [1.0, 1.0, 8.0, 0.0]


def test_expected_bins_may_be_coarser_or_finer_than_places():
    """In one bin of four places, by their shares; in eight bins, each lies in one place."""
    effect = one([1.0, 2.0, 3.0, 4.0], shares=(0.1, 0.2, 0.3, 0.4))
    assert at(effect, [[0.1]], Expectation.constant(0, np.array([1.0]))) == pytest.approx([1.0 - 3.0])
    eight = Expectation.constant(0, np.array([0.05, 0.05, 0.1, 0.1, 0.15, 0.15, 0.2, 0.2]))
    assert at(effect, [[0.1]], eight) == pytest.approx([1.0 - 3.0])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_effects_average_to_nothing_over_the_people_they_are_expected_for(seed):
    """If people lie in bins as expected and at places by their shares, an effect less its expectation has mean 0."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(6))
    effect = one(rng.normal(size=6).tolist(), shares=tuple(shares.tolist()))
    bins = membership(3, 6) @ shares
    middles = (np.arange(6) + 0.5) / 6
    added = at(effect, middles[:, None], Expectation.constant(0, bins))
    assert shares @ added == pytest.approx(0, abs=1e-12)
