"""What a model says as plain numbers: the model's own predictions and errors, and nothing that it has not estimated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semildp.models import AdditiveBody, CellBody, Effect, Model
from semildp.models.expectation import Expectation
from semildp.models.findings import POINTS, findings_of
from semildp.models.learned import Average, Linear
from semildp.models.places import even_cuts
from semildp.partition import Partition, Tree
from semildp.study import Category, Feature, Number, Study
from semildp.wire.forms import partition_message
from tests.test_models import BODIES, fitted

STUDY = Study(
    name="findings",
    epsilon=1.0,
    label=Number(0.0, 10.0),
    features=(
        Feature("age", Number(20.0, 60.0)),
        Feature("work", Category(("day", "night"))),
        Feature("stress", Number(0.0, 8.0), private=True),
        Feature("idle", Number(0.0, 1.0), private=True),
    ),
)
STRESS = Effect((2,), (even_cuts(4),), ((0.1, 0.2, 0.3, 0.4),), (1.0, 0.5, -0.5, -1.0), (0.1, 0.2, 0.3, 0.4))
BOTH = Effect((2, 0), (even_cuts(2), even_cuts(2)), ((0.5, 0.5), (0.25, 0.75)), (0.1, -0.1, -0.1, 0.1), (0.1,) * 4)
LINE = Linear((40.0, 0.5, 0.5), (0.05, 0.0, -0.6), (0.0, 0.0, 0.0), 5.0)
LEARNED = Average((0, 1, 2), 0.0, 1.0, (1.0,), (LINE,))
PLACES = (Expectation(2, (0.25, 0.25, 0.25, 0.25)),)


def additive(*effects: Effect) -> Model:
    return Model(STUDY, (), AdditiveBody((0, 1), LEARNED, 0.0, 5.0, effects, PLACES))


def by_name(model: Model):
    return {each.features: each for each in findings_of(model, [2, 3]).found}


def test_an_effect_keeps_its_numbers_and_its_errors():
    found = by_name(additive(STRESS))["stress",]
    assert (found.shape, found.private) == ("steps", True)
    assert found.axes == ((0.0, 2.0, 4.0, 6.0, 8.0),)
    assert (found.added, found.error) == (STRESS.values, STRESS.deviations)
    shares, added = np.array(STRESS.shares[0]), np.array(STRESS.values)
    assert found.size == pytest.approx(math.sqrt(shares @ added**2 - (shares @ added) ** 2))
    assert found.mean_error == pytest.approx(math.sqrt(shares @ np.array(STRESS.deviations) ** 2))


def test_a_public_feature_is_read_off_the_predictions_and_has_no_error():
    model = additive(STRESS)
    found = by_name(model)
    age, work = found["age",], found["work",]
    assert (age.shape, work.shape, age.private) == ("line", "values", False)
    assert len(age.axes[0]) == len(age.added) == POINTS
    assert age.added[0] == pytest.approx(-1.0)
    assert age.added[-1] == pytest.approx(1.0)
    assert work.axes == (("day", "night"),)
    assert work.added[1] - work.added[0] == pytest.approx(-0.6)
    assert age.error is age.mean_error is work.error is None
    assert findings_of(model, [2, 3]).error is None


def test_two_features_together_are_a_map_over_both():
    found = by_name(additive(STRESS, BOTH))["stress", "age"]
    assert (found.shape, found.private) == ("map", True)
    assert found.axes == ((0.0, 4.0, 8.0), (20.0, 40.0, 60.0))
    weights, added = np.array([0.125, 0.375, 0.125, 0.375]), np.array(BOTH.values)
    assert found.size == pytest.approx(math.sqrt(weights @ (added - weights @ added) ** 2))


def test_the_largest_comes_first_and_what_adds_nothing_is_named():
    told = findings_of(additive(STRESS, BOTH), [2, 3])
    sizes = [each.size for each in told.found]
    assert sizes == sorted(sizes, reverse=True)
    assert told.idle == ("idle",)
    public, private = told.together
    assert (public.private, private.private) == (False, True)
    assert public.size == pytest.approx(math.sqrt(sum(each.size**2 for each in told.found if not each.private)))
    assert private.size == pytest.approx(math.sqrt(sum(each.size**2 for each in told.found if each.private)))


def test_errors_of_cells_are_told_where_they_were_estimated():
    partition = partition_message(Partition(STUDY.bounds, (2,), (2,), Tree()))
    body = CellBody(partition, (2.0, 6.0), (30.0, 10.0), (0, 0), (0.25, 0.04))
    told = findings_of(Model(STUDY, (), body), [2, 3])
    (stress,) = told.found
    assert told.mean == pytest.approx(3.0)
    assert told.error is not None
    assert stress.error is not None
    assert (stress.error[0], stress.error[-1]) == (0.5, 0.2)
    assert set(told.idle) == {"age", "work", "idle"}


@pytest.mark.parametrize("protocol", BODIES)
def test_every_protocol_s_model_can_be_read(protocol):
    model = fitted(protocol, BODIES[protocol][0])
    told = findings_of(model, [0])
    nothing = np.full((1, 4), np.nan)
    assert told.mean == model.predict(nothing)[0][0]
    named = {name for each in told.found for name in each.features}
    assert named | set(told.idle) == set("abcd")
    assert not named & set(told.idle)
    for each in told.found:
        assert np.isfinite(each.added).all()
        assert each.error is None or len(each.error) == len(each.added)
