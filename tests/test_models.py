"""Models: bit for bit through JSON, missing entries averaged over, the exported learner as good as the fitted one."""

from __future__ import annotations

import json
import math

import msgspec
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from semildp.curator.learning import NoisyLabelAverage, learned
from semildp.errors import InputError
from semildp.models import AdditiveBody, CellBody, Model, OpaqueBody, Spent, TreeBody, model_of
from semildp.models.learned import Average
from semildp.models.tree import TreeArrays
from semildp.partition import Partition, Tree
from semildp.protocols import SemiPrivate, protocol_of
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.forms import partition_message, read_partition
from semildp.wire.problems import WireError

N = 600
RNG = np.random.default_rng(0)
FEATURES = (
    Feature("a", Number(0.0, 1.0)),
    Feature("b", Number(-1.0, 1.0)),
    Feature("c", Category(("red", "green", "blue"))),
    Feature("d", Number(0.0, 10.0)),
)
X = np.column_stack([RNG.uniform(size=N), RNG.uniform(-1, 1, N), RNG.integers(0, 3, N), RNG.uniform(0, 10, N)])
Y = np.clip(X[:, 0] + X[:, 1] + 0.5 * (X[:, 2] == 1) + 0.1 * X[:, 3], -1, 3)
MASK = np.tile([True, False, False, False], (N, 1))
FRESH = np.where(RNG.uniform(size=(300, 4)) < 0.2, np.nan, X[:300])
SETTINGS = {"hist-of-tree": {"depth": 2, "bins": 2}, "hist-of-tree-joint": {"depth": 2, "bins": 2}}


def test_a_tree_that_splits_present_from_missing_survives_json():
    rows, labels = np.array([[0.0], [1.0], [np.nan], [np.nan]]), np.array([0.0, 0.0, 1.0, 1.0])
    grown = DecisionTreeRegressor(max_depth=1).fit(rows, labels)
    assert grown.tree_.threshold[0] == np.inf
    tree = TreeArrays.of(grown)
    again = msgspec.json.decode(msgspec.json.encode(tree), type=TreeArrays)
    assert again == tree
    assert again.predict(np.append(rows, [[1e300]], axis=0)).tolist() == [0.0, 0.0, 1.0, 1.0, 0.0]


def study_for(protocol="semi-private", how="split", epsilon=8.0):
    return Study(
        name="models",
        epsilon=epsilon,
        label=Number(-1.0, 3.0),
        features=FEATURES,
        protocol=protocol,
        settings=SETTINGS.get(protocol, {}),
        participation=how,
        hide_mask=protocol == "private-histogram",
    )


def fitted(protocol, how="split", learner=None):
    study = study_for(protocol, how)
    rule = protocol_of(study) if learner is None else SemiPrivate(learner=learner)
    mask = np.zeros_like(MASK) if protocol == "label-tree" else MASK
    sources = {name: SeededSource(i) for i, name in enumerate(rule.streams)}
    return simulate(study, X, Y, mask, protocol=rule, sources=sources).model


BODIES = {
    "semi-private": ("split", AdditiveBody),
    "hist-of-tree": ("both", CellBody),
    "hist-of-tree-joint": ("split", CellBody),
    "public-tree": ("split", TreeBody),
    "label-tree": ("split", TreeBody),
    "randomized-features": ("split", TreeBody),
    "private-histogram": ("split", CellBody),
}


@pytest.mark.parametrize("protocol", BODIES)
def test_json_brings_back_the_same_model_bit_for_bit(protocol):
    how, body = BODIES[protocol]
    model = fitted(protocol, how)
    assert isinstance(model.body, body)
    raw = model.to_json()
    again = Model.from_json(raw)
    assert again == model
    assert again.to_json() == raw
    for ours, theirs in zip(model.predict(FRESH), again.predict(FRESH), strict=True):
        assert ours.tobytes() == theirs.tobytes()
    assert sum(s.n_people for s in again.spent) == N
    assert again.study.digest == study_for(protocol, how).digest
    mean, _ = model.predict(FRESH)
    assert ((mean >= -1) & (mean <= 3)).all()


def test_every_kind_of_body_and_of_learnt_function_is_written():
    assert {body for _, body in BODIES.values()} == {AdditiveBody, CellBody, TreeBody}
    body = fitted("semi-private").body
    assert body.effects
    waves = np.sin(9 * X[:, 0]) + X[:, 1] + (X[:, 2] > np.median(X[:, 2])) * X[:, 3]
    members = learned(NoisyLabelAverage().fit(X, waves + np.random.default_rng(3).normal(size=len(X)))).members
    assert {type(member).__name__ for member in members} == {"Linear", "Splines", "Blocks"}


def changed(model, path, value):
    """A model's JSON with one field changed, added or (None) taken away."""
    data = json.loads(model.to_json())
    place = data
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize("protocol", ["semi-private", "hist-of-tree", "public-tree"])
def test_another_version_and_other_fields_are_refused(protocol):
    model = fitted(protocol, BODIES[protocol][0])
    lies = [
        (("version",), 2, "wrong-version"),
        (("version",), True, "wrong-version"),
        (("version",), None, "missing-field"),
        (("message",), "report", "wrong-message"),
        (("colour",), "red", "unknown-field"),
        (("body", "colour"), "red", "unknown-field"),
        (("study", "colour"), "red", "unknown-field"),
        (("spent", 0, "colour"), "red", "unknown-field"),
        (("body",), None, "missing-field"),
        (("spent", 0, "n_people"), None, "missing-field"),
        (("spent",), 5, "wrong-type"),
    ]
    for path, value, problem in lies:
        with pytest.raises(WireError) as refused:
            Model.from_json(changed(model, path, value))
        assert refused.value.problem == problem, path
    for raw, problem in ((b"{", "not-json"), (model.to_json()[:-1], "not-json"), (b"[]", "wrong-type")):
        with pytest.raises(WireError) as refused:
            Model.from_json(raw)
        assert refused.value.problem == problem
    with pytest.raises(InputError):
        Model.from_json(changed(model, ("body", "kind"), "magic"))
    with pytest.raises(InputError):
        Model.from_json(changed(model, ("study", "epsilon"), -1.0))


def test_an_opaque_model_predicts_but_is_not_written():
    model = fitted("semi-private", learner=Ridge())
    assert isinstance(model.body, OpaqueBody)
    assert np.isfinite(model.predict(X)[0]).all()
    with pytest.raises(
        InputError, match=r"^A model can be written as JSON if its learner is the default\. Got Ridge\."
    ):
        model.to_json()


def cell_model(counts=None, variances=None):
    """Bins of their own per feature, a tree on the others; values and counts at random, some counts negative."""
    study = study_for()
    tree = Tree((3, 1, -1, -1, -1), (0.5, 0.25, 0.0, 0.0, 0.0), (1, 3, 0, 0, 0))
    partition = Partition(study.bounds, (0, 2), (4, 3), tree)
    rng = np.random.default_rng(1)
    values = rng.uniform(-1, 3, partition.n_cells)
    counts = rng.normal(20, 20, partition.n_cells) if counts is None else np.full(partition.n_cells, counts)
    body = CellBody(
        partition_message(partition),
        tuple(values.tolist()),
        tuple(counts.tolist()),
        (0,) * partition.n_cells,
        variances,
    )
    return model_of(study, body)


def lattice(row, study):
    """All rows that agree with this one where nothing is missing, fine enough to meet every cell."""
    ends = zip(study.bounds.low, study.bounds.high, strict=True)
    axes = [np.linspace(a, b, 25) if math.isnan(x) else np.array([x]) for x, (a, b) in zip(row, ends, strict=True)]
    return np.stack([axis.reshape(-1) for axis in np.meshgrid(*axes)], axis=1)


@pytest.mark.parametrize("counts", [None, 0.0, -5.0])
def test_a_missing_entry_is_averaged_over_the_cells_it_could_be_in(counts):
    """By brute force: weights are the counts, as far as they are positive; where nobody is known to be, all alike."""
    model = cell_model(counts)
    body, partition = model.body, read_partition(model.body.partition, model.study.bounds)
    values, mass = np.array(body.values), np.maximum(np.array(body.counts), 0.0)
    mean, variance = model.predict(FRESH)
    assert np.isnan(variance).all()
    for row, found in zip(FRESH, mean, strict=True):
        cells = np.unique(partition.cell(lattice(row, model.study)))
        weights = mass[cells] if mass[cells].any() else np.ones(len(cells))
        assert found == pytest.approx(np.average(values[cells], weights=weights), rel=1e-12, abs=1e-12)
    whole = ~np.isnan(FRESH).any(axis=1)
    assert mean[whole].tolist() == values[partition.cell(FRESH[whole])].tolist()


def test_variances_are_averaged_in_the_same_way():
    n_cells = len(cell_model().body.values)
    model = cell_model(1.0, tuple((np.arange(n_cells) / n_cells).tolist()))  # far below what label bounds allow
    partition = read_partition(model.body.partition, model.study.bounds)
    _, variance = model.predict(FRESH)
    for row, found in zip(FRESH, variance, strict=True):
        cells = np.unique(partition.cell(lattice(row, model.study)))
        assert found == pytest.approx(cells.mean() / n_cells, rel=1e-12)


def test_labels_of_any_size_are_averaged_without_loss():
    """Bounds near 1e-60: averaging over cells without people must not fall below the smallest floats."""
    study = msgspec.structs.replace(study_for(), label=Number(1e-60, 2e-60))
    partition = Partition(study.bounds, (0,), (2,), Tree())
    body = CellBody(partition_message(partition), (1e-60, 2e-60), (-1.0, 0.0), (0, 0))
    mean, _ = model_of(study, body).predict(np.array([[np.nan, 0.0, 0.0, 0.0]]))
    assert mean[0] == pytest.approx(1.5e-60, rel=1e-12, abs=0)


@pytest.mark.parametrize("value", [3.0, -1.0])
def test_an_average_does_not_leave_the_label_bounds(value):
    """All cells are on the bound; their shares add up to 1 only nearly."""
    model = cell_model()
    body = msgspec.structs.replace(model.body, values=(value,) * len(model.body.values))
    mean, _ = model_of(model.study, body).predict(FRESH)
    assert ((mean >= -1) & (mean <= 3)).all()
    np.testing.assert_allclose(mean, value, rtol=1e-12)


def test_many_missing_rows_do_not_depend_on_the_batch(monkeypatch):
    model = cell_model()
    expected = model.predict(FRESH)[0]
    for size in (1, 7, 299):
        monkeypatch.setattr("semildp.models.cells._BATCH", size)
        assert model.predict(FRESH)[0].tobytes() == expected.tobytes()


def test_what_lies_outside_counts_as_on_the_bound_and_wrong_shapes_are_refused():
    for protocol in ("semi-private", "hist-of-tree", "public-tree"):
        model = fitted(protocol, BODIES[protocol][0])
        inside, outside = np.array([[1.0, 1.0, 2.0, 10.0]]), np.array([[9.0, 7.0, 2.4, 1e300]])
        assert model.predict(outside)[0].tolist() == model.predict(inside)[0].tolist()
        for bad in (X[:, :3], X[0]):
            with pytest.raises(InputError, match=r"`X` must be (of 4 columns|a two-dimensional array)"):
                model.predict(bad)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("noise", [0.1, 3.0, 100.0])
def test_the_exported_learner_agrees_with_the_fitted_one(missing, noise):
    """Little noise: full trust; much: hardly any, or none. Beyond the data and with missing entries too."""
    rng = np.random.default_rng(5)
    seen = rng.uniform(size=(800, 4))
    seen[:, 2] = 0.5  # a column that does not vary is left out
    noisy = 2 * seen[:, 0] - np.sin(5 * seen[:, 1]) + noise * rng.normal(size=800)
    seen[rng.uniform(size=seen.shape) < missing] = np.nan
    learner = NoisyLabelAverage().fit(seen, noisy, sample_weight=rng.uniform(0.5, 1, 800))
    exported = learned(learner)
    fresh = rng.uniform(-0.5, 1.5, size=(500, 4))
    fresh[rng.uniform(size=fresh.shape) < missing] = np.nan
    np.testing.assert_allclose(exported.predict(fresh), learner.predict(fresh), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(exported.predict(seen), learner.predict(seen), rtol=1e-9, atol=1e-9)
    assert learner.trust_ > 0.9 or noise > 1
    again = msgspec.json.decode(msgspec.json.encode(exported), type=Average)
    assert again == exported
    assert again.predict(fresh).tobytes() == exported.predict(fresh).tobytes()


def test_a_learner_of_one_s_own_is_not_exported():
    assert learned(Ridge().fit(X, Y)) is None
    nothing = NoisyLabelAverage().fit(np.full((30, 2), np.nan), np.arange(30.0))
    assert learned(nothing) == Average((), 14.5, 0.0, (), ())


def test_who_spent_what_is_kept():
    model = fitted("semi-private").replace((Spent(1, 7, 0.25, 0.5),))
    assert Model.from_json(model.to_json()).spent[0].total == 0.75
