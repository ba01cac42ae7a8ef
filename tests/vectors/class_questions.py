"""Questions for the class of the label: what a device answers, and what it refuses by which name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semildp.mechanisms import GeneralisedResponse
from semildp.wire.forms import mechanism_message
from tests.vectors import parts
from tests.vectors.parts import plain, question, spoilt, text

FIRST = ("asks", 0)
ASKED = question(parts.class_(), study=parts.CLASSES)
ALONE = question(parts.class_("generalised", parts.WHOLE), study=parts.CLASSES)
FOUR = (*FIRST, "mechanisms", "4")  # for as many candidates as the person has


def valid() -> Iterator[tuple[str, Any, str]]:
    """Name, question, study."""
    yield "class, subset", ASKED, "classes"
    yield "class, generalised", question(parts.class_("generalised"), study=parts.CLASSES), "classes"
    yield "class, a known cell", question(parts.class_("generalised", parts.PUBLIC), study=parts.CLASSES), "classes"
    yield "class alone", ALONE, "classes"
    both = question(parts.class_("generalised", parts.WHOLE), parts.cell(), study=parts.CLASSES)
    yield "class and cell apart", both, "classes"
    yield "bins in a study of classes", question(parts.bins(), study=parts.CLASSES), "classes"


def invalid() -> Iterator[tuple[str, str, str, str]]:
    """Name, text, problem, study."""
    for name in ("partition", "mechanisms", "epsilon"):
        yield f"class without {name}", spoilt(ASKED, *FIRST, name), "missing-field", "classes"
    yield "class and a reach", spoilt(ASKED, *FIRST, "reach", to=1.0), "unknown-field", "classes"
    yield "class and centres", spoilt(ASKED, *FIRST, "centres", to=[0.0] * 3), "unknown-field", "classes"
    yield "class of a number", text(question(parts.class_())), "out-of-domain", "plain"
    for ask in (parts.label(), parts.label("window"), parts.pair(), parts.signed()):
        named = f"{plain(ask)['ask']} of classes, {type(ask).__name__} {plain(ask).get('mechanism', {}).get('kind')}"
        yield named, text(question(ask, study=parts.CLASSES)), "out-of-domain", "classes"
    yield from ((name, message, problem, "classes") for name, message, problem in mechanisms())


def mechanisms() -> Iterator[tuple[str, str, str]]:
    """Name, text, problem: of a study of three classes and a person with four candidates."""
    good = plain(ASKED)["asks"][0]["mechanisms"]
    for values in (4, 8, 11, 13, 16):
        wrong = plain(mechanism_message(GeneralisedResponse(1.0, values)))
        yield f"class by {values} values for 4 candidates", spoilt(ASKED, *FOUR, to=wrong), "out-of-domain"
    for kind, of in {"binary": parts.cell("binary"), "paired": parts.pair("paired", levels=2)}.items():
        yield f"class by {kind} response", spoilt(ASKED, *FOUR, to=plain(of)["mechanisms"]["4"]), "out-of-domain"
    for kind in ("laplace", "window"):
        wrong = plain(parts.label(kind))["mechanism"]
        yield f"class by {kind} response", spoilt(ASKED, *FOUR, to=wrong), "out-of-domain"
    yield (
        "class: mechanisms for other candidates",
        spoilt(ASKED, *FIRST, "mechanisms", "5", to=good["4"]),
        "out-of-domain",
    )
    yield "class: none for so many candidates", spoilt(ASKED, *FOUR), "missing-field"
    yield "class: no mechanism", spoilt(ASKED, *FIRST, "mechanisms", to={}), "missing-field"
    threshold = int(good["4"]["thresholds"][0])
    for how, changed in (("lower", -1), ("higher", 1)):
        text_of = spoilt(ASKED, *FOUR, "thresholds", 0, to=str(threshold + changed))
        yield f"class: a threshold {how} by 1", text_of, "broken-claim"
    yield "class: costs more than it says", spoilt(ASKED, *FIRST, "epsilon", to=0.5), "broken-claim"
    yield "class: another width", spoilt(ASKED, *FOUR, "width", to=good["4"]["width"] + 1), "broken-claim"
    dear = question(parts.class_(epsilon=2.5), study=parts.CLASSES)
    yield "class: costs too much", text(dear), "too-costly"
    twice = question(parts.class_(epsilon=1.5), parts.cell(), study=parts.CLASSES)
    yield "class and cell: cost too much", text(twice), "too-costly"
    yield "class: no such feature", spoilt(ASKED, *FIRST, "partition", "features", to=[4]), "out-of-domain"
