"""The vectors, read from their files: devices and curator judge every message as written, and draw as written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from semildp.client import Device, Ledger
from semildp.curator.intake import take_enrolments, take_reports
from semildp.curator.waves import Asked, State, Wave
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import Enrolment, Question, Report
from semildp.wire.people import read_enrolment
from semildp.wire.problems import PROBLEMS, WireError
from tests.vectors import by_hand, make
from tests.vectors.answers import Listed, report
from tests.vectors.thresholds_by_hand import thresholds

HERE = Path(__file__).parent / "vectors"
KINDS = {"enrolments": Enrolment, "questions": Question, "reports": Report}


def read(name: str) -> list[dict[str, Any]]:
    return json.loads((HERE / f"{name}.json").read_text("ascii"))


STUDIES = {entry["name"]: Study.from_dict(json.loads(entry["text"])) for entry in read("studies")}
FILES = {name: read(name) for name in (*KINDS, "answers")}


def entries(name: str) -> list[Any]:
    return [pytest.param(entry, id=f"{i}: {entry['name']}") for i, entry in enumerate(FILES[name])]


def raw_of(entry: dict[str, Any]) -> bytes:
    raw = bytes.fromhex(entry["hex"]) if "hex" in entry else entry["text"].encode()
    return raw + b" " * entry.get("spaces", 0)


def device_of(entry: dict[str, Any]) -> Device:
    person, study = entry["person"], STUDIES[entry["study"]]
    return Device(study, person["values"], person["label"], person["hidden"], Ledger(1000), SeededSource(1))


def judged_by_device(entry: dict[str, Any]) -> str | None:
    device = device_of(entry)
    try:
        device.answer(raw_of(entry))
    except WireError as problem:
        assert not device.ledger.sent
        return problem.problem
    return None


def judged_by_curator(entry: dict[str, Any]) -> str | None:
    study = STUDIES[entry["study"]]
    if "question" not in entry:
        refused = take_enrolments(study, [raw_of(entry)])[1]
    else:
        enrolled, _ = take_enrolments(study, [entry["enrolment"].encode()])
        asked = Asked(decode(entry["question"].encode(), Question), np.zeros(1, dtype=np.int64))
        wave = Wave("stream", (asked,))
        refused = take_reports(State(study, enrolled, {}), wave, [[raw_of(entry)]])[1]
    return refused[0].problem if refused else None


@pytest.mark.parametrize("entry", entries("questions"))
def test_a_device_judges_questions_as_written(entry):
    assert judged_by_device(entry) == entry.get("problem")


@pytest.mark.parametrize("entry", entries("enrolments") + entries("reports"))
def test_a_curator_judges_enrolments_and_reports_as_written(entry):
    assert judged_by_curator(entry) == entry.get("problem")


@pytest.mark.parametrize(
    ("name", "entry"), [(name, e) for name in KINDS for e in FILES[name] if "valid" in e], ids=lambda v: str(v)[:30]
)
def test_valid_messages_hold_the_values_written(name, entry):
    message = decode(raw_of(entry), KINDS[name])
    if name == "questions":
        assert json.loads(encode(message)) == entry["valid"]
    elif name == "reports":
        assert [list(numbers) for numbers in message.answers] == entry["valid"]
    else:
        row = read_enrolment(STUDIES[entry["study"]], message)
        assert [None if hidden else x for x, hidden in zip(row.public[0], row.mask[0], strict=True)] == entry["valid"]
    assert decode(encode(message), KINDS[name]) == message


@pytest.mark.parametrize("entry", entries("answers"))
def test_a_device_draws_the_report_written_from_the_words_written(entry):
    study, raw, source = STUDIES[entry["study"]], entry["question"].encode(), Listed(entry["words"])
    assert report(study, raw, decode(raw, Question), entry["person"], source).decode() == entry["report"]
    assert source.left == []


@pytest.mark.parametrize("entry", entries("answers"))
def test_the_page_s_rules_by_hand_give_the_report_written(entry):
    words = iter([int(word) for word in entry["words"]])
    study = json.loads(STUDIES[entry["study"]].to_json())
    assert by_hand.report(study, entry["question"], entry["person"], words) == entry["report"]
    assert list(words) == []


@pytest.mark.parametrize("entry", entries("answers"))
def test_reports_that_devices_draw_are_admitted(entry):
    hidden = {"text": device_of(entry).enrol().decode()}
    assert judged_by_curator({**entry, "text": entry["report"], "enrolment": hidden["text"]}) is None


def test_the_files_are_those_that_the_generator_writes():
    for name, content in make.files().items():
        assert (HERE / name).read_bytes() == content, f"{name} is not current: a change of format?"


def test_the_studies_have_the_digests_of_their_text():
    for entry in read("studies"):
        assert STUDIES[entry["name"]].digest == digest(entry["text"].encode())


def test_every_problem_mechanism_and_ask_is_in_the_vectors():
    everything = [entry for name in KINDS for entry in FILES[name]]
    assert len(everything) >= 200
    assert {entry["problem"] for entry in everything if "problem" in entry} == set(PROBLEMS)
    for name in KINDS:
        names = [entry["name"] for entry in FILES[name]]
        assert len(set(names)) == len(names)
    asked = [decode(entry["question"].encode(), Question) for entry in FILES["answers"]]
    asks = [msgspec.to_builtins(ask) for question in asked for ask in question.asks]
    assert {ask["ask"] for ask in asks} == {"label", "cell", "pair", "signed", "class", "bins", "histogram"}
    written = "".join(json.dumps(ask) for ask in asks)
    assert all(f'"{kind}"' in written for kind in ("laplace", "window", "generalised", "binary", "subset", "paired"))


def written_mechanisms(part: Any, epsilon: float) -> Any:
    """All mechanisms in an ask, each with its epsilon."""
    if isinstance(part, list):
        for each in part:
            yield from written_mechanisms(each, epsilon)
    elif isinstance(part, dict) and "thresholds" in part:
        yield part, epsilon
    elif isinstance(part, dict):
        shares = {"mass": epsilon / 4, "label": epsilon / 2} if part.get("ask") == "histogram" else {}
        for name, each in part.items():
            yield from written_mechanisms(each, shares.get(name, epsilon))


@pytest.mark.parametrize("entry", [e for e in entries("questions") if "valid" in e.values[0]])
def test_thresholds_are_those_that_the_page_defines(entry):
    for ask in entry["valid"]["asks"]:
        found = list(written_mechanisms(ask, ask["epsilon"]))
        assert found
        for mechanism, epsilon in found:
            assert thresholds(mechanism, epsilon) == mechanism["thresholds"]
