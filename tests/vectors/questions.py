"""Questions: what a device answers, and what it refuses by which name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.vectors import class_questions, parts, signed_questions
from tests.vectors.parts import plain, question, spoilt, text

Entry = dict[str, Any]
FIRST = ("asks", 0)
PEOPLE = {"plain": parts.PERSON, "hidden": parts.HIDER, "classes": parts.VOTER}
MECHANISMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "laplace": (parts.label(), (*FIRST, "mechanism")),
    "window": (parts.label("window", "random"), (*FIRST, "mechanism")),
    "generalised": (parts.cell(), (*FIRST, "mechanisms", "4")),
    "binary": (parts.cell("binary"), (*FIRST, "mechanisms", "4")),
    "subset": (parts.pair(), (*FIRST, "mechanisms", "4")),
    "paired": (parts.pair("paired", levels=2), (*FIRST, "mechanisms", "4")),
}


def valid() -> Iterator[tuple[str, Any, str]]:
    """Name, question, study."""
    for kind, (ask, _) in MECHANISMS.items():
        yield kind, question(ask), "plain"
    yield "one candidate", question(parts.cell(partition=parts.PUBLIC)), "plain"
    yield "one candidate and the residual", question(parts.pair("paired", parts.PUBLIC, levels=2)), "plain"
    yield "a person's own centre", question(parts.pair("subset", parts.BINS), wave=2, centre=0.75), "plain"
    yield "signed", question(parts.signed()), "plain"
    yield "signed, a centre of one's own", question(parts.signed(parts.BINS, levels=2), wave=2, centre=0.75), "plain"
    yield "label and bins", question(parts.label(epsilon=0.5), parts.bins()), "plain"
    yield "histogram", question(parts.histogram(), study=parts.HIDDEN), "hidden"
    yield "all of epsilon", question(parts.label(epsilon=2.0)), "plain"
    yield from class_questions.valid()


def form() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, bytes, problem: what is wrong before the meaning is looked at."""
    asked = question(parts.label())
    good = text(asked)
    yield "empty", "", "not-json"
    yield "cut short", good[:-1], "not-json"
    yield "trailing comma", good[:-1] + ",}", "not-json"
    yield "something after it", good + "0", "not-json"
    yield "two messages", good + good, "not-json"
    yield "byte order mark", b"\xef\xbb\xbf" + good.encode(), "not-json"
    yield "not UTF-8", good.encode().replace(b"question", b"quest\xffon", 1), "not-json"
    yield "UTF-16", good.encode("utf-16-le"), "not-json"
    yield "half a character", good.replace('"nearest"', '"\\ud800"'), "not-json"
    yield "single quotes", good.replace('"', "'"), "not-json"
    yield "nested without end", "[" * 5000, "not-json"
    yield "nested deeply", spoilt(asked, "asks", to=json.loads("[" * 100 + "]" * 100)), "wrong-type"
    yield "a field twice", good.replace('"wave":1', '"wave":1,"wave":1'), "duplicate-field"
    yield "a field twice, deep inside", good.replace('"low":-1.0', '"low":-1.0,"low":-1.0'), "duplicate-field"
    yield "NaN", good.replace('"low":-1.0', '"low":NaN'), "not-finite"
    yield "Infinity", good.replace('"high":4.0', '"high":Infinity'), "not-finite"
    yield "-Infinity", good.replace('"low":-1.0', '"low":-Infinity'), "not-finite"
    yield "1e999", good.replace('"high":4.0', '"high":1e999'), "not-finite"
    yield "a whole number of 400 digits", good.replace('"high":4.0', '"high":' + "9" * 400), "not-finite"
    yield "a wave of 309 digits", good.replace('"wave":1', '"wave":1' + "0" * 308), "out-of-domain"
    yield "a wave of 310 digits", good.replace('"wave":1', '"wave":1' + "0" * 309), "not-finite"
    yield "a number", "3", "wrong-type"
    yield "a list", f"[{good}]", "wrong-type"
    yield "null", "null", "wrong-type"
    yield "an enrolment", good.replace('"message":"question"', '"message":"enrolment"'), "wrong-message"
    yield "no kind of message", spoilt(asked, "message"), "wrong-message"
    for version in (0, 2, "1", True, None):
        yield f"version {version!r}", spoilt(asked, "version", to=version), "wrong-version"
    yield "no version", spoilt(asked, "version"), "missing-field"


def fields() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, text, problem: fields that are not what they must be."""
    asked, paired = question(parts.label()), question(parts.pair())
    yield "a field more", text({**plain(asked), "seed": 7}), "unknown-field"
    yield "a field more, deep inside", spoilt(asked, *FIRST, "mechanism", "noise", to=0), "unknown-field"
    for name in ("study", "wave", "asks"):
        yield f"no {name}", spoilt(asked, name), "missing-field"
    for name in ("low", "rounding", "mechanism", "epsilon", "ask"):
        yield f"a label without {name}", spoilt(asked, *FIRST, name), "missing-field"
    for name in ("partition", "centres", "reach", "mechanisms"):
        yield f"a pair without {name}", spoilt(paired, *FIRST, name), "missing-field"
    yield "wave as text", spoilt(asked, "wave", to="1"), "wrong-type"
    yield "wave a truth value", spoilt(asked, "wave", to=True), "wrong-type"
    yield "asks an object", spoilt(asked, "asks", to={}), "wrong-type"
    yield "epsilon as text", spoilt(asked, *FIRST, "epsilon", to="1"), "wrong-type"
    yield "thresholds as numbers", spoilt(asked, *FIRST, "mechanism", "thresholds", to=[1]), "wrong-type"
    yield "centre null", spoilt(asked, "centre", to=None), "wrong-type"
    yield "wave 0", spoilt(asked, "wave", to=0), "out-of-domain"
    yield "wave 2**63", spoilt(asked, "wave", to=2**63), "out-of-domain"
    yield "2**64 values", spoilt(asked, *FIRST, "mechanism", "values", to=2**64), "out-of-domain"
    yield "no such ask", spoilt(asked, *FIRST, "ask", to="diary"), "out-of-domain"
    yield "no such rounding", spoilt(asked, *FIRST, "rounding", to="up"), "out-of-domain"
    yield "no such mechanism", spoilt(asked, *FIRST, "mechanism", "kind", to="gauss"), "out-of-domain"
    yield "a study's name for its digest", spoilt(asked, "study", to="plain"), "out-of-domain"
    yield "a digest and a line's end", spoilt(asked, "study", to=parts.PLAIN.digest + "\n"), "out-of-domain"
    yield "a digest in capitals", spoilt(asked, "study", to=parts.PLAIN.digest.upper()), "out-of-domain"
    yield "a threshold below 0", spoilt(asked, *FIRST, "mechanism", "thresholds", 0, to="-1"), "out-of-domain"
    yield (
        "a threshold with a zero before it",
        spoilt(asked, *FIRST, "mechanism", "thresholds", 0, to="01"),
        "out-of-domain",
    )
    yield "no candidates", _renamed(paired, "2", "0"), "out-of-domain"
    for epsilon in (0.0, -1.0, 1e-13, 1e13):
        yield f"epsilon {epsilon:g}", spoilt(asked, *FIRST, "epsilon", to=epsilon), "out-of-domain"


def meaning() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, text, problem: questions that are well formed and must not be answered."""
    yield "another study", text(question(parts.label(), study=parts.STUDIES["other"])), "wrong-study"
    yield "nothing is asked", text(question()), "wrong-count"
    yield from claims()
    dear = question(parts.label(epsilon=1.0), parts.cell(epsilon=1.0000000000000002))
    yield "costs a little too much", text(dear), "too-costly"
    yield "costs too much", text(question(parts.label(epsilon=2.5))), "too-costly"
    yield "bins cost each", text(question(parts.label(epsilon=1.5), parts.bins(0.5))), "too-costly"
    yield from parts_that_do_not_fit()


def claims() -> Iterator[tuple[str, str | bytes, str]]:
    """Each mechanism with a threshold that is not its own, and with the thresholds of a larger epsilon."""
    for kind, (ask, path) in MECHANISMS.items():
        asked = plain(question(ask))
        at = asked
        for step in path:
            at = at[step]
        thresholds = list(at["thresholds"])
        for how, changed in (("lower", -1), ("higher", 1)):
            at["thresholds"] = [str(int(thresholds[0]) + changed), *thresholds[1:]]
            yield f"{kind}: a threshold {how} by 1", text(asked), "broken-claim"
        at["thresholds"] = [*thresholds, "0"]
        yield f"{kind}: a threshold more", text(asked), "broken-claim"
        at["thresholds"] = []
        yield f"{kind}: no thresholds", text(asked), "broken-claim"
        at["thresholds"] = thresholds
        asked["asks"][0]["epsilon"] = 0.5
        yield f"{kind}: costs more than it says", text(asked), "broken-claim"


def parts_that_do_not_fit() -> Iterator[tuple[str, str | bytes, str]]:
    celled, paired, binned = question(parts.cell()), question(parts.pair()), question(parts.bins())
    labelled, gridded = question(parts.label()), question(parts.histogram(), study=parts.HIDDEN)
    tree = (*FIRST, "partition", "tree")
    yield "no mechanism for so many candidates", _renamed(celled, "4", "4", drop=True), "missing-field"
    yield "no mechanism for so many candidates and levels", _renamed(paired, "4", "4", drop=True), "missing-field"
    yield "a mechanism for other candidates", _renamed(celled, "6", "5"), "out-of-domain"
    yield "levels that do not divide", _renamed(paired, "6", "7"), "out-of-domain"
    yield "one level", _renamed(paired, "6", "18"), "out-of-domain"
    yield "no mechanism at all", spoilt(celled, *FIRST, "mechanisms", to={}), "out-of-domain"
    yield "a label by generalised response", _mechanism(labelled, parts.cell()), "out-of-domain"
    yield "cells by two mechanisms", _mixed(), "out-of-domain"
    yield "a centre too few", spoilt(paired, *FIRST, "centres", to=[0.0, 0.0]), "wrong-count"
    yield "a centre too many", spoilt(paired, *FIRST, "centres", to=[0.0] * 4), "wrong-count"
    yield "a centre of 1e300", spoilt(paired, *FIRST, "centres", 0, to=1e300), "out-of-domain"
    yield "a person's centre of 1e300", spoilt(paired, "centre", to=1e300), "out-of-domain"
    yield "no reach", spoilt(paired, *FIRST, "reach", to=0.0), "out-of-domain"
    yield "low above high", spoilt(labelled, *FIRST, "low", to=5.0), "out-of-domain"
    yield "bins of too few features", spoilt(binned, *FIRST, "mechanisms", 0), "wrong-count"
    yield (
        "a histogram feature that is not there",
        spoilt(celled, *FIRST, "partition", "features", to=[4]),
        "out-of-domain",
    )
    yield (
        "a histogram feature that the tree splits",
        spoilt(celled, *FIRST, "partition", "features", to=[1]),
        "out-of-domain",
    )
    yield "no bins", spoilt(celled, *FIRST, "partition", "bins", to=[]), "out-of-domain"
    yield "too many cells", spoilt(celled, *FIRST, "partition", "bins", to=[2**20]), "out-of-domain"
    yield "a tree that splits outside its box", spoilt(celled, *tree, "threshold", 0, to=1.5), "out-of-domain"
    yield "a tree with a loop", spoilt(celled, *tree, "child", 0, to=0), "out-of-domain"
    yield (
        "a tree without nodes",
        spoilt(celled, *tree, to={"feature": [], "threshold": [], "child": []}),
        "out-of-domain",
    )
    yield "noise on two grids", spoilt(gridded, *FIRST, "mass", to=plain(parts.label())["mechanism"]), "out-of-domain"


def _renamed(asked: Any, name: str, to: str, drop: bool = False) -> str:
    """The text with the mechanism for so many candidates under another number of them."""
    data = plain(asked)
    mechanism = data["asks"][0]["mechanisms"].pop(name)
    if not drop:
        data["asks"][0]["mechanisms"][to] = mechanism
    return text(data)


def _mechanism(asked: Any, of: Any) -> str:
    return spoilt(asked, *FIRST, "mechanism", to=plain(of)["mechanisms"]["4"])


def _mixed() -> str:
    return spoilt(question(parts.cell()), *FIRST, "mechanisms", "3", to=plain(parts.cell("binary"))["mechanisms"]["3"])


def entries() -> Iterator[Entry]:
    """All of them."""
    for name, asked, study in valid():
        yield {"name": name, "study": study, "person": PEOPLE[study], "message": text(asked), "valid": plain(asked)}
    small = text(question(parts.label()))
    yield {
        "name": "whole numbers where others may stand",
        "study": "plain",
        "person": parts.PERSON,
        "message": small.replace('"high":4.0', '"high":4').replace(',"centre":0.0', ',"centre":-0'),
        "valid": plain(question(parts.label())),
    }
    yield {
        "name": "no centre",
        "study": "plain",
        "person": parts.PERSON,
        "message": spoilt(question(parts.label()), "centre"),
        "valid": plain(question(parts.label())),
    }
    for source in (form, fields, meaning, signed_questions.fields, signed_questions.meaning):
        for name, message, problem in source():
            study = "hidden" if name == "noise on two grids" else "plain"
            person = parts.HIDER if study == "hidden" else parts.PERSON
            yield {"name": name, "study": study, "person": person, "message": message, "problem": problem}
    for name, message, problem, study in class_questions.invalid():
        yield {"name": name, "study": study, "person": PEOPLE[study], "message": message, "problem": problem}
    yield {
        "name": "longer than any honest message",
        "study": "plain",
        "person": parts.PERSON,
        "message": small,
        "spaces": 2**26,
        "problem": "too-large",
    }
