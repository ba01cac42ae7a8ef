"""Curves of any shape: products of their terms, posteriors, and effects that are no line, parabola or step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from semildp.curator.effects.evidence import CURVED, SHARES, posterior
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.functions import Functions
from semildp.curator.effects.weighing import Weighed, weigh
from tests.readings import LEAST, PLACES, functions, reading
from tests.test_effects_fitting import error, learnt

UNIT = 0.7
FAMILIES = [((0,), (0,)), ((0,), (0, 2)), ((0, 1), (1,)), ((0, 1), (0, 1)), ((0, 1), (1, 0)), ((0, 1), (1, 2))]


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize(("features", "family"), FAMILIES)
def test_products_of_terms_are_those_of_their_sums(features, family, personal, signed, beside):
    """For terms g and h, the den of g + h is that of each and twice their product: den is written out elsewhere."""
    rng = np.random.default_rng(7)
    h = functions(rng, 1, (0, 1, 2), terms=2)
    sums = Explained([reading(60, features, personal=personal, signed=signed)], {})
    if beside:
        sums.add((features[0],), rng.normal(size=PLACES), LEAST)

    def told(of: Functions) -> Weighed:
        found = weigh(of, sums, 0, family)
        return found.beside(sums.others(family)) if beside else found

    gram = told(h).of_terms()[1]
    products = list(itertools.product(*(range(2) for _ in family)))
    for (a, one), (b, two) in itertools.product(enumerate(products), repeat=2):
        # g + h as one function of the first feature: with a second feature, only where both have the same term of it
        if one[1:] != two[1:]:
            continue
        rows = [dict(zip(family, each, strict=True)) for each in (one, two)]
        values = {j: h.values[j][1 + rows[0].get(j, 0)][None] for j in h.values}
        values[family[0]] = sum(h.values[family[0]][1 + each[family[0]]][None] for each in rows)
        both = told(Functions(values, h.prior, h.variance)).den.ravel()[0]
        assert both == pytest.approx(gram[a, a] + gram[b, b] + 2 * gram[a, b], rel=1e-6, abs=1e-9)


def test_the_posterior_of_curves_is_that_of_normal_coefficients():
    """Reports tell G a + noise of covariance G: evidence, mean and variance are those of jointly normal numbers."""
    rng = np.random.default_rng(3)
    h = functions(rng, 1, (0,), terms=3)
    root = rng.normal(size=(3, 5))
    gram, num = root @ root.T, 2 * rng.normal(size=3)
    weighed = Weighed(np.append(0.0, num), np.append(0.0, np.diag(gram)), 0.0, 10, 0.0, gram, (slice(1, 4),))
    found = posterior(h, (0,), weighed, UNIT)  # nothing is told of the function of which an effect may be one
    values, one = h.values[0][1:], np.mean(SHARES) * UNIT / h.variance[0][0] * h.values[0][0] ** 2
    total, mean, second = 1 - CURVED, np.zeros(PLACES), (1 - CURVED) * one
    for falls, share in itertools.product(h.falls[0], SHARES):
        prior = share * UNIT * np.diag(falls)
        there = multivariate_normal(cov=gram @ prior @ gram + gram).logpdf(num)
        likely = CURVED / 8 * float(np.exp(there - multivariate_normal(cov=gram).logpdf(num)))
        gain = prior @ gram @ np.linalg.inv(gram @ prior @ gram + gram)
        effect, left = gain @ num @ values, prior - gain @ gram @ prior
        total += likely
        mean += likely * effect
        second += likely * (effect**2 + (values * (left @ values)).sum(axis=0))
    assert found.log_odds == pytest.approx(np.log(total), rel=1e-9)
    np.testing.assert_allclose(found.mean, mean / total, rtol=1e-9)
    np.testing.assert_allclose(found.second, second / total, rtol=1e-9)


def wave(X):
    """A period and more, with mean 0: no line, parabola or step is near it."""
    return 1.5 * np.sin(2 * np.pi * (1.2 * X[:, 0] + 0.1)) - 1.5 * (np.cos(0.2 * np.pi) - np.cos(2.6 * np.pi)) / (
        2.4 * np.pi
    )


def surface(X):
    return 4 * (X[:, 0] ** 2 - 1 / 3) * (np.sqrt(X[:, 2]) - 2 / 3)


def surface_of_two(X):
    return 4 * (X[:, 0] ** 2 - 1 / 3) * (np.sqrt(X[:, 1]) - 2 / 3)


@pytest.mark.parametrize(
    ("shape", "asked"),
    [(wave, ((0,),)), (surface, ((0,),)), (surface_of_two, ((0, 1),))],
    ids=["wave", "surface", "surface of two"],
)
def test_what_is_no_line_or_step_is_learnt_better_the_more_people_are_asked(shape, asked):
    """With 30,000 people at epsilon 8 a twentieth of the variance is left at most, and less than with 3,000."""
    variance = float(np.var(shape(np.random.default_rng(0).random((4_000, 3)))))
    few, many = (np.mean([error(learnt(shape, asked, s, n=n), shape) for s in range(3)]) for n in (3_000, 30_000))
    assert many < 0.05 * variance
    assert many < few


def test_a_strong_effect_of_many_people_is_not_overdone():
    """Added function by function, each judged beside a size of the others that was then not taken, it ran away."""
    for seed in range(3):
        assert error(learnt(wave, ((0,),), seed, n=60_000, epsilon=4.0), wave) < 0.05
