"""The codec: any bytes are a message or refused by name; messages survive the round trip; schemas and page are true."""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semildp.simulate import simulate
from semildp.study import Feature, Number, Study
from semildp.wire import messages, schemas
from semildp.wire.codec import decode, encode
from semildp.wire.messages import SAFE, Enrolment, Question, Report
from semildp.wire.people import read_enrolment, write_enrolment
from semildp.wire.problems import PROBLEMS, WireError
from tests.programs.studies import cases
from tests.test_vectors import FILES, KINDS, STUDIES, judged_by_curator, judged_by_device, raw_of
from tests.vectors.validate import accepts

FUZZ = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)

finite = st.floats(allow_nan=False, allow_infinity=False)
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
words = st.integers(0, 2**64).map(str)
small = st.integers(1, 2**31)
epsilons = st.floats(min_value=0, exclude_min=True, allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
mechanisms = st.builds(
    messages.Mechanism,
    st.sampled_from(["laplace", "window", "generalised", "binary", "subset", "paired"]),
    small,
    small,
    st.lists(words, max_size=3).map(tuple),
)
whole = st.integers(-SAFE, SAFE)
counts = st.integers(0, SAFE)


def tuples(of: Any) -> Any:
    return st.lists(of, max_size=3).map(tuple)


trees = st.builds(messages.Tree, tuples(whole), tuples(finite), tuples(counts))
partitions = st.builds(messages.Partition, tuples(counts), tuples(small), trees)
by_size = st.dictionaries(st.integers(1, 10**9).map(str), mechanisms, max_size=3)
rounding = st.sampled_from(["nearest", "random"])
asks = st.one_of(
    st.builds(messages.AskLabel, finite, finite, rounding, mechanisms, epsilons),
    st.builds(messages.AskCell, partitions, by_size, epsilons),
    st.builds(messages.AskPair, partitions, tuples(finite), finite, by_size, epsilons),
    st.builds(messages.AskSigned, partitions, tuples(st.sampled_from([-1, 1])), finite, mechanisms, epsilons),
    st.builds(messages.AskBins, tuples(mechanisms), epsilons),
    st.builds(messages.AskHistogram, partitions, finite, finite, mechanisms, mechanisms, epsilons),
)
anything = st.one_of(
    st.builds(Enrolment, digests, tuples(st.none() | finite | names)),
    st.builds(Question, digests, small, tuples(asks), finite),
    st.builds(Report, digests, tuples(tuples(whole))),
)
leaves = st.none() | st.booleans() | finite | st.integers(-(2**70), 2**70) | names | st.sampled_from([*KINDS, "1"])
json_values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4)
)


def outcome(raw: bytes, kind: Any) -> Any:
    """The message, or the name of the problem; anything else that is raised is a failure."""
    try:
        return decode(raw, kind)
    except WireError as problem:
        return problem.problem


@FUZZ
@given(st.binary(max_size=60), st.sampled_from(list(KINDS.values())))
def test_any_bytes_are_a_message_or_refused_by_name(raw, kind):
    assert outcome(raw, kind) in PROBLEMS


@FUZZ
@given(json_values, st.sampled_from(list(KINDS.values())), st.booleans())
def test_any_json_is_a_message_or_refused_by_name(value, kind, headed):
    if headed and isinstance(value, dict):
        value = {**value, "message": kind.__struct_config__.tag, "version": 1}
    assert outcome(json.dumps(value).encode(), kind) in PROBLEMS


@FUZZ
@given(anything)
def test_messages_survive_the_round_trip(message):
    raw = encode(message)
    assert decode(raw, type(message)) == message
    assert encode(decode(raw, type(message))) == raw


VALID = [(name, entry) for name in KINDS for entry in FILES[name] if "valid" in entry]


def nodes(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in JSON but the whole."""
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [found for step, part in steps for found in [(*path, step), *nodes(part, (*path, step))]]


def mutant(text: str, draw: Any) -> bytes:
    """The message with one place changed: left out, doubled, replaced, moved a little; or with bytes changed."""
    if draw(st.integers(0, 9)) == 0:
        raw = bytearray(text.encode())
        raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
        return bytes(raw)
    data = json.loads(text)
    *path, last = draw(st.sampled_from(nodes(data)))
    at = data
    for step in path:
        at = at[step]
    how = draw(st.integers(0, 3))
    if how == 0:
        del at[last]
    elif how == 1 and isinstance(at, list):
        at.insert(last, at[last])
    elif how == 2 and isinstance(at[last], int | float) and not isinstance(at[last], bool):
        at[last] += draw(st.sampled_from([1, -1, 1e-9, 1e9, -1e300, 2**53, 2**64]))
    else:
        at[last] = draw(json_values)
    return json.dumps(data).encode()


@FUZZ
@given(st.sampled_from(VALID), st.data())
def test_mutants_of_valid_messages_are_answered_or_refused_by_name(chosen, data):
    name, entry = chosen
    changed = {**entry, "hex": mutant(entry["text"], data.draw).hex()}
    judge = judged_by_device if name == "questions" else judged_by_curator
    assert judge(changed) in {None, *PROBLEMS}


@pytest.mark.parametrize("entry", [e for name, e in VALID if name == "enrolments"], ids=lambda e: e["name"])
def test_enrolments_survive_the_way_to_numbers_and_back(entry):
    study, message = STUDIES[entry["study"]], decode(raw_of(entry), Enrolment)
    assert write_enrolment(study, read_enrolment(study, message), 0) == message


def test_equal_studies_have_equal_digests_however_their_numbers_are_written():
    whole = Study(name="s", epsilon=1, label=Number(0, 4), features=(Feature("a", Number(-1, 1)),))
    real = Study(name="s", epsilon=1.0, label=Number(0.0, 4.0), features=(Feature("a", Number(-1.0, 1.0)),))
    numpy = Study(
        name="s", epsilon=np.float64(1), label=Number(np.int64(0), 4), features=(Feature("a", Number(-1, 1)),)
    )
    assert whole == real
    assert len({s.digest for s in (whole, real, numpy, Study.from_dict(json.loads(whole.to_json())))}) == 1


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_refusal_is_named_and_says_what_is_wrong(problem):
    error = WireError(problem)
    assert error.problem == problem
    assert PROBLEMS[problem] in str(error)
    assert msgspec.json.encode(problem)  # plain text, that any program can tell from another


PAGE = (Path(__file__).parents[1] / "docs" / "wire-format.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"```json (\w+)\n(.*?)\n```", PAGE, re.DOTALL))


def test_the_page_lists_the_problems():
    table = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in PROBLEMS.items())
    assert PAGE.endswith("| problem | meaning |\n|---|---|\n" + table)


def test_the_page_s_examples_belong_together():
    study = Study.from_dict(json.loads(EXAMPLES["study"]))
    assert study.to_json().decode() == EXAMPLES["study"]
    person = {"values": [0.3, 2.5, "green", 7.0], "label": 1.25, "hidden": ["a"]}
    asked = {"study": "plain", "person": person, "text": EXAMPLES["question"]}
    assert STUDIES["plain"] == study
    assert judged_by_device(asked) is None
    assert judged_by_curator({"study": "plain", "text": EXAMPLES["enrolment"]}) is None
    sent = {"enrolment": EXAMPLES["enrolment"], "question": EXAMPLES["question"], "text": EXAMPLES["report"]}
    assert judged_by_curator({"study": "plain", **sent}) is None


def test_the_page_names_every_field_of_every_message():
    for document in schemas.DOCUMENTS:
        for form in schemas.schema(document)["$defs"].values():
            if document != "model" or form["title"] in ("Model", "Spent", "CellBody"):
                missing = [name for name in form["properties"] if f"`{name}`" not in PAGE and f'"{name}"' not in PAGE]
                assert missing == [], form["title"]


@pytest.mark.parametrize("document", schemas.DOCUMENTS)
def test_published_schemas_are_current(document):
    published = files("semildp.wire.schemas") / f"{document}.json"
    now = schemas.schema_text(document)
    assert flush(json.loads(published.read_text(encoding="utf-8"))) == flush(json.loads(now))
    if sys.version_info < (3, 13):  # later ones take the indentation off docstrings, which descriptions are made of
        assert published.read_text(encoding="utf-8") == now


def flush(found):
    """Return a schema with descriptions that begin at the left."""
    if isinstance(found, dict):
        return {k: cleandoc(v) if k == "description" and isinstance(v, str) else flush(v) for k, v in found.items()}
    return [flush(each) for each in found] if isinstance(found, list) else found


def test_schemas_require_a_version_and_allow_no_other_field():
    for document in ("enrolment", "question", "report", "model"):
        made = schemas.schema(document)
        head = made["$defs"][document.capitalize()]
        assert "version" in head["required"]
        assert head["properties"]["version"] == {"const": messages.VERSION}
        assert all(form["additionalProperties"] is False for form in made["$defs"].values())


FORM = {"missing-field", "unknown-field", "wrong-type", "wrong-message", "wrong-version"}  # what a schema can tell
# Refused for what they mean in the study: a category as a number, no mechanism for a person's candidates.
MEANT = ("text for a number", "a number for a category", "no mechanism for so many")


@pytest.mark.parametrize("name", KINDS)
def test_schemas_accept_what_is_valid_and_refuse_what_is_malformed(name):
    schema, told = schemas.schema(name[:-1]), 0
    for entry in FILES[name]:
        if "spaces" in entry or entry.get("problem") in ("not-json", "duplicate-field", "not-finite"):
            continue
        accepted = accepts(schema, json.loads(raw_of(entry)))
        if "valid" in entry:
            assert accepted, entry["name"]
        elif entry["problem"] in FORM and not entry["name"].startswith(MEANT):
            assert not accepted, entry["name"]
            told += 1
    assert told >= 6


def test_schemas_accept_studies_and_models():
    """Of every protocol and way to take part; who hides what changes numbers of a model, and no field."""
    for case in (case for case in cases() if case.mask in ("personal", "none")):
        model = simulate(case.study, *case.people()).model
        assert accepts(schemas.schema("study"), json.loads(case.study.to_json()))
        assert accepts(schemas.schema("model"), json.loads(model.to_json()))
    assert not accepts(schemas.schema("study"), {**json.loads(case.study.to_json()), "version": 2})
