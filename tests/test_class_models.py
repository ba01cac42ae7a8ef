"""Models of classes: the simplex, probabilities above 0, JSON; and what effects and plans are made from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semildp.curator.class_waves.evidence import Evidence, targets_of
from semildp.curator.class_waves.judging import LEAST, Trust, judge
from semildp.curator.class_waves.planning import plan_classes
from semildp.curator.class_waves.reports import ClassGroup
from semildp.curator.effects.learning import NOTHING_LEARNT
from semildp.mechanisms import best_class_response
from semildp.models import AdditiveBody, Model, model_of
from semildp.models.classes import ClassesBody, all_scores, probabilities, to_simplex
from semildp.models.learned import Average
from semildp.sources import SeededSource
from semildp.study import Classes, Feature, Number, Study
from semildp.wire.columns import Enrolled, Marks


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_nearest_point_of_the_simplex(size):
    """Against all points of a grid; the projection is nearer than any of them."""
    steps = 12
    grid = [g for g in itertools.product(range(steps + 1), repeat=size) if sum(g) == steps]
    points = np.array(grid) / steps
    for scores in np.random.default_rng(size).normal(scale=0.7, size=(40, size)):
        found = to_simplex(scores)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
        assert ((found - scores) ** 2).sum() <= ((points - scores) ** 2).sum(axis=1).min() + 1e-12
    inside = points[points.min(axis=1) > 0]
    np.testing.assert_allclose(to_simplex(inside), inside, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_probabilities_are_above_0_add_up_and_are_the_prior_without_trust(n_classes):
    rng = np.random.default_rng(0)
    prior = rng.dirichlet(np.ones(n_classes))
    scores = rng.uniform(size=(50, n_classes))
    for trust, floor in itertools.product((0.1, 1.0, 3.0), (0.01, 0.3)):
        found = probabilities(scores, prior, trust, floor)
        assert (found > 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(probabilities(scores, prior, 0.0, 0.1), np.tile(prior, (50, 1)))
    np.testing.assert_allclose(all_scores(np.array([[0.3]])), [[0.7, 0.3]])


def study(n_classes):
    features = (Feature("a", Number(0, 1), True), Feature("b", Number(0, 1)))
    return Study(name="s", epsilon=2.0, label=Classes(tuple("abcdefgh"[:n_classes])), features=features)


def constant(p):
    return AdditiveBody((1,), Average((), p, 0.0, (), ()), 0.0, p, (), ())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_json_and_back(n_classes):
    bodies = tuple(constant(0.2 + 0.1 * k) for k in targets_of(n_classes))
    model = model_of(study(n_classes), ClassesBody((1 / n_classes,) * n_classes, 1.0, 0.1, bodies))
    again = Model.from_json(model.to_json())
    assert again == model
    rows = np.random.default_rng(0).uniform(size=(5, 2))
    np.testing.assert_array_equal(again.predict_proba(rows)[0], model.predict_proba(rows)[0])
    with pytest.raises(ValueError, match="Use predict_proba"):
        model.predict(rows)


def collected(n, n_classes, chance, bins=4, epsilon=6.0, learner=None):
    """Return reports of half of the people on the class alone, and of the others with bins of the private feature."""
    rng, source = np.random.default_rng(0), SeededSource(1)
    X = rng.uniform(size=(n, 2))
    label = np.where(rng.uniform(size=n) < chance(X), 1, 0)
    alone, joint = (best_class_response(epsilon, cells, n_classes) for cells in (1, bins))
    first, second = np.arange(n // 2), np.arange(n // 2, n)
    cell = (X[second, 0] * bins).astype(int)
    groups = (
        ClassGroup((), (), alone, first, Marks.sets(*alone.send(0 * first, label[first], source), len(first))),
        ClassGroup((0,), (bins,), joint, second, Marks.sets(*joint.send(cell, label[second], source), len(second))),
    )
    public = X.copy()
    public[:, 0] = np.nan
    enrolled = Enrolled(public, np.tile([True, False], (n, 1)))
    return Evidence(study(n_classes), enrolled, groups, (0,), learner)


def test_effects_are_beyond_the_public_prediction():
    """The public feature explains half of the variance, the private one nothing: no effect is found; or the other."""
    evidence = collected(4000, 2, lambda X: 0.1 + 0.8 * (X[:, 1] > 0.5))
    learnt = evidence.learn()
    (found,) = evidence.effects(learnt, (0,))
    assert found.effects == ()
    other = collected(4000, 2, lambda X: 0.1 + 0.8 * (X[:, 0] > 0.5))
    (found,) = other.effects(other.learn(), (0,))
    (effect,) = found.effects
    assert effect.features == (0,)
    unit = np.asarray(effect.shares[0]).cumsum()
    assert effect.table[unit > 0.6].mean() - effect.table[unit < 0.4].mean() == pytest.approx(0.8, abs=0.15)


def test_residuals_are_about_the_prediction_whatever_the_share_of_a_class():
    """Of 80 %: the mean residual is 0 within 5 of its standard errors, of which it is 30 if nothing is taken off."""
    evidence = collected(4000, 2, lambda X: np.full(len(X), 0.8))
    (learnt,) = evidence.learn()
    for group in evidence.groups:
        reports = evidence._answered(group, 1, learnt).reports
        total = reports.sums(np.zeros(len(group), dtype=np.int64), 1).sum()
        error = float(np.sqrt(reports.cell_noise.sum()))
        assert abs(total) < 5 * error
        assert 0.3 * len(group) > 25 * error


def test_a_plan_asks_about_a_private_feature_where_it_pays_and_not_where_it_cannot():
    evidence = collected(4000, 2, lambda X: 0.1 + 0.8 * (X[:, 0] > 0.5))
    learnt = evidence.learn(1000)
    assert plan_classes(evidence, learnt, None, 4000, 4.0).features == (0,)
    assert plan_classes(evidence, learnt, None, 100, 0.05).features == ()
    found = evidence.effects(learnt, (0,))
    plan = plan_classes(evidence, learnt, found, 4000, 4.0)
    assert all(asking.signs is None for asking, _ in plan.asks)
    assert sum(share for _, share in plan.asks) == pytest.approx(1)


def test_three_of_five_classes_plan_for_all():
    evidence = collected(1000, 5, lambda X: np.full(len(X), 0.5)).of_largest(3)
    assert len(evidence.targets) == 3
    assert {0, 1} <= set(evidence.targets)
    assert len(evidence.learn(500)) == 3


def test_trust_is_high_where_people_bear_a_prediction_out_and_least_where_they_do_not():
    evidence = collected(3000, 2, lambda X: 0.1 + 0.8 * (X[:, 1] > 0.5))
    found = judge(evidence, lambda some: [each.body(NOTHING_LEARNT) for each in some.learn()])
    assert found.trust >= 0.75
    wrong = judge(evidence, lambda some: [constant(0.99)])
    assert wrong == Trust(LEAST, 0.0)
