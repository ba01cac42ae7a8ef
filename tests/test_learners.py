"""The default learner: trusts noisy labels only as far as they bear it out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline
from sklearn.linear_model import Ridge

from semildp.curator.learning import NoisyLabelAverage, learned
from semildp.curator.learning.boosting import leaf_values
from semildp.curator.learning.design import Design
from semildp.curator.learning.extent import Extent
from semildp.curator.learning.pairs import best_pairs
from semildp.curator.learning.ridge import ridge
from semildp.curator.learning.stacking import stack
from semildp.curator.learning.steps import Steps
from semildp.models.splines import spline_basis
from tests.people import simulate, true_function

FRESH = np.random.default_rng(99).uniform(size=(2000, 5))

INTERACTIONS = {
    "xor": lambda X: 1.0 * ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)),
    "xor, uneven": lambda X: 1.0 * ((X[:, 2] > 0.3) ^ (X[:, 4] > 0.7)),
    "product of centred": lambda X: 4 * (X[:, 1] - 0.5) * (X[:, 3] - 0.5),
    "three-way": lambda X: 2.0 * (X[:, 0] > 0.4) * (X[:, 1] > 0.4) * X[:, 2],
}


def left_over(model, f, X=FRESH):
    """Squared error over the variance of the function."""
    return np.mean((model.predict(X) - f(X)) ** 2) / f(X).var()


class TestNoisyLabelAverage:
    @pytest.mark.parametrize("rough", [False, True])
    def test_pure_noise_leaves_the_mean(self, rough):
        """Trust is 0 or small: over 20 draws the predictions' variance is below 2 % of the labels' on average."""
        rng = np.random.default_rng(0)
        ratios = []
        for _ in range(20):
            X, y = rng.uniform(size=(200, 4)), rng.normal(size=200)
            ratios.append(NoisyLabelAverage(rough=rough).fit(X, y).predict(X).var() / y.var())
        assert np.mean(ratios) < 0.02

    def test_signal_is_found(self):
        X, _, f = simulate(3000)
        noisy = f + np.random.default_rng(1).normal(size=3000)
        model = NoisyLabelAverage().fit(X, noisy)
        assert np.mean((model.predict(FRESH) - true_function(FRESH)) ** 2) < 0.02
        assert model.trust_ > 0.8

    @pytest.mark.parametrize("name", INTERACTIONS)
    def test_interactions_are_found(self, name):
        """Noise of four times the function's variance, 4,000 people: in 40 trials each at most 0.10 was left over."""
        f, rng = INTERACTIONS[name], np.random.default_rng(2)
        X = rng.uniform(size=(4000, 5))
        noisy = f(X) + 2 * f(X).std() * rng.normal(size=4000)
        assert left_over(NoisyLabelAverage().fit(X, noisy), f) < 0.25
        if name.startswith(("xor", "product")):
            assert left_over(NoisyLabelAverage(rough=True).fit(X, noisy), f) > 0.5  # no additive function can do it

    @pytest.mark.parametrize("name", ["xor", "product of centred"])
    def test_a_pilot_finds_them_too(self, name):
        """With fewer folds and one kind of trees: in 40 trials each at most 0.11 was left over."""
        f, rng = INTERACTIONS[name], np.random.default_rng(2)
        X = rng.uniform(size=(4000, 5))
        noisy = f(X) + 2 * f(X).std() * rng.normal(size=4000)
        model = NoisyLabelAverage().fit_rows(X, noisy, np.ones(4000), pilot=True)
        assert len(model.members_) == 3
        assert np.mean((model.average().predict(FRESH) - f(FRESH)) ** 2) < 0.3 * f(FRESH).var()

    def test_interactions_of_noise_are_not(self):
        """On a linear function trees add nothing: over 10 draws no more than a tenth to the rough fit's error."""
        rng, errors = np.random.default_rng(3), []
        for _ in range(10):
            X = rng.uniform(size=(1000, 5))
            noisy = X @ [1.0, 1.0, -1.0, 0, 0] + 2 * rng.normal(size=1000)
            both = (NoisyLabelAverage(rough=r).fit(X, noisy) for r in (False, True))
            errors.append([left_over(m, lambda Z: Z @ [1.0, 1.0, -1.0, 0, 0]) for m in both])
        full, rough = np.mean(errors, axis=0)
        assert full < 1.1 * rough

    def test_steps_are_found(self):
        rng = np.random.default_rng(4)
        X = rng.uniform(size=(4000, 1))
        model = NoisyLabelAverage().fit(X, (X[:, 0] > 0.37) + rng.normal(size=4000))
        assert left_over(model, lambda Z: 1.0 * (Z[:, 0] > 0.37), FRESH[:, :1]) < 0.08

    def test_missing_values_tell_something(self):
        """Whether a value is missing may matter by itself, and together with another column."""
        rng = np.random.default_rng(5)
        X = rng.uniform(size=(4000, 3))
        gone = rng.uniform(size=4000) < 0.4
        f = np.where(gone, 1.5, X[:, 0]) + 1.0 * (gone & (X[:, 1] > 0.5))
        X[gone, 0] = np.nan
        model = NoisyLabelAverage().fit(X, f + rng.normal(size=4000))
        assert np.mean((model.predict(X) - f) ** 2) < 0.1 * f.var()
        later = X.copy()
        later[:, 2] = np.nan  # missing where it never was
        assert np.mean((model.predict(later) - f) ** 2) < 0.1 * f.var()

    def test_people_of_weight_zero_do_not_count(self):
        X, _, f = simulate(600)
        y = f + np.random.default_rng(6).normal(size=600)
        w = np.repeat([1.0, 0.0], 300)
        y[300:] = 1e6
        X[300:] = 1e3
        with_them = NoisyLabelAverage().fit(X, y, sample_weight=w)
        without = NoisyLabelAverage().fit(X[:300], y[:300])
        np.testing.assert_allclose(with_them.predict(FRESH), without.predict(FRESH), rtol=1e-9)

    def test_only_ratios_of_weights_matter(self):
        X, _, f = simulate(600)
        rng = np.random.default_rng(7)
        y, w = f + rng.normal(size=600), rng.uniform(0.1, 1, 600)
        one, other = (NoisyLabelAverage().fit(X, y, sample_weight=c * w).predict(FRESH) for c in (1, 1e-6))
        np.testing.assert_allclose(one, other, rtol=1e-6)

    def test_few_people_of_all_the_weight_are_few(self):
        """Noise, and 20 people who count: over 20 draws the variance of predictions is below 0.05 on average."""
        rng, w, ratios = np.random.default_rng(13), np.where(np.arange(1000) < 20, 1.0, 1e-9), []
        for _ in range(20):
            X, y = rng.uniform(size=(1000, 4)), rng.normal(size=1000)
            ratios.append(NoisyLabelAverage().fit(X, y, sample_weight=w).predict(X).var())
        assert np.mean(ratios) < 0.05

    def test_nothing_to_learn_from(self):
        X = np.full((30, 2), np.nan)
        np.testing.assert_allclose(NoisyLabelAverage().fit(X, np.arange(30.0)).predict(X), 14.5)
        few = NoisyLabelAverage().fit(FRESH[:9], np.arange(9.0))
        np.testing.assert_allclose(few.predict(FRESH), 4.0)
        same = NoisyLabelAverage().fit(FRESH, np.ones(2000))
        np.testing.assert_allclose(same.predict(FRESH), 1.0)

    def test_constant_and_odd_columns_do_no_harm(self):
        """Constant, two-valued, rare, huge and nearly empty columns beside one that matters."""
        rng = np.random.default_rng(8)
        X = rng.uniform(size=(3000, 7))
        X[:, 1], X[:, 2], X[:, 3] = 3.0, X[:, 2] > 0.5, X[:, 3] > 0.999
        X[:, 4] = 10 ** (300 * X[:, 4])
        X[2:, 5] = np.nan
        model = NoisyLabelAverage().fit(X, X[:, 0] + X[:, 2] + rng.normal(size=3000))
        assert model.columns_.tolist() == [0, 2, 3, 4, 5, 6]
        f = X[:, 0] + X[:, 2]
        assert np.mean((model.predict(X) - f) ** 2) < 0.1 * f.var()

    def test_same_seed_same_numbers(self):
        X, y, _ = simulate(500)
        one, two, other = (learned(NoisyLabelAverage(random_state=s).fit(X, y)) for s in (1, 1, 2))
        assert one == two != other


class TestParts:
    def test_splines_are_b_splines(self):
        x = np.concatenate([np.linspace(2, 4, 101), [-9.0, 9.0]])
        knots = 2 + 0.5 * np.arange(-3, 8)
        expected = BSpline(knots, np.eye(7), 3)(np.clip(x, 2, 4))
        np.testing.assert_allclose(spline_basis(x[:, None], np.array([2.0]), np.array([4.0])), expected, atol=1e-12)

    def test_ridge_is_scikit_learn_s_for_some_penalty(self):
        """The coefficients are Ridge's at the penalty whose marginal likelihood, by a plain normal density, is most."""
        rng = np.random.default_rng(9)
        X = rng.normal(size=(80, 6))
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        y = X @ [1.0, 0.5, 0, 0, 0, 0] + 2 * rng.normal(size=80)
        A = np.column_stack([np.ones(80), X, y])
        found = ridge(A.T @ A, 7)
        centred, penalties = y - y.mean(), np.logspace(-2, 6, 25)
        costs = []
        for penalty in penalties:
            cov = np.eye(80) + X @ X.T / penalty
            costs.append(np.linalg.slogdet(cov)[1] + 79 * np.log(centred @ np.linalg.solve(cov, centred)))
        plain = Ridge(penalties[int(np.argmin(costs))]).fit(X, y)
        np.testing.assert_allclose(found, [plain.intercept_, *plain.coef_], rtol=1e-6, atol=1e-9)

    def test_a_member_predicts_what_its_columns_do(self):
        rng = np.random.default_rng(10)
        X = rng.normal(size=(50, 3))
        X[:, 1] = X[:, 1] > 0
        X[rng.uniform(size=X.shape) < 0.2] = np.nan
        design = Design.of(X, Extent.of(X))
        columns = design.columns(X)
        v = rng.normal(size=columns.shape[1])
        np.testing.assert_allclose(design.member(v).predict(X), columns @ v)
        np.testing.assert_allclose(
            design.member(v[: design.n_linear]).predict(X), columns[:, : design.n_linear] @ v[: design.n_linear]
        )

    def test_steps_hold_about_as_many_people(self):
        X = np.column_stack([np.exp(9 * FRESH[:, 0]), FRESH[:, 1] > 0.5, np.where(FRESH[:, 2] > 0.5, np.nan, 7.0)])
        steps = Steps.of(X, np.isnan(X).any(axis=0))
        assert np.bincount(steps.coarse[0]).max() < 2 * 2000 / 16
        assert set(steps.fine[1]) == set(steps.fine[2]) == {0, 1}
        for column, edges in zip(steps.fine, steps.edges, strict=True):
            assert column.max() == len(edges)
        for coarse in range(15):
            last = steps.last_fine(0, coarse)
            assert (steps.fine[0] <= last).tolist() == (steps.coarse[0] <= coarse).tolist()

    def test_the_pair_that_matters_is_among_the_best(self):
        """435 pairs, of which 20 are kept: among those that do not matter a pair has a chance of one in 22."""
        rng = np.random.default_rng(11)
        X = rng.uniform(size=(3000, 30))
        moved = ((X[:, 7] > 0.5) ^ (X[:, 21] > 0.5)) - 0.5 + rng.normal(size=3000)
        pairs = best_pairs(Steps.of(X, np.isnan(X).any(axis=0)).coarse, moved)
        assert pairs[0] == (7, 21)
        assert len(pairs) == len(set(pairs)) == 20

    def test_leaves_are_shrunk_by_the_evidence_of_others(self):
        everyone = np.array([[8.0, -8.0], [4.0, 4.0]])
        np.testing.assert_allclose(leaf_values(everyone, everyone / 2, 0.0), [2, -2])
        np.testing.assert_allclose(leaf_values(everyone, everyone / 2, 8.0), [1, -1])  # 1 - 8 / (2 * 4 + 2 * 4)
        assert not leaf_values(everyone, everyone / 2, 16.0).any()

    def test_weights_move_from_the_guess_as_labels_speak(self):
        rng = np.random.default_rng(12)
        members = rng.normal(size=(2, 5000))
        guess = np.array([0.5, 0.5])
        clear = stack(members, members[0] + 0.01 * rng.normal(size=5000), np.ones(5000), guess)
        np.testing.assert_allclose(clear, [1, 0], atol=0.01)
        vague = stack(members[:, :50], 1e3 * rng.normal(size=50), np.ones(50), guess)
        np.testing.assert_allclose(vague, guess, atol=0.01)
        against = stack(members, -members[0], np.ones(5000), guess)
        assert (against >= 0).all()
