"""Reports: what a curator admits in answer to a question, and what it refuses by which name.

The person hides `a`, and `d` is private: of the partition's cells (leaf * 2 + bin) they could be in 2, 3, 4 and 5,
because b = 2.5 is public and leads past leaf 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semildp.mechanisms import DiscreteLaplace
from semildp.wire.codec import digest
from semildp.wire.messages import Question, Report
from tests.vectors import parts
from tests.vectors.enrolments import GOOD, enrolment
from tests.vectors.parts import question, spoilt, text

LABEL, WINDOW = question(parts.label()), question(parts.label("window", "random"))
CELL, BITS = question(parts.cell()), question(parts.cell("binary"))
SUBSET, SIGNS = question(parts.pair()), question(parts.pair("paired", levels=2))
ONE = question(parts.pair("generalised"))
SIGNED = question(parts.signed())
CLASS = question(parts.class_(), study=parts.CLASSES)
ONE_CLASS = question(parts.class_("generalised"), study=parts.CLASSES)
CLASS_ALONE = question(parts.class_("generalised", parts.WHOLE), study=parts.CLASSES)
CLASS_SIZE = int(CLASS.asks[0].mechanisms["4"].width)
KNOWN, KNOWN_BITS = question(parts.cell(partition=parts.PUBLIC)), question(parts.cell("binary", parts.PUBLIC))
KNOWN_SIGN = question(parts.pair("paired", parts.PUBLIC, levels=2))
BINS = question(parts.label(epsilon=0.5), parts.bins())
HISTOGRAM = question(parts.histogram(), study=parts.HIDDEN)
REACH = DiscreteLaplace(1.0, 64).farthest
SIZE = int(SUBSET.asks[0].mechanisms["4"].width)  # marks of a subset
OUTPUTS = 8 + int(WINDOW.asks[0].mechanism.width)

Judged = tuple[str, Question, tuple[tuple[int, ...], ...], str | None]


def labels() -> Iterator[Judged]:
    """Name, question, answers, problem or None."""
    for value in (0, 64, -REACH, 64 + REACH):
        yield f"Laplace {value}", LABEL, ((value,),), None
    yield "Laplace beyond all noise", LABEL, ((65 + REACH,),), "out-of-domain"
    yield "Laplace below all noise", LABEL, ((-REACH - 1,),), "out-of-domain"
    yield "Laplace 2**53 - 1", LABEL, ((2**53 - 1,),), "out-of-domain"
    yield "two labels", LABEL, ((1, 2),), "wrong-count"
    yield "no label", LABEL, ((),), "wrong-count"
    yield "an answer too many", LABEL, ((1,), (2,)), "wrong-count"
    yield "no answer", LABEL, (), "wrong-count"
    yield "window, first output", WINDOW, ((0,),), None
    yield "window, last output", WINDOW, ((OUTPUTS - 1,),), None
    yield "window, beyond its outputs", WINDOW, ((OUTPUTS,),), "out-of-domain"
    yield "window, below 0", WINDOW, ((-1,),), "out-of-domain"


def cells() -> Iterator[Judged]:
    yield "a candidate", CELL, ((4,),), None
    yield "no candidate", CELL, ((1,),), "not-a-candidate"
    yield "no such cell", CELL, ((6,),), "out-of-domain"
    yield "a cell below 0", CELL, ((-1,),), "out-of-domain"
    yield "two cells", CELL, ((2, 3),), "wrong-count"
    yield "no cell", CELL, ((),), "wrong-count"
    yield "known cell", KNOWN, ((1,),), None
    yield "known cell, another sent", KNOWN, ((0,),), "not-a-candidate"
    yield "bits: none", BITS, ((),), None
    yield "bits: all", BITS, ((2, 3, 4, 5),), None
    yield "bits: a cell twice", BITS, ((2, 2),), "repeated-mark"
    yield "bits: not rising", BITS, ((3, 2),), "repeated-mark"
    yield "bits: no candidate", BITS, ((0, 2),), "not-a-candidate"
    yield "bits: no such cell", BITS, ((2, 6),), "out-of-domain"
    yield "bits: known cell", KNOWN_BITS, ((1,),), None
    yield "bits: known cell not sent", KNOWN_BITS, ((),), "wrong-count"


def pairs() -> Iterator[Judged]:
    marks = tuple(range(6, 6 + SIZE))  # levels of cell 2 and on: cell * 3 + level
    yield "subset", SUBSET, (marks,), None
    yield "subset: the last symbols", SUBSET, (tuple(range(18 - SIZE, 18)),), None
    yield "subset: a mark too few", SUBSET, (marks[:-1],), "wrong-count"
    yield "subset: a mark too many", SUBSET, ((*marks, 6 + SIZE),), "wrong-count"
    yield "subset: a mark twice", SUBSET, ((marks[0], *marks[:-1]),), "repeated-mark"
    yield "subset: not rising", SUBSET, (marks[::-1],), "repeated-mark"
    yield "subset: no candidate", SUBSET, ((0, *marks[1:]),), "not-a-candidate"
    yield "subset: no such symbol", SUBSET, ((*marks[:-1], 18),), "out-of-domain"
    yield "one symbol", ONE, ((17,),), None
    yield "one symbol, no candidate", ONE, ((5,),), "not-a-candidate"
    yield "two symbols", ONE, ((16, 17),), "wrong-count"
    yield "signs: none", SIGNS, ((),), None
    yield "signs: one each", SIGNS, ((4, 7, 8, 11),), None
    yield "signs: both of one cell", SIGNS, ((4, 5),), "repeated-mark"
    yield "signs: not rising", SIGNS, ((7, 4),), "repeated-mark"
    yield "signs: no candidate", SIGNS, ((3,),), "not-a-candidate"
    yield "signs: no such symbol", SIGNS, ((12,),), "out-of-domain"
    yield "known cell, a sign", KNOWN_SIGN, ((3,),), None
    yield "known cell, no sign", KNOWN_SIGN, ((),), "wrong-count"
    yield "known cell, a sign elsewhere", KNOWN_SIGN, ((0,),), "not-a-candidate"


def signed() -> Iterator[Judged]:
    yield "signed: the first level", SIGNED, ((0,),), None
    yield "signed: the last level", SIGNED, ((2,),), None
    yield "signed: a level below 0", SIGNED, ((-1,),), "out-of-domain"
    yield "signed: a level too high", SIGNED, ((3,),), "out-of-domain"
    yield "signed: cell and level", SIGNED, ((4 * 3 + 1,),), "out-of-domain"
    yield "signed: two levels", SIGNED, ((0, 1),), "wrong-count"
    yield "signed: no level", SIGNED, ((),), "wrong-count"


def classes() -> Iterator[Judged]:
    """Of cells 2 to 5 and three classes: cell * 3 + class."""
    marks = tuple(range(6, 6 + CLASS_SIZE))
    yield "class, subset", CLASS, (marks,), None
    yield "class, subset: the last symbols", CLASS, (tuple(range(18 - CLASS_SIZE, 18)),), None
    yield "class, subset: a mark too few", CLASS, (marks[:-1],), "wrong-count"
    yield "class, subset: a mark too many", CLASS, ((*marks, 6 + CLASS_SIZE),), "wrong-count"
    yield "class, subset: a mark twice", CLASS, ((marks[0], *marks[:-1]),), "repeated-mark"
    yield "class, subset: not rising", CLASS, (marks[::-1],), "repeated-mark"
    yield "class, subset: no candidate", CLASS, ((0, *marks[1:]),), "not-a-candidate"
    yield "class, subset: no such symbol", CLASS, ((*marks[:-1], 18),), "out-of-domain"
    yield "class: one symbol", ONE_CLASS, ((17,),), None
    yield "class: one symbol, no candidate", ONE_CLASS, ((5,),), "not-a-candidate"
    yield "class: below 0", ONE_CLASS, ((-1,),), "out-of-domain"
    yield "class: two symbols", ONE_CLASS, ((16, 17),), "wrong-count"
    yield "class: none", ONE_CLASS, ((),), "wrong-count"
    yield "class alone: the first", CLASS_ALONE, ((0,),), None
    yield "class alone: the last", CLASS_ALONE, ((2,),), None
    yield "class alone: no such class", CLASS_ALONE, ((3,),), "out-of-domain"


def vectors() -> Iterator[Judged]:
    yield "label and bins", BINS, ((5,), (3, 4)), None
    yield "bins: beyond the first feature's", BINS, ((5,), (4, 4)), "out-of-domain"
    yield "bins: beyond the second feature's", BINS, ((5,), (3, 5)), "out-of-domain"
    yield "bins: below 0", BINS, ((5,), (-1, 0)), "out-of-domain"
    yield "bins: of a public feature too", BINS, ((5,), (3, 1, 4)), "wrong-count"
    yield "bins: of too few features", BINS, ((5,), (3,)), "wrong-count"
    yield "bins without the label", BINS, ((3, 4),), "wrong-count"
    yield "histogram", HISTOGRAM, ((0, 32, -3, 40, 0, -16, 16, 2),), None
    yield "histogram: an entry too few", HISTOGRAM, ((0,) * 7,), "wrong-count"
    yield "histogram: an entry too many", HISTOGRAM, ((0,) * 9,), "wrong-count"
    yield "histogram: beyond all noise", HISTOGRAM, ((0,) * 7 + (10**6,),), "out-of-domain"


def form() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, bytes, problem."""
    report = Report(digest(text(LABEL).encode()), ((5,),))
    good = text(report)
    yield "cut short", good[:-2], "not-json"
    yield "something after it", good + "\x00", "not-json"
    yield "not UTF-8", good.encode() + b"\xff", "not-json"
    yield "a field twice", good.replace('"version":1', '"version":1,"version":1'), "duplicate-field"
    yield "Infinity", good.replace("[5]", "[Infinity]"), "not-finite"
    yield "1e999", good.replace("[5]", "[1e999]"), "not-finite"
    yield "a question", text(LABEL), "wrong-message"
    yield "version 2", spoilt(report, "version", to=2), "wrong-version"
    yield "a label as well", good.replace('"version"', '"label":1.25,"version"'), "unknown-field"
    yield "no answers", spoilt(report, "answers"), "missing-field"
    yield "a number for a list", spoilt(report, "answers", 0, to=5), "wrong-type"
    yield "half a number", good.replace("[5]", "[5.5]"), "wrong-type"
    yield "a number as text", good.replace("[5]", '["5"]'), "wrong-type"
    yield "2**53", good.replace("[5]", f"[{2**53}]"), "out-of-domain"
    yield "2**63", good.replace("[5]", f"[{2**63}]"), "out-of-domain"
    yield "-2**64", good.replace("[5]", f"[{-(2**64)}]"), "out-of-domain"
    yield "no digest", spoilt(report, "question", to="1"), "out-of-domain"
    yield "another question", spoilt(report, "question", to=digest(text(WINDOW).encode())), "wrong-question"
    mine = text(question(parts.label(), centre=0.25)).encode()
    yield "another person's question", spoilt(report, "question", to=digest(mine)), "wrong-question"


def entries() -> Iterator[dict[str, Any]]:
    """All of them."""
    for source in (labels, cells, pairs, signed, classes, vectors):
        for name, asked, answers, problem in source():
            study = next(name for name, each in parts.STUDIES.items() if each.digest == asked.study)
            public = [None, None] if study == "hidden" else list(GOOD.public)
            common = {
                "name": name,
                "study": study,
                "enrolment": text(enrolment(public, study)),
                "question": text(asked),
                "message": text(Report(digest(text(asked).encode()), answers)),
            }
            yield {**common, **({"valid": answers} if problem is None else {"problem": problem})}
    shared = {"study": "plain", "enrolment": text(GOOD), "question": text(LABEL)}
    for name, raw, problem in form():
        yield {"name": name, **shared, "message": raw, "problem": problem}
