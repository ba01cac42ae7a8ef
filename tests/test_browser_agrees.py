"""Beyond the vectors: the browser's device and Python's judge, write and add up the same, case by case."""

from __future__ import annotations

import json
import math
import random
import struct
from typing import Any

import msgspec
import pytest

from semildp.client import Device, Ledger
from semildp.errors import InputError
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    PairedResponse,
    SubsetResponse,
    WindowResponse,
)
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import decode
from semildp.wire.forms import mechanism_message, read_mechanism
from semildp.wire.messages import Enrolment, Mechanism
from semildp.wire.people import read_enrolment
from semildp.wire.problems import WireError
from tests.browser.running import run
from tests.vectors import parts, questions

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 5, 64, 2**20, 2**31, 2**31 + 1, 2**53, 2**63, 2**64, 10**30, -(2**53)),
    *(0.0, -0.0, 1.0, 1.5, -1.0, 0.5, 1e-13, 1e13, 1e100, 1.1e100, 1e300, 1e-320, 2.0000000000000004, 3.999),
    *("", "0", "1", "01", "4", "label", "cell", "laplace", "window", "binary", "paired", "18446744073709551616"),
    *("99999999999999999999", "100000000000000000000", parts.HIDDEN.digest, [], [1], [0.5], ["1"], {}, {"4": 1}),
]
EPSILONS = [
    1e-12,
    1e-6,
    2.0**-30,
    0.01,
    0.1,
    0.5,
    1.0,
    math.log(3),
    2.5,
    8.0,
    44.0,
    45.0,
    89.5,
    700.0,
    9999.5,
    1e6,
    1e12,
]


def device(study: Study, person: dict[str, Any]) -> Device:
    return Device(study, person["values"], person["label"], person["hidden"], Ledger(1000), SeededSource(1))


def judged(study: Study, person: dict[str, Any], raw: bytes) -> str | None:
    try:
        device(study, person).answer(raw)
    except WireError as problem:
        return problem.problem
    return None


def floats() -> list[float]:
    rng = random.Random(7)
    edges = [10.0**k * f for k in range(-30, 30) for f in (1.0, 0.1, 9.5, 1.2345678)] + [5e-324, 1.7976931348623157e308]
    bits = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(3000)]
    near = [math.nextafter(x, y) for x in edges for y in (0.0, math.inf)]
    return [x for x in (0.0, -0.0, *edges, *bits, *near) if math.isfinite(x)]


FLOATS = floats()


def test_numbers_are_written_as_the_codec_writes_them():
    written = run("judge.mjs", [{"do": "float", "x": x} for x in FLOATS])
    assert written == [msgspec.json.encode(x).decode() for x in FLOATS]


def test_enrolments_are_the_same_bytes():
    features = (
        *parts.FEATURES,
        Feature("wide", Number(-1e20, 1e20)),
        Feature("up to 0", Number(-1, 0)),
        Feature("mot été", Category(('é "x"', "\\/", "日本"))),
    )
    study = Study(name="enrol", epsilon=1.0, label=Number(0, 1), features=features)
    rng = random.Random(3)
    people = []
    for _ in range(300):
        values = [
            rng.choice((rng.uniform(-0.5, 1.5), -0.0, 0.0, 1)),
            rng.uniform(-2, 4),
            rng.choice(("red", "blue")),
            None,
        ]
        values += [rng.choice(FLOATS), rng.choice((-0.0, 0.0, 1, -0.25)), rng.choice(features[-1].domain.values)]
        hidden = [name for name in study.names if rng.random() < 0.3]
        people.append({"values": values, "label": rng.random(), "hidden": hidden})
    text = study.to_json().decode()
    written = run("judge.mjs", [{"do": "enrol", "study": text, "person": person} for person in people])
    assert written == [device(study, person).enrol().decode() for person in people]
    for text in written:
        read_enrolment(study, decode(text.encode(), Enrolment))


def mechanisms() -> list[tuple[Mechanism, float]]:
    makers = [
        *(lambda e, k=k: GeneralisedResponse(e, k) for k in (1, 2, 3, 1000, 2**31)),
        *(lambda e, k=k: BinaryResponse(e, k) for k in (1, 2, 2**20)),
        *(lambda e, s=s, w=w: WindowResponse(e, s, w) for s, w in ((1, 1), (8, 3), (2**20, 2**22))),
        *(lambda e, k=k, m=m: SubsetResponse(e, k, m) for k, m in ((1, 1), (2, 1), (9, 4), (2**20, 2**19))),
        *(lambda e, k=k: PairedResponse(e, k) for k in (1, 2, 2**20)),
        *(lambda e, s=s: DiscreteLaplace(e, s) for s in (1, 2, 64, 1023, 2**30)),
    ]
    rng = random.Random(5)
    tried = EPSILONS + [math.exp(rng.uniform(-8, 4)) for _ in range(20)]
    found = []
    for make in makers:
        for epsilon in tried:
            try:
                found.append((mechanism_message(make(epsilon)), epsilon))
            except InputError:
                continue
    return found


def test_every_threshold_is_the_one_that_python_computes_and_its_neighbours_are_refused():
    requests, wanted = [], []
    for message, epsilon in mechanisms():
        for place in range(len(message.thresholds)):
            for change in (-1, 0, 1):
                thresholds = [int(t) + (change if i == place else 0) for i, t in enumerate(message.thresholds)]
                if min(thresholds) < 0 or (change == 0 and place):
                    continue
                changed = {**msgspec.to_builtins(message), "thresholds": [str(t) for t in thresholds]}
                requests.append({"do": "own", "mechanism": changed, "epsilon": epsilon})
                wanted.append(None if change == 0 else "broken-claim")
    assert len(requests) > 2000
    assert run("judge.mjs", requests) == wanted


def test_epsilons_that_python_finds_too_small_are_refused():
    requests = []
    for kind, values, width in (("generalised", 2**31, 1), ("subset", 2**20, 5), ("binary", 9, 1), ("paired", 18, 1)):
        for epsilon in (1e-12, 2e-12, 1e-11, 1e-10, 1e-9):
            message = Mechanism(kind, values, width, ("1", "1") if kind == "paired" else ("1",))
            requests.append(
                ({"do": "own", "mechanism": msgspec.to_builtins(message), "epsilon": epsilon}, message, epsilon)
            )
    wanted = []
    for _, message, epsilon in requests:
        with pytest.raises(WireError) as refused:
            read_mechanism(message, epsilon)
        wanted.append(refused.value.problem)
    assert run("judge.mjs", [request for request, _, _ in requests]) == wanted


def paths(part: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return ([at] if at else []) + [path for key, each in inner for path in paths(each, (*at, key))]


def mutated(rng: random.Random, data: Any) -> bytes:
    """A question with one entry replaced, left out or doubled, or with one character changed."""
    text = json.dumps(data, separators=(",", ":"))
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        return (text[:at] + rng.choice('0123456789.-eE"\\[]{},: tnu\x01é') + text[at + rng.randrange(2) :]).encode()
    data = json.loads(text)
    path = rng.choice(paths(data))
    inside = data
    for step in path[:-1]:
        inside = inside[step]
    how = rng.random()
    if how < 0.15:
        del inside[path[-1]]
    elif how < 0.3 and isinstance(inside, list):
        inside.insert(path[-1], inside[path[-1]])
    elif how < 0.5 and isinstance(inside[path[-1]], float):
        inside[path[-1]] = inside[path[-1]] * rng.choice((0.5, 2, -1, 1 + 2**-52, 1e99))
    elif how < 0.6 and isinstance(inside, dict):
        inside[rng.choice(("noise", "2", "3", "18", "ask"))] = inside[path[-1]]
    else:
        inside[path[-1]] = rng.choice(VALUES)
    return json.dumps(data, separators=(",", ":")).encode()


def test_spoilt_questions_are_refused_by_the_same_name():
    rng = random.Random(11)
    good = [(json.loads(parts.text(asked)), study) for _, asked, study in questions.valid()]
    requests, wanted = [], []
    for i in range(4000):
        data, name = good[i % len(good)]
        study, raw = parts.STUDIES[name], mutated(rng, data)
        person = questions.PEOPLE[name]
        requests.append({"do": "judge", "study": study.to_json().decode(), "person": person, "hex": raw.hex()})
        wanted.append(judged(study, person, raw))
    got = run("judge.mjs", requests)
    different = [(bytes.fromhex(r["hex"]), w, g) for r, w, g in zip(requests, wanted, got, strict=True) if w != g]
    assert different == []
    assert len(set(wanted)) >= 12, "mutations reach most problems"
