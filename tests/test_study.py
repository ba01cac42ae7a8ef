"""The study's documents: what is written is read back, and whatever else is written is refused in a sentence."""

from __future__ import annotations

import json
import tomllib

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp import InputError
from semildp.study import Category, Classes, Feature, Number, Study

STUDY = Study(
    name="colours",
    epsilon=1.5,
    label=Number(-1, 2),
    features=(Feature("age", Number(0, 100)), Feature("colour", Category(("red", "green", "blue")), private=True)),
    settings={"label_share": 0.5},
)
DIGEST = "43ded724f0567f04c88b5045eb6992214128ca44c2373c2615845d1724244e89"

PRINTABLE = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
NAMES = st.text(PRINTABLE, min_size=1, max_size=20)
ENDS = st.lists(st.floats(-1e99, 1e99), min_size=2, max_size=2, unique_by=lambda x: round(x, 6)).map(sorted)
WORDS = st.lists(NAMES, min_size=2, max_size=5, unique=True).map(tuple)
NUMBERS, CATEGORIES = ENDS.map(lambda ends: Number(*ends)), WORDS.map(Category)
FEATURES = st.lists(
    st.builds(Feature, NAMES, NUMBERS | CATEGORIES, st.booleans()), min_size=1, max_size=4, unique_by=lambda f: f.name
).map(tuple)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SETTINGS = st.dictionaries(NAMES, st.booleans() | st.integers(-(2**53), 2**53) | FINITE | NAMES, max_size=4)
STUDIES = st.builds(
    Study,
    name=NAMES,
    epsilon=st.floats(1e-12, 1e12),
    label=NUMBERS | WORDS.map(Classes),
    features=FEATURES,
    protocol=NAMES,
    settings=SETTINGS,
    participation=st.sampled_from(["split", "both"]),
    hide_mask=st.booleans(),
)


@settings(deadline=None, derandomize=True)
@given(STUDIES)
def test_json_and_toml_give_back_the_same_study(study):
    for again in (
        Study.from_json(study.to_json()),
        Study.from_dict(json.loads(study.to_json())),
        Study.from_toml(study.to_toml()),
        Study.from_dict(tomllib.loads(study.to_toml())),
    ):
        assert again == study
        assert again.to_json() == study.to_json()
        assert again.digest == study.digest


def test_files_are_read_by_their_name(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY.to_toml(), encoding="utf-8")
    (tmp_path / "study.json").write_bytes(STUDY.to_json())
    assert Study.read(tmp_path / "study.toml") == Study.read(str(tmp_path / "study.json")) == STUDY
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    for path, sentence in (("none.toml", "could not be read"), ("latin.toml", "UTF-8"), (".", "could not be read")):
        with pytest.raises(InputError, match=sentence):
            Study.read(tmp_path / path)


def test_a_study_s_digest_is_recorded():
    """It names the study on devices and in questions: if this changes, so does the wire format."""
    assert STUDY.digest == DIGEST


def test_equal_studies_have_equal_bytes_whatever_kind_of_number_was_passed():
    other = Study(
        name="colours",
        epsilon=np.float64(1.5),
        label=Number(np.int64(-1), 2.0),
        features=[Feature("age", Number(-0.0, 100.0)), Feature("colour", Category(["red", "green", "blue"]), True)],
        settings={"label_share": np.float64(0.5)},
    )
    assert other == STUDY
    assert other.to_json() == STUDY.to_json()


CHANGES = {
    "name": "colors",
    "epsilon": 1.25,
    "label": Number(-1, 3),
    "features": STUDY.features[::-1],
    "protocol": "hist-of-tree",
    "settings": {"label_share": 0.25},
    "participation": "both",
    "hide_mask": True,
}


def test_the_digest_changes_with_every_field():
    assert set(CHANGES) == set(Study.__struct_fields__) - {"version"}
    age, colour = STUDY.features
    inner = [
        (Feature("years", age.domain), colour),
        (Feature("age", age.domain, private=True), colour),
        (Feature("age", Number(1, 100)), colour),
        (Feature("age", Number(0, 101)), colour),
        (age, Feature("colour", Category(("green", "red", "blue")), private=True)),
        (age, Feature("colour", Category(("red", "green")), private=True)),
    ]
    changed = [{name: value} for name, value in CHANGES.items()] + [{"features": features} for features in inner]
    changed += [{"label": Classes(("no", "yes"))}, {"settings": {}}, {"settings": {"share": 0.5}}]
    digests = {msgspec.structs.replace(STUDY, **change).digest for change in changed}
    assert len(digests | {STUDY.digest}) == len(changed) + 1


def document(**changes):
    return {**json.loads(STUDY.to_json()), **changes}


AGE = {"name": "age", "domain": {"kind": "number", "low": 0, "high": 1}}
REFUSED = {
    "an unknown field": (document(colour="red"), "unknown field `colour`"),
    "another version": (document(version=2), "must be of version 1. Got 2"),
    "a version that is no number": (document(version="1"), "Expected `int`"),
    "text for a number": (document(epsilon="1"), "Expected `float`"),
    "a truth value for a number": (document(epsilon=True), "Expected `float`"),
    "a number for a truth value": (document(hide_mask=1), "Expected `bool`"),
    "nothing to spend": (document(epsilon=0), "`epsilon` must be a finite number above 0"),
    "features that are no list": (document(features={}), "Expected `array`"),
    "no feature": (document(features=[]), "`features` must be 1 to 65536"),
    "a name twice": (document(features=[AGE, AGE]), "each with a name of its own"),
    "an unknown field of a feature": (document(features=[{**AGE, "unit": "years"}]), "unknown field `unit`"),
    "an unknown domain": (document(label={"kind": "text"}), "Invalid value 'text'"),
    "bounds the wrong way round": (document(label={"kind": "number", "low": 1, "high": 0}), "low < high"),
    "a value twice": (document(label={"kind": "classes", "values": ["a", "a"]}), "2 to 65536 different words"),
    "one value": (document(label={"kind": "classes", "values": ["a"]}), "2 to 65536 different words"),
    "an empty name": (document(name=""), "1 to 200 printable characters"),
    "a name of two lines": (document(name="a\nb"), "1 to 200 printable characters"),
    "another way to take part": (document(participation="once"), "Invalid enum value 'once'"),
    "a setting that is a list": (document(settings={"a": [1]}), "Expected `bool | int | float | str`"),
    "a setting that is too large": (document(settings={"a": 2**60}), "a whole number from"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_documents_are_refused_in_a_sentence(case):
    data, sentence = REFUSED[case]
    with pytest.raises(InputError) as refused:
        Study.from_dict(data)
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")
    assert not str(refused.value).endswith("..")


@pytest.mark.parametrize(
    "field", sorted(set(document()) - {"label", "protocol", "settings", "participation", "hide_mask", "version"})
)
def test_a_missing_field_is_refused(field):
    data = document()
    del data[field]
    with pytest.raises(InputError, match=f"missing required field `{field}`"):
        Study.from_dict(data)


def test_what_json_and_toml_parsers_are_known_to_let_through_is_refused():
    text = STUDY.to_json().decode()
    twice = text.replace('"epsilon"', '"epsilon":9.0,"epsilon"')
    for bad, sentence in (
        (twice, "name a field twice"),
        (text.replace("1.5", "NaN"), "finite"),
        (text.replace("1.5", "1e999"), "finite"),
        (text + " x", "JSON"),
        ("[" * 100_000, "JSON"),
    ):
        with pytest.raises(InputError, match=sentence):
            Study.from_json(bad)
    toml = STUDY.to_toml()
    for bad, sentence in (
        ("epsilon = 9.0\n" + toml, "TOML"),
        (toml.replace("1.5", "nan"), "finite"),
        (toml.replace("0.5", "inf"), "finite"),
        (toml.replace("1.5", "1979-05-27"), "Expected `float`"),
        ("a = " + "[" * 100_000, "TOML"),
        ("a = " + "9" * 5000, "TOML"),
    ):
        with pytest.raises(InputError, match=sentence):
            Study.from_toml(bad)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**60, None, [1], "a\nb"])
def test_settings_that_a_document_cannot_hold_are_refused(value):
    with pytest.raises(InputError, match="must be"):
        msgspec.structs.replace(STUDY, settings={"a": value})


def test_codes_of_a_category_are_its_places_in_the_list():
    assert STUDY.bounds.low == (0.0, -0.5)
    assert STUDY.bounds.high == (100.0, 2.5)
    assert STUDY.n_values == (None, 3)
    with pytest.raises(InputError, match="a number for the protocol"):
        _ = msgspec.structs.replace(STUDY, label=Classes(("a", "b"))).label_bounds
