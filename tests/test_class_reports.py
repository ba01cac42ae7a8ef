"""What is made of class reports is right on average: indicators, shares, sums by cell, log loss, true probabilities.

The mean of 400 batches is compared with the truth by the batches' own standard error; beyond 5 of these a test fails.
That is 1 in 10^6 for each of the 150 numbers compared, so fewer than 1 in 5,000 for the whole file where all is right.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from semildp.curator.class_waves import judging
from semildp.curator.class_waves.evidence import Evidence
from semildp.curator.class_waves.judging import Trust
from semildp.curator.class_waves.prior import class_prior, class_shares
from semildp.curator.class_waves.reported import TrueClasses, fit_reported
from semildp.curator.class_waves.reports import ClassGroup
from semildp.mechanisms import best_class_response
from semildp.mechanisms.classes import ClassResponse
from semildp.models.additive import AdditiveBody
from semildp.models.classes import probabilities
from semildp.models.effects import Effect
from semildp.models.learned import Average
from semildp.sources import SeededSource
from semildp.study import Classes, Feature, Number, Study
from semildp.wire.columns import Enrolled, Marks

BATCHES, SIZE, CLASSES, BINS = 400, 120, 3, (2, 3)
PERSON = np.arange(SIZE)
CELL, PLACE = PERSON % 6, PERSON % 4 // 2
CLASS = np.where(PERSON % 5 == 0, 2, PERSON % 2)
SHIFT = 0.3 * (PERSON % 3) - 0.2
KINDS = ["generalised", "subset"]


def batches(kind, features=(0, 1), bins=BINS, epsilon=3.0):
    """Yield the reports of the same people, drawn anew each time; without features, of the class alone."""
    cells = int(np.prod(bins))
    response = ClassResponse(epsilon, cells, CLASSES, kind, 2 if kind == "subset" else None)
    source, cell = SeededSource(7), CELL if features else np.zeros(SIZE, dtype=np.int64)
    for _ in range(BATCHES):
        marks = Marks.sets(*response.send(cell, CLASS, source), SIZE)
        yield ClassGroup(features, bins, response, PERSON, marks)


def agree(found, truth):
    found = np.array(found)
    error = found.std(axis=0) / np.sqrt(BATCHES)
    return bool((np.abs(found.mean(axis=0) - truth) < 5 * error + 1e-9).all())


def shares_of(kind, **more):
    return [class_shares([group], CLASSES)[0] for group in batches(kind, **more)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("features", "bins"), [((), ()), ((0, 1), BINS)])
def test_indicators_and_shares_of_classes(kind, features, bins):
    found = [[g.indicators(c)[c == CLASS].mean() for c in range(CLASSES)] for g in batches(kind, features, bins)]
    assert agree(found, 1.0)
    assert not agree(found, 0.9), "The test would not see a bias of a tenth."
    others = [[g.indicators(c)[c != CLASS].mean() for c in range(CLASSES)] for g in batches(kind, features, bins)]
    assert agree(others, 0.0)
    assert agree(shares_of(kind, features=features, bins=bins), np.bincount(CLASS) / SIZE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_variance_of_indicators_is_what_it_is_said_to_be(kind):
    """Of 48,000 reports: the square's relative standard error is below 1 %, so 5 % are more than 5 of them."""
    every = list(batches(kind))
    for target in range(CLASSES):
        share = float((target == CLASS).mean())
        seen = np.concatenate([group.indicators(target) for group in every]).var()
        assert seen == pytest.approx(every[0].variance(target, share), rel=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_groups_are_weighed_together_without_bias(kind):
    joint, alone = batches(kind), batches(kind, (), (), epsilon=1.0)
    found = [class_shares(both, CLASSES) for both in zip(joint, alone, strict=True)]
    assert agree([shares for shares, _ in found], np.bincount(CLASS) / SIZE)
    spread = np.array([shares for shares, _ in found]).var(axis=0).mean()
    assert 0.4 < spread / found[0][1] < 1.05, "the stated variance counts that among people as well"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", [0, 2])
def test_residuals_of_a_class_add_up_by_cell_and_place(kind, target):
    found, noise = [], []
    for group in batches(kind):
        reports = replace(group.effect_reports(target), shift=SHIFT)
        found.append(reports.sums(PLACE, 2))
        noise.append(reports.cell_noise)
    residual = (target == CLASS) - 1 / CLASSES - SHIFT
    truth = np.stack(
        [np.bincount(CELL, weights=residual * (place == PLACE), minlength=6) for place in range(2)], axis=1
    )
    assert agree(found, truth)
    assert not agree(found, truth + 2.0), "The test would not see 2 of 10 people too many in a cell."
    spread = np.array(found).sum(axis=2).var(axis=0)
    ratio = spread.sum() / np.mean(noise, axis=0).sum()
    assert 0.6 < ratio < 1.1, "noise is what it is said to be, residuals among people being counted as noise"


STUDY = Study(
    name="classes",
    epsilon=3.0,
    label=Classes(("a", "b", "c")),
    features=(Feature("u", Number(0, 1), True), Feature("v", Number(0, 1), True), Feature("x", Number(0, 1))),
)
PRIOR = np.array([0.4, 0.35, 0.25])


def bodies():
    """A body per class: constant in public, with an effect of the first private feature that is a step at 1/2."""
    return [
        AdditiveBody((2,), Average((), p, 0.0, (), ()), 0.0, p, (_step(size),), ())
        for p, size in zip(PRIOR, (0.15, -0.1, 0.05), strict=True)
    ]


def _step(size):
    return Effect((0,), ((0.5,),), ((0.5, 0.5),), (-size, size), (0.0, 0.0))


@pytest.mark.parametrize("kind", KINDS)
def test_the_log_loss_that_reports_tell_is_right_on_average(kind):
    public = np.column_stack([np.full((SIZE, 2), np.nan), np.linspace(0, 1, SIZE)])
    enrolled = Enrolled(public, np.tile([True, True, False], (SIZE, 1)))
    candidates = [Trust(), Trust(1.0, 0.1), Trust(2.0, 0.3)]
    evidence = Evidence(STUDY, enrolled, (), (0, 1), None)
    found = [judging._losses(evidence, PRIOR, bodies(), g, candidates).mean(axis=0) for g in batches(kind)]
    moved = np.outer(np.where(CELL // 3 == 1, 1, -1), (0.15, -0.1, 0.05))
    truth = []
    for candidate in candidates:
        p = probabilities(PRIOR + moved, PRIOR, candidate.trust, candidate.floor)
        truth.append(-np.log(p[PERSON, CLASS] / PRIOR[CLASS]).mean())
    assert agree(found, np.array(truth))
    assert not agree(found, np.array(truth) + 0.05), "The test would not see a bias of 0.05."


def test_without_effects_cells_make_no_difference():
    public = np.full((SIZE, 3), 0.5)
    evidence = Evidence(STUDY, Enrolled(public, np.zeros((SIZE, 3), dtype=bool)), (), (0, 1), None)
    plain = [replace_effects(body) for body in bodies()]
    plain[0] = AdditiveBody((2,), Average((), 0.6, 0.0, (), ()), 0.0, 0.6, (), ())
    group = next(batches("subset"))
    found = judging._losses(evidence, PRIOR, plain, group, [Trust(1.0, 0.1)])[:, 0]
    scores = np.array([0.6, *PRIOR[1:]])
    gain = np.log(probabilities(scores, PRIOR, 1.0, 0.1) / PRIOR)
    each = np.stack([group.indicators(c) for c in range(CLASSES)], axis=1)
    person = np.bincount(group.marks.person, minlength=SIZE)
    constant = person * group.response.per_mark + group.response.per_person * group.response.n_candidates
    assert np.allclose(found, -(each @ gain + (constant - 1) / CLASSES * gain.sum()))


def replace_effects(body):
    return AdditiveBody(body.columns, body.learned, body.pull, body.noisy_mean, (), ())


class Shares:
    """A classifier that knows no features: the shares of the classes it was fitted to, weighed."""

    def fit(self, X, y, sample_weight):
        self.classes_, place = np.unique(y, return_inverse=True)
        self.shares = np.bincount(place, weights=sample_weight) / sample_weight.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares, (len(X), 1))


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_of_reported_classes_are_turned_into_those_of_true_ones(kind, monkeypatch):
    """With groups of different contrast: the shares that come out are right on average."""

    def fit(learner, rows, labels, weights):
        return Shares().fit(rows, labels, weights), True

    monkeypatch.setattr("semildp.curator.class_waves.reported.fit_to_rows", fit)
    seen, found = [np.zeros((SIZE, 1))] * 2, []
    for groups in zip(batches(kind), batches(kind, (), (), epsilon=1.0), strict=True):
        fitted = fit_reported(None, seen, groups)
        found.append(fitted.predict(np.zeros((1, 1)))[0])
    assert agree(found, np.bincount(CLASS) / SIZE)


def test_a_class_that_nobody_reported_has_the_least_probability():
    fitted = Shares().fit(np.zeros((4, 1)), np.array([0, 0, 2, 2]), np.ones(4))
    found = TrueClasses(fitted, 0.5, 3).predict(np.zeros((1, 1)))
    assert np.allclose(found, [[2 / 3, -1 / 3, 2 / 3]])


@pytest.mark.parametrize("variance", [1e-6, 1e-3, 0.05, 10.0])
def test_the_prior_is_between_the_shares_and_even_ones_and_never_0(variance):
    for shares in ([0.7, 0.3], [1.3, -0.3], [0.5, 0.5], [0.9, 0.2, -0.1]):
        prior = class_prior(np.array(shares), variance)
        assert prior.sum() == pytest.approx(1.0)
        assert (prior > 0).all()
        assert (np.argsort(prior) == np.argsort(shares)).all() or shares[0] == shares[1]
    close = class_prior(np.array([0.7, 0.3]), variance)
    assert (abs(close[0] - 0.7) < 0.02) == (variance < 1e-2), "noise draws shares to even ones"


def test_even_classes_cost_next_to_nothing():
    """59 people at epsilon 0.5: the log loss of the prior is on average within 0.02 of that of even shares.

    Of 2,000 draws; its standard error is below 0.002.
    """
    noise = best_class_response(0.5, 1, 2).total_noise
    variance = noise / 2 / 59
    drawn = 0.5 + np.sqrt(variance) * np.random.default_rng(0).normal(size=2000)
    excess = [-np.log(2 * class_prior(np.array([1 - p, p]), variance)).mean() for p in drawn]
    assert 0 <= np.mean(excess) < 0.02
