"""Bad values thrown at everything public: a sentence or a right answer comes back, never a crash or a NaN."""

from __future__ import annotations

import importlib
import inspect
import json
import numbers
import pkgutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

import semildp
from semildp import cli
from semildp.audit import command
from tests.fuzzing.documents import STUDY
from tests.fuzzing.outcome import attempt
from tests.fuzzing.table import BOXES, ENTRIES, ESTIMATORS, INNER
from tests.fuzzing.values import BAD, JSON, WEIRD

FEW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
FEWER = settings(FEW, max_examples=25)
WIRE = ("codec", "columns", "costs", "forms", "messages", "people", "problems", "verify")
ROOMS = (  # those without a list of what is public
    *("budgets", "masks", "domains", "sources", "study", "simulate", "explain"),
    *(f"wire.{name}" for name in WIRE),
)
ALIASES = {"M", "Ints", "Floats", "Words", "Mask", "LARGEST", "NARROWEST", "MOST_ENTRIES"}  # types and constants

NAN_IS_FINE = ("curator.", "wire.", "client.ready")
N = 12
RNG = np.random.default_rng(3)
X, Y = RNG.uniform(size=(N, 3)), RNG.uniform(size=N)
GOOD = {"label_bounds": (0.0, 1.0), "feature_bounds": (0.0, 1.0), "random_state": 0}
LIKELY = [*WEIRD, (0, 1), [(0, 1)] * 3, "cart", "random", "rr", "grr", "laplace", "both", [0], "x0", ["x1", 2], 0.25]


def public_names():
    for name in importlib.import_module("semildp").__all__:
        yield name
    walked = [name.removeprefix("semildp.") for _, name, _ in pkgutil.iter_modules(semildp.__path__, "semildp.")]
    for room in dict.fromkeys([*walked, *ROOMS]):
        module = importlib.import_module(f"semildp.{room}")
        if room not in ROOMS and not hasattr(module, "__all__"):
            continue
        listed = getattr(module, "__all__", None)
        for name in listed or [n for n in vars(module) if not n.startswith("_")]:
            value = getattr(module, name)
            own = listed or (getattr(value, "__module__", "") == module.__name__ and not inspect.ismodule(value))
            if own and name not in ALIASES:
                yield f"{room}.{name}"


def test_every_public_name_is_thrown_at_or_says_why_not():
    public = set(public_names())
    undecided = public - {name.split(",")[0] for name in ENTRIES} - set(BOXES) - set(INNER)
    assert sorted(undecided) == []
    assert not set(INNER) - public, "names that are gone"
    for name in [*ENTRIES, *BOXES]:  # a public name, or something of it
        place = name.split(",")[0]
        assert place in public or place.rpartition(".")[0] in public, name


@pytest.mark.parametrize("name", ENTRIES)
def test_good_values_are_taken(name):
    call, good = ENTRIES[name]
    call(**good)


@pytest.mark.parametrize("name", ENTRIES)
@FEW
@given(data=st.data())
def test_bad_values_are_refused_or_right(name, data):
    call, good = ENTRIES[name]
    changed = data.draw(st.lists(st.sampled_from(sorted(good)), min_size=1, max_size=2, unique=True))
    arguments = {**good, **{parameter: data.draw(BAD, label=parameter) for parameter in changed}}
    attempt(lambda: call(**arguments), nan_is_fine=name.startswith(NAN_IS_FINE))


@pytest.mark.parametrize("name", ENTRIES)
def test_each_weird_value_in_each_place(name):
    call, good = ENTRIES[name]
    for parameter in good:
        for value in WEIRD:
            attempt(lambda p=parameter, v=value: call(**{**good, p: v}), nan_is_fine=name.startswith(NAN_IS_FINE))


@pytest.mark.parametrize("name", BOXES)
def test_black_boxes_refuse_strangers_at_once(name):
    call, good = BOXES[name]
    first = next(iter(good))
    for value in WEIRD:
        usable = value is None or isinstance(value, numbers.Real)  # a default, or a long audit that is right
        if not usable or name not in ("audit.audit_study", "audit.attack_floating_point"):
            attempt(lambda v=value: call(**{**good, first: v}), nan_is_fine=True)
    for parameter in set(good) - {first}:
        for value in WEIRD:
            attempt(lambda p=parameter, v=value: call(**{**good, p: v}), nan_is_fine=True)


FILES = [name for name, (_, good) in ENTRIES.items() if "text" in good]


@pytest.mark.parametrize("name", FILES)
@FEW
@given(data=st.data())
def test_mangled_files_are_refused_or_read(name, data):
    call, good = ENTRIES[name]
    document = json.loads(good["text"])
    field = data.draw(st.sampled_from([*sorted(document), "unknown"]))
    document[field] = data.draw(JSON)
    asked = document.get("asks")
    if isinstance(asked, list) and name == "client.Device.answer" and data.draw(st.booleans()):
        document = json.loads(good["text"])
        tree = document["asks"][0]["partition"]["tree"]
        part = data.draw(st.sampled_from(["feature", "threshold", "child"]))
        place = data.draw(st.integers(0, len(tree[part]) - 1))
        tree[part][place] = data.draw(JSON | st.integers(-2, 8) | st.floats(0, 1))
    attempt(lambda: call(**{**good, "text": json.dumps(document)}))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(good["text"]))] * 2)))
    mangled = good["text"][:start] + data.draw(st.text(max_size=3)) + good["text"][stop:]
    attempt(lambda: call(**{**good, "text": mangled}))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, '{"version": ' + "9" * 5000 + "}"])
@pytest.mark.parametrize("name", FILES)
def test_files_made_to_break_a_parser(name, text):
    call, good = ENTRIES[name]
    attempt(lambda: call(**{**good, "text": text}))


def model(name, **parameters):
    extra = {"learner": LinearRegression()} if name == "SemiPrivateRegressor" else {}
    return ESTIMATORS[name](**{**GOOD, **extra, **parameters})


def fitted_and_asked(estimator, rows=X, labels=Y, mask=None, queries=X):
    return estimator.fit(rows, labels, mask=mask).predict(queries)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
def test_every_parameter_of_every_estimator(name):
    for parameter in model(name).get_params(deep=False):
        for value in LIKELY:
            attempt(lambda p=parameter, v=value: fitted_and_asked(model(name, **{p: v})))


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning", "ignore:A column-vector y", "ignore:X has feature")
def test_every_input_of_every_estimator(name):
    fitted = model(name).fit(X, Y)
    for value in WEIRD:
        for place in ("rows", "labels", "mask"):
            attempt(lambda p=place, v=value: fitted_and_asked(model(name), **{p: v}))
        attempt(lambda v=value: fitted.predict(v))


ENTRY = st.floats() | st.floats(0, 1) | st.just(float("nan"))


@pytest.mark.parametrize("name", ESTIMATORS)
@FEWER
@given(data=st.data())
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
def test_rows_labels_and_masks_with_stray_entries(name, data):
    rows, labels, queries, mask = X.copy(), Y.copy(), X.copy(), RNG.uniform(size=X.shape) < 0.5
    for array in data.draw(st.lists(st.sampled_from([rows, labels, queries]), min_size=1, max_size=3)):
        array.flat[data.draw(st.integers(0, array.size - 1))] = data.draw(ENTRY)
    bounds = data.draw(
        st.sampled_from([GOOD, {"random_state": 0}, {**GOOD, "epsilon": 1e-6}, {**GOOD, "epsilon": 1e6}])
    )
    estimator = model(name, **{"label_bounds": None, "feature_bounds": None, **bounds}, clip=data.draw(st.booleans()))
    attempt(lambda: fitted_and_asked(estimator, rows, labels, mask, queries))


STUDIES = ["", "{", "[]", "null", '{"version": 2}', '{"epsilon": -1}', '{"epsilon": 1e999}', '{"bins": true}', "\x00"]


@pytest.mark.parametrize("study", STUDIES)
def test_bad_study_files_end_with_exit_code_2(study, tmp_path, capsys):
    (tmp_path / "study.json").write_text(study)
    assert cli.main(["audit", str(tmp_path / "study.json")]) == cli.REFUSED
    assert capsys.readouterr().err.startswith("semildp audit: ")


@FEW
@given(data=st.data())
def test_any_command_line_ends_in_a_sentence(data, tmp_path_factory):
    """The audit itself is left out: what reaches it has been accepted."""
    folder = tmp_path_factory.mktemp("study")
    document = json.loads(STUDY.to_json())
    document[data.draw(st.sampled_from(sorted(document)))] = data.draw(JSON)
    (folder / "study.json").write_text(json.dumps(document))
    words = st.sampled_from(
        [
            "--json",
            "--seed",
            "--epsilon",
            "--trials",
            "--plot",
            "--attack",
            "floating-point",
            "-1",
            "0",
            "2048",
            "x",
            "",
            "nan",
        ]
    )
    paths = st.sampled_from([str(folder / "study.json"), str(folder), str(folder / "none"), "\x00"])
    arguments = ["audit", *data.draw(st.lists(words | paths, max_size=4))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "audit_study", lambda *_, **__: [])
        patch.setattr(command, "audit_table", lambda *_: "a table")
        patch.setattr(command, "attack_floating_point", lambda *_, **__: [])
        patch.setattr(command, "attack_table", lambda *_: "a table")
        patch.setattr(command, "plot_audit", lambda *_: None)
        try:
            code = cli.main(arguments)
        except SystemExit as stop:  # argparse
            code = stop.code
    assert code in (0, cli.REFUSED)
