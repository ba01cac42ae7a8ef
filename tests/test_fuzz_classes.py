"""Bad values thrown at classifiers: parameters, labels, rows. What is not used is refused with a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeClassifier
from tests.fuzzing.outcome import attempt
from tests.fuzzing.values import WEIRD

RNG = np.random.default_rng(3)
X, Y = RNG.uniform(size=(12, 3)), RNG.integers(0, 2, 12)
GOOD = {"classes": [0, 1], "feature_bounds": (0.0, 1.0), "random_state": 0}
LIKELY = [*WEIRD, (0, 1), [(0, 1)] * 3, ["a", "b"], "cart", "random", "rr", "grr", "both", [0], "x0", 0.25]
BUILDS = {"joint": HistOfTreeClassifier, "paper": HistOfTreeClassifier.paper}


def fitted_and_asked(estimator, rows=X, labels=Y, mask=None, queries=X):
    return estimator.fit(rows, labels, mask=mask).predict_proba(queries)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
def test_every_parameter(build):
    for parameter in BUILDS[build]().get_params(deep=False):
        for value in LIKELY:
            attempt(lambda p=parameter, v=value: fitted_and_asked(BUILDS[build](**{**GOOD, p: v})))


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning", "ignore:A column-vector y", "ignore:X has feature")
def test_every_input(build):
    fitted = BUILDS[build](**GOOD).fit(X, Y)
    for value in WEIRD:
        for place in ("rows", "labels", "mask"):
            attempt(lambda p=place, v=value: fitted_and_asked(BUILDS[build](**GOOD), **{p: v}))
            attempt(lambda p=place, v=value: fitted_and_asked(BUILDS[build](**{**GOOD, "classes": None}), **{p: v}))
        attempt(lambda v=value: fitted.predict_proba(v))
        attempt(lambda v=value: fitted.predict(v))
