"""Error bars hold E[label | x] as often as they say, travel with the model, and need no reports once it is made."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import norm
from sklearn.linear_model import Ridge

from benchmarks.coverage import FUNCTIONS, Case, study
from semildp import HistOfTreeRegressor, SemiPrivateRegressor
from semildp._arrays import Floats
from semildp.baselines import PublicTreeRegressor
from semildp.curator.beliefs.evidence import Told, gram
from semildp.curator.beliefs.partitions import cut_mean
from semildp.curator.beliefs.relevance import CHANCES, axis_shapes
from semildp.curator.beliefs.single import LIKELY, SHARES, single
from semildp.errors import InputError
from semildp.models import Model
from semildp.models.bars import Errors
from semildp.models.belief import Axis, mean_cosines

RARE = norm.isf(1e-4 / 2)  # standard errors that chance exceeds once in 10,000 tests
ALLOWED = 0.06  # how far coverage may lie from 90 % whatever the number of studies
AXES = tuple(Axis(j, 6, (0.0, 1.0), (0.0, 1.0)) for j in range(3))


def off(shares: Floats, allowed: float) -> bool:
    """Say whether the mean share of x inside is further from 90 % than is allowed and chance explains."""
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    return bool(abs(shares.mean() - 0.9) > allowed + RARE * error)


def believed(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw a function as it is thought likely before anything is told; return errors and deviations at fresh places."""
    share = float(rng.choice(SHARES, p=LIKELY))
    kinds = rng.choice(len(CHANCES), p=CHANCES, size=len(AXES))
    sizes = rng.normal(size=len(AXES)) * np.sqrt(share / len(AXES))
    slopes = np.concatenate([s * axis_shapes(6)[k] @ rng.normal(size=6) for s, k in zip(sizes, kinds, strict=True)])

    def functions(n: int) -> list[Floats]:
        return [axis.functions(rng.uniform(size=n)) for axis in AXES]

    seen, fresh = functions(300), functions(50)
    noisy = np.concatenate(seen, axis=1) @ slopes + 2 * rng.normal(size=300)
    found = single(gram(Told(seen, noisy, np.full(300, 0.25))), AXES, 1.0, 10.0)
    columns = np.concatenate([np.ones((50, 1)), *fresh], axis=1)
    deviation = np.sqrt(((columns @ found.covariance) * columns).sum(axis=1))
    return columns @ found.mean - columns[:, 1:] @ slopes, deviation


def test_beliefs_hold_what_they_were_drawn_from() -> None:
    """Of 300 functions drawn from the prior; false alarm once in 10,000. Half the deviation is caught."""
    rng = np.random.default_rng(1)
    each = [believed(rng) for _ in range(300)]
    inside = [np.array([np.mean(np.abs(e) <= factor * 1.645 * d) for e, d in each]) for factor in (1.0, 0.5, 2.0)]
    assert not off(inside[0], 0.02)
    assert off(inside[1], 0.02)
    assert off(inside[2], 0.02)


@pytest.mark.parametrize("estimator", ["joint", "paper"])
def test_intervals_of_cells_hold_the_function(estimator: str) -> None:
    """Of 40 studies of two functions; false alarm once in 10,000 if coverage is within 6 points of 90 %."""
    cases = [Case(name, estimator, 2_000, 2.0, personal=True) for name in ("sines", "product")]
    shares = np.array([study(case, k)[0] for case in cases for k in range(20)])
    assert not off(shares, ALLOWED)


def test_intervals_half_as_wide_are_caught() -> None:
    """What the test above must be able to find: intervals that are meant for 59 %, half as wide as those for 90 %."""
    narrow = 2 * norm.cdf(1.645 / 2) - 1
    cases = [Case(name, "joint", 2_000, 2.0, personal=True, coverage=narrow) for name in ("sines", "product")]
    assert off(np.array([study(case, k)[0] for case in cases for k in range(20)]), ALLOWED)


def test_intervals_of_effects_hold_the_function() -> None:
    """Of eight studies; false alarm once in 10,000 if coverage is within 8 points of 90 %."""
    shares = np.array([study(Case("sines", "semi", 800, 4.0, personal=False), k)[0] for k in range(8)])
    assert not off(shares, 0.08)


def fitted(estimator: str, n: int = 600, **more: object) -> tuple[object, Floats]:
    """Fit a small study; return it with rows to predict for, some entries missing."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(n, 5))
    y = np.clip(FUNCTIONS["sines"].function(X) + 0.3 * rng.normal(size=n), -1, 4)
    build = {"semi": SemiPrivateRegressor, "joint": HistOfTreeRegressor, "paper": HistOfTreeRegressor.paper}[estimator]
    model = build(
        epsilon=4.0, label_bounds=(-1, 4), feature_bounds=(0, 1), private_features=[0, 1], random_state=0, **more
    ).fit(X, y)
    queries = rng.uniform(size=(40, 5))
    queries[::3, 2] = queries[::4, 0] = np.nan
    return model, queries


@pytest.mark.parametrize("estimator", ["semi", "joint", "paper"])
def test_bars_travel_with_the_model(estimator: str) -> None:
    """To the last bit, and means are those without error bars."""
    model, queries = fitted(estimator)
    mean, deviation = model.predict(queries, return_std=True)
    assert (mean == model.predict(queries)).all()
    assert (deviation > 0).all()
    low, high = model.predict_interval(queries, 0.8)
    assert ((low <= mean) & (mean <= high)).all()
    assert (low >= -1).all()
    assert (high <= 4).all()
    again = Model.from_json(model.model_.to_json())
    assert (np.sqrt(again.predict(queries)[1]) == deviation).all()
    assert (np.array(again.interval(queries, 0.8)) == np.array([low, high])).all()
    wider = model.predict_interval(queries, 0.95)
    assert (wider[0] <= low).all()
    assert (wider[1] >= high).all()


@pytest.mark.parametrize("estimator", ["semi", "joint"])
def test_the_truth_lies_within_the_label_bounds(estimator: str) -> None:
    """So no deviation is larger than the distance to the farther bound, however little is known."""
    model, queries = fitted(estimator)
    body = model.model_.body
    unknown = replace(model.model_, body=replace(body, bars=replace(body.bars, rest=1e9)))
    mean, variance = unknown.predict(queries)
    known = ~np.isnan(queries).any(axis=1)
    assert np.sqrt(variance[known]) == pytest.approx(np.maximum(mean + 1, 4 - mean)[known])
    assert (np.sqrt(variance) <= np.maximum(mean + 1, 4 - mean) + 1e-12).all()


def test_no_more_is_kept_of_more_people() -> None:
    """The numbers behind error bars do not grow with people: none of them is a report."""
    sizes = []
    for n in (400, 1600):
        belief = fitted("joint", n, depth=2, bins=2)[0].model_.body.bars.belief
        sizes.append((len(belief.mean), len(belief.factors)))
    assert sizes[0] == sizes[1]


def test_any_learner_has_error_bars() -> None:
    """What is believed does not depend on who predicts."""
    model, queries = fitted("semi", learner=Ridge())
    assert np.isfinite(model.predict(queries, return_std=True)[1]).all()


def test_refusals() -> None:
    """A baseline has no error bars; coverage is a probability."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(60, 2)), rng.uniform(size=60)
    base = PublicTreeRegressor(label_bounds=(0, 1), feature_bounds=(0, 1), random_state=0).fit(X, y)
    with pytest.raises(InputError, match="Error bars are known for HistOfTreeRegressor and SemiPrivateRegressor"):
        base.predict(X, return_std=True)
    with pytest.raises(InputError, match="Error bars are known"):
        base.predict_interval(X)
    model, queries = fitted("joint")
    with pytest.raises(InputError, match=r"`coverage` must be a number between 0 and 1\. Got 90"):
        model.predict_interval(queries, 90)


def test_half_widths_have_the_probability_they_are_asked_for() -> None:
    """Whatever lies between no mean at all and nothing but a mean."""
    errors = Errors(np.array([0.0, 1.0, -3.0]), np.array([1.0, 1.0, 0.01]))
    half = errors.within(0.9)
    deviation = np.sqrt(errors.variance)
    held = norm.cdf((half - errors.mean) / deviation) - norm.cdf((-half - errors.mean) / deviation)
    np.testing.assert_allclose(held, 0.9, atol=1e-9)
    np.testing.assert_allclose(errors.square, [1.0, 2.0, 9.01])


def test_averages_are_those_of_many_places() -> None:
    """Of cosines over a box, and of a normal number that is cut."""
    low, high = np.array([0.0, 0.25]), np.array([0.5, 0.3])
    fine = (np.arange(20_000) + 0.5) / 20_000
    for k in range(2):
        places = low[k] + fine * (high[k] - low[k])
        direct = AXES[0].functions(places).mean(axis=0)
        np.testing.assert_allclose(mean_cosines(low, high, 6)[k], direct, atol=1e-8)
    z = norm.ppf(fine)
    mean, slope = cut_mean(np.array([0.7]), 2.0, 1.5)
    np.testing.assert_allclose(mean, np.clip(0.7 + 2 * z, -1.5, 1.5).mean(), atol=1e-5)
    np.testing.assert_allclose(slope, np.mean(np.abs(0.7 + 2 * z) < 1.5), atol=1e-4)


def test_cells_and_effects_as_frames() -> None:
    """One row per cell or place, with a standard error each."""
    pytest.importorskip("pandas")
    model, _ = fitted("joint", depth=1, bins=2)
    cells = model.cells_frame()
    assert len(cells) == model.partition_.n_cells
    assert (cells["std"] > 0).all()
    assert (cells["x0_low"] < cells["x0_high"]).all()
    model, _ = fitted("semi", 2_000)
    effects = model.effects_frame()
    assert len(effects) == sum(len(effect.values) for effect in model.effects_)
    assert list(effects["std"]) == [d for effect in model.effects_ for d in effect.deviations]
    assert (effects.loc[effects["second"].isna(), "second_low"].isna()).all()
