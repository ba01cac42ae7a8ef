"""The parts of error bars: relevance of axes, half-widths, saturation; and the functions they are tried on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from benchmarks.coverage import studies
from benchmarks.coverage_store import Outcome, Store
from benchmarks.drawn_functions import SPREAD, drawn
from semildp._arrays import Floats
from semildp.curator.beliefs.evidence import Told, gram
from semildp.curator.beliefs.relevance import CHANCES, axis_shapes, covariances, part_chances
from semildp.curator.beliefs.single import EDGES, LIKELY, whole_share
from semildp.models.bars import Errors
from semildp.models.belief import Axis
from semildp.models.saturation import saturation
from semildp.models.within_cells import even_points

AXES = tuple(Axis(j, 6, (0.0, 1.0), (0.0, 1.0)) for j in range(3))


def sums_of(function: Floats, functions: list[Floats]) -> tuple[Floats, Floats]:
    """Return Gram matrix and products of labels with a noise of variance 1/4, the constant taken off."""
    noisy = function + 0.5 * np.random.default_rng(3).normal(size=len(function))
    found = gram(Told(functions, noisy - noisy.mean(), np.full(len(noisy), 4.0)))
    return found[1:-1, 1:-1], found[1:-1, -1]


def test_axes_that_matter_are_told_from_those_that_do_not() -> None:
    """One of three axes has a line: it gets several times the variance of each other, and mostly that of a line."""
    X = np.random.default_rng(2).uniform(size=(2_000, 3))
    functions = [axis.functions(X[:, axis.feature]) for axis in AXES]
    sums = sums_of(X[:, 1], functions)
    whole = whole_share(AXES, *sums, 0.33)
    found = covariances(AXES, *sums, 0.33, EDGES, whole)
    sizes = [float(np.trace(found[6 * a : 6 * a + 6, 6 * a : 6 * a + 6])) for a in range(3)]
    assert sizes[1] > 5 * max(sizes[0], sizes[2])
    assert found[6, 6] > 0.9 * sizes[1]
    np.testing.assert_allclose(found, found.T, atol=1e-12)


def test_sweeps_agree_with_covariances_that_are_computed_anew() -> None:
    """Q and r are kept up to date: one more axis judged from scratch is what the sweeps ended with."""
    X = np.random.default_rng(4).uniform(size=(500, 3))
    functions = [axis.functions(X[:, axis.feature]) for axis in AXES]
    gram_matrix, cross = sums_of(X[:, 0] ** 2 - X[:, 2], functions)
    found = covariances(AXES, gram_matrix, cross, 0.4, EDGES, LIKELY)
    others = found.copy()
    others[12:, 12:] = 0.0  # the last axis is judged last, beside the others as they are in the end
    after = np.linalg.solve(np.eye(18) + others @ gram_matrix, others)
    alone, products = gram_matrix - gram_matrix @ after @ gram_matrix, cross - gram_matrix @ after @ cross
    from semildp.curator.beliefs.relevance import _judged

    expected = _judged(axis_shapes(6), alone[12:, 12:], products[12:], 0.4, part_chances(3, EDGES, LIKELY))
    np.testing.assert_allclose(found[12:, 12:], expected, rtol=1e-6, atol=1e-12)


def test_chances_add_up() -> None:
    """Of shapes, of parts that an axis explains; a shape has variance 1, also of a category's single function."""
    assert CHANCES.sum() == pytest.approx(1)
    for terms in (1, 2, 6):
        np.testing.assert_allclose((axis_shapes(terms) ** 2).sum(axis=(1, 2)), 1)
    for n_axes in (1, 5, 40):
        assert part_chances(n_axes, EDGES, LIKELY).sum() == pytest.approx(1)


def test_rows_together_have_one_half_width() -> None:
    """Its probability is right on average over them; one row alone has that of `within`."""
    rng = np.random.default_rng(0)
    errors = Errors(rng.normal(size=12), rng.uniform(0.1, 1, size=12))
    half = np.repeat(errors.within(0.9, 4), 4)
    deviation = np.sqrt(errors.variance)
    held = ndtr((half - errors.mean) / deviation) - ndtr((-half - errors.mean) / deviation)
    np.testing.assert_allclose(held.reshape(3, 4).mean(axis=1), 0.9, atol=1e-9)
    np.testing.assert_array_equal(errors.within(0.9, 1), errors.within(0.9))


def test_points_are_spread_evenly() -> None:
    """Every eighth of each side of a box has 4 to 12 of 64 points; even spread is 8."""
    points = even_points(64, 5)
    counts = np.array([np.bincount((8 * column).astype(np.int64), minlength=8) for column in points.T])
    assert counts.shape == (5, 8)
    assert counts.min() >= 4
    assert counts.max() <= 12


def test_saturation_is_what_a_line_leaves_of_a_probability() -> None:
    """For normal z, by integration; nothing is left of small variances."""
    z = ndtri((np.arange(20_000) + 0.5) / 20_000)
    f = ndtr(1.5 * z)
    left = f.var() - np.mean((f - 0.5) * z) ** 2
    assert saturation(float(f.var()), 0.25) == pytest.approx(left, rel=0.01)
    assert saturation(0.001, 0.25) < 1e-6
    assert saturation(10.0, 0.25) == saturation(0.2, 0.25)


def test_drawn_functions_are_as_described() -> None:
    """Of 200: standard deviations within their range, up to chance; in (0, 1); about a quarter go together."""
    rng = np.random.default_rng(0)
    found = [drawn(rng) for _ in range(200)]
    for each in found:
        X = each.draw(rng, 2_000)
        assert X.min() >= 0
        assert X.max() <= 1
        assert SPREAD[0] * 0.85 < each.function(X).std() < SPREAD[1] * 1.15
    assert 25 <= sum(each.mixing is not None for each in found) <= 75  # 4 standard deviations
    assert {len(each.features) for each in found} == {1, 2, 3, 4, 5}


def test_studies_are_continued(tmp_path: Path) -> None:
    """What is in the file is there again, to the last bit."""
    path, outcome = tmp_path / "found.csv", Outcome(0.9, 1 / 3, 0.1, 0.2)
    Store(path).put("joint drawn", 1_000, outcome)
    again = Store(path)
    assert again.get("joint drawn", 1_000) == outcome
    assert again.get("joint drawn", 1_001) is None
    assert studies("5") == range(5)
    assert studies("1000..1500") == range(1_000, 1_500)
