"""HistOfTreeDensity: masses, densities, boxes, samples, missing entries, categories, standard deviations."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2

from semildp import HistOfTreeDensity, InputError, masks
from semildp.models import DensityBody, Model

RNG = np.random.default_rng(0)
N = 3000
X = np.column_stack([RNG.beta(2, 4, N), RNG.uniform(-2, 2, N), RNG.beta(4, 2, N) * 10])
BOUNDS = [(0, 1), (-2, 2), (0, 10)]
WORDS = ["red", "green", "blue"]
FRAME = pd.DataFrame({"a": X[:, 0], "colour": np.array(WORDS)[RNG.choice(3, N, p=[0.6, 0.3, 0.1])], "b": X[:, 1]})
DOMAINS = {"a": (0, 1), "colour": WORDS, "b": (-2, 2)}
FAR = 1e-9  # false alarms per statistical test


def fitted(epsilon=2.0, mask=None, **parameters):
    given = {"feature_bounds": BOUNDS, "random_state": 0, **parameters}
    if mask is None and "private_features" not in given:
        given["private_features"] = [0]
    return HistOfTreeDensity(epsilon, **given).fit(X, mask=mask)


WAYS = {
    "aligned": lambda: fitted(),
    "two private": lambda: fitted(private_features=[0, 2]),
    "personal": lambda: fitted(mask=masks.heavy_tail(N, 3, 1.0)),
    "no public feature": lambda: fitted(private_features=[0, 1, 2]),
    "hidden masks": lambda: fitted(hide_mask=True),
    "nothing private": lambda: fitted(private_features=[]),
    "little epsilon": lambda: fitted(epsilon=1e-3),
    "rr": lambda: fitted(cell_mechanism="rr", mask=masks.staircase(N, 3, 1)),
    "no tree": lambda: fitted(depth=0, bins=5),
}


@pytest.mark.parametrize("way", WAYS)
def test_masses_add_up_to_1_and_no_place_is_impossible(way):
    model = WAYS[way]()
    body = model.model_.density
    assert math.fsum(body.masses) == pytest.approx(1, abs=1e-12)
    volume = model.partition_.n_cells
    assert min(body.masses) >= 1 / volume / (N + 1) * (1 - 1e-9)
    assert min(body.variances) >= 0
    assert model.probability([None] * 3) == pytest.approx(1, abs=1e-12)
    assert np.isfinite(model.score_samples(X)).all()
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())


@pytest.mark.parametrize("way", WAYS)
def test_the_density_integrates_to_the_probability_of_a_box(way):
    """Exact but for rounding: cells are constant on a fine enough grid whose lines hold all cell borders."""
    model = WAYS[way]()
    bins = math.lcm(*model.partition_.bins) if model.partition_.bins else 1
    sides = [np.unique(np.concatenate([np.arange(65) / 64, np.arange(bins + 1) / bins])) for _ in range(3)]
    if len(model.partition_.histogram_features) == 3:
        sides = [np.arange(bins + 1) / bins for _ in range(3)]
    middles = [(s[1:] + s[:-1]) / 2 for s in sides]
    widths = np.ones(1)
    for s in sides:
        widths = np.multiply.outer(widths, np.diff(s)).ravel()
    low, high = np.array(BOUNDS).T
    points = low + np.array(np.meshgrid(*middles, indexing="ij")).reshape(3, -1).T * (high - low)
    density = np.exp(model.score_samples(points))
    assert density @ widths * np.prod(high - low) == pytest.approx(1, abs=1e-9)
    box = [(0.25, 0.5), (-2, 0), (2.5, 10)]
    inside = np.all([(points[:, j] > a) & (points[:, j] < b) for j, (a, b) in enumerate(box)], axis=0)
    if len(model.partition_.histogram_features) < 3:
        exact = density[inside] @ widths[inside] * np.prod(high - low)
        if all(b in (1, 2, 4, 8, 16) for b in model.partition_.bins):  # else the box cuts cells
            assert model.probability(box) == pytest.approx(exact, abs=1e-9)


def test_outside_the_bounds_there_is_nothing():
    model = fitted()
    rows = np.array([[0.5, 0, 5], [1.0, 2.0, 10.0], [1.01, 0, 5], [0.5, -2.01, 5], [np.nan, 0, 10.5]])
    assert np.isfinite(model.score_samples(rows)).tolist() == [True, True, False, False, False]
    assert (model.score_samples(rows)[2:] == -np.inf).all()
    assert model.probability([(2, 3), None, None]) == 0
    assert model.probability([(-5, 5), (-9, 9), (-math.inf, math.inf)]) == pytest.approx(1, abs=1e-12)


def test_boxes_add_up_and_may_cut_cells():
    model = fitted(mask=masks.heavy_tail(N, 3, 1.0))
    cuts = [0, 0.137, 0.51, 1]
    parts = [
        model.probability([(a, b), (c, d), None])
        for (a, b), (c, d) in itertools.product(itertools.pairwise(cuts), [(-2, 0.3), (0.3, 2)])
    ]
    assert math.fsum(parts) == pytest.approx(1, abs=1e-12)
    assert model.probability({"x0": (0, 0.137), "x1": (-2, 0.3)}) == parts[0]


@pytest.mark.parametrize("way", ["aligned", "two private", "personal"])
def test_missing_entries_are_integrated_out(way):
    """The density of the entries that are there is the integral over the missing one, by parts with all cell ends."""
    model = WAYS[way]()
    rows = X[:20]
    bins = model.partition_.bins[0]
    for j in range(3):
        low, high = BOUNDS[j]
        holes = rows.copy()
        holes[:, j] = np.nan
        ends = np.unique(np.concatenate([np.arange(1025) / 1024, np.arange(bins + 1) / bins, [0, 1]]))
        grid = np.repeat(rows, len(ends) - 1, axis=0)
        grid[:, j] = low + np.tile((ends[1:] + ends[:-1]) / 2, len(rows)) * (high - low)
        density = np.exp(model.score_samples(grid)).reshape(len(rows), -1)
        whole = density @ np.diff(ends) * (high - low)
        np.testing.assert_allclose(np.exp(model.score_samples(holes)), whole, rtol=1e-9)
    np.testing.assert_allclose(model.score_samples(np.full((2, 3), np.nan)), 0, atol=1e-12)


def test_samples_follow_the_masses():
    """Chi-square over all cells with an expected count of 5 or more; wrong once in 10**9."""
    model, n = fitted(bins=4, depth=3), 40_000
    drawn = model.sample(n, random_state=1)
    low, high = np.array(BOUNDS).T
    assert ((drawn >= low) & (drawn <= high)).all()
    counts = np.bincount(model.partition_.cell(drawn), minlength=model.partition_.n_cells)
    expected = n * np.asarray(model.model_.density.masses)
    enough = expected >= 5
    statistic = ((counts - expected)[enough] ** 2 / expected[enough]).sum()
    assert statistic < chi2.isf(FAR, enough.sum())
    np.testing.assert_array_equal(drawn, model.sample(n, random_state=1))
    assert (drawn[:5] != model.sample(5)).any()
    inside = (drawn[:, 0] < 0.3).sum()  # uniform within cells, too
    assert FAR < binom.cdf(inside, n, model.probability([(0, 0.3), None, None])) < 1 - FAR


def test_a_category_has_a_probability_for_each_value():
    """With much epsilon masses are those of the people; a density over values is a probability."""
    model = HistOfTreeDensity(50.0, feature_bounds=DOMAINS, private_features=["colour"], random_state=0).fit(FRAME)
    shares = [model.probability({"colour": word}) for word in WORDS]
    seen = [(FRAME["colour"] == word).mean() for word in WORDS]
    np.testing.assert_allclose(shares, seen, atol=0.02)
    assert math.fsum(shares) == pytest.approx(1, abs=1e-12)
    assert model.probability({"colour": ["red", "blue"]}) == pytest.approx(shares[0] + shares[2], abs=1e-12)
    alone = pd.DataFrame({"a": [np.nan] * 3, "colour": WORDS, "b": [np.nan] * 3})
    np.testing.assert_allclose(np.exp(model.score_samples(alone)), shares, rtol=1e-9)
    drawn = model.sample(500, random_state=0)
    assert set(drawn[:, 1]) <= set(WORDS)
    assert 0.4 < (drawn[:, 1] == "red").mean() < 0.8


def test_a_public_category_is_split_by_the_tree_and_empty_halves_have_no_mass():
    model = HistOfTreeDensity(1.0, feature_bounds=DOMAINS, private_features=["a"], depth=5, random_state=0).fit(FRAME)
    shares = [model.probability({"colour": word}) for word in WORDS]
    seen = [(FRAME["colour"] == word).mean() for word in WORDS]
    np.testing.assert_allclose(shares, seen, atol=0.03)
    assert math.fsum(shares) == pytest.approx(1, abs=1e-12)
    assert np.isfinite(model.score_samples(FRAME)).all()
    assert set(model.sample(2000, random_state=0)[:, 1]) == set(WORDS)


def test_public_margins_are_known_and_epsilon_does_not_matter_to_them():
    """A box of public features has the share of people in it, whatever the noise."""
    shares = {fitted(epsilon=e, depth=4, bins=2).probability([None, (-2, 0), (5, 10)]) for e in (0.01, 1.0, 100.0)}
    assert max(shares) - min(shares) < 1e-12
    assert shares.pop() == pytest.approx(((X[:, 1] < 0) & (X[:, 2] >= 5)).mean(), abs=0.03)


def test_reports_of_who_hides_a_feature_are_used():
    """Nine in ten hide the first feature, of which half the mass is in a tenth: public people alone err more."""
    errors = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows = np.where(rng.random((N, 3)) < 0.5, 0.1, 1.0) * rng.random((N, 3))
        hidden = np.column_stack([rng.random(N) < 0.9, np.zeros((N, 2), dtype=bool)])
        model = HistOfTreeDensity(4.0, feature_bounds=(0, 1), random_state=seed).fit(rows, mask=hidden)
        errors.append(model.probability([(0, 0.125), None, None], return_std=True))
    spread = [deviation for _, deviation in errors]
    assert max(spread) < math.sqrt(0.25 / (0.1 * N))  # of 300 people


@pytest.mark.parametrize("personal", [False, True])
def test_standard_deviations_of_boxes_are_honest(personal):
    """Boxes of whole cells, uniform people: no more than 5 % lie beyond two deviations; wrong once in 10**9."""
    beyond, total = 0, 0
    boxes = [
        [(0, 0.5), None, None],
        [(0, 0.25), (0, 0.5), None],
        [None, (0, 0.5), (0.5, 1)],
        [(0.5, 1), None, (0, 0.5)],
    ]
    for seed in range(60):
        rng = np.random.default_rng([seed, personal])
        rows = rng.random((600, 3))
        hidden = rng.random((600, 3)) < ([0.8, 0.3, 0.0] if personal else [2, 0, 0])
        model = HistOfTreeDensity(2.0, feature_bounds=(0, 1), bins=4, random_state=seed).fit(rows, mask=hidden)
        for box in boxes:
            mass, deviation = model.probability(box, return_std=True)
            truth = np.prod([1 if side is None else side[1] - side[0] for side in box])
            beyond, total = beyond + (abs(mass - truth) > 2 * deviation), total + 1
    assert binom.sf(beyond - 1, total, 0.05) > FAR


def test_everything_and_nothing_have_no_deviation():
    model = fitted()
    assert model.probability([None] * 3, return_std=True) == (pytest.approx(1), pytest.approx(0, abs=1e-12))
    assert model.probability([(2, 3), None, None], return_std=True) == (0, 0)


def test_json_brings_back_the_same_density_bit_for_bit():
    model = fitted(mask=masks.heavy_tail(N, 3, 1.0)).model_
    again = Model.from_json(model.to_json())
    assert again == model
    assert isinstance(again.body, DensityBody)
    assert again.log_density(X).tobytes() == model.log_density(X).tobytes()
    with pytest.raises(InputError, match="Got a density"):
        model.predict(X)


def test_what_was_spent_is_epsilon_once_and_nothing_where_nothing_is_hidden():
    model = fitted(epsilon=1.5, mask=masks.heavy_tail(N, 3, 2.0))
    for group in model.privacy_.groups:
        assert (group.label_epsilon, group.feature_epsilon) == (0.0, 1.5 if group.n_private else 0.0)
    assert model.privacy_.epsilon == 1.5
    assert "cells" in model.report()
    assert WAYS["nothing private"]().privacy_.epsilon == 0


def test_pickle_brings_back_the_same():
    model = fitted()
    again = pickle.loads(pickle.dumps(model))
    assert again.score_samples(X).tobytes() == model.score_samples(X).tobytes()


@pytest.mark.parametrize(
    ("box", "words"),
    [
        ([None, None], "an entry for each of 3 features"),
        ("x0", "an entry for each of 3 features"),
        ({"height": (0, 1)}, "features among"),
        ([(1, 0), None, None], "low <= high"),
        ([(0, math.nan), None, None], "low <= high"),
        ([0.5, None, None], "two numbers"),
        ([("a", "b"), None, None], "two numbers"),
    ],
)
def test_boxes_that_are_none_are_refused(box, words):
    with pytest.raises(InputError, match=words):
        fitted().probability(box)


def test_a_mask_that_is_passed_as_y_is_refused():
    with pytest.raises(InputError, match="`mask` must be passed by its name"):
        HistOfTreeDensity(feature_bounds=BOUNDS).fit(X, masks.first(N, 3, 1))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"cell_mechanism": "subset"}, "cell_mechanism"),
        ({"bins": 0}, "bins"),
        ({"depth": 21}, "depth"),
        ({"depth": 18, "bins": 64}, "at most 1048576 cells"),
        ({"bias_weight": 0}, "bias_weight"),
        ({"n_histogram_features": 4}, "n_histogram_features"),
        ({"epsilon": 0}, "epsilon"),
        ({"hide_mask": "yes"}, "hide_mask"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        HistOfTreeDensity(**{"feature_bounds": BOUNDS, "private_features": [0], **parameters}).fit(X)
