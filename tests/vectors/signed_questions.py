"""Questions for the residual, turned round by signs, that a device refuses, and by which name."""

from __future__ import annotations

from collections.abc import Iterator

from semildp.mechanisms import GeneralisedResponse
from semildp.wire.forms import mechanism_message
from tests.vectors import parts
from tests.vectors.parts import plain, question, spoilt, text

FIRST = ("asks", 0)
TURNED = question(parts.signed())


def fields() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, text, problem: fields that are not what they must be."""
    for name in ("partition", "signs", "reach", "mechanism", "epsilon"):
        yield f"a signed ask without {name}", spoilt(TURNED, *FIRST, name), "missing-field"
    yield "a signed ask with centres", spoilt(TURNED, *FIRST, "centres", to=[0.0]), "unknown-field"
    yield "a signed ask with mechanisms", spoilt(TURNED, *FIRST, "mechanisms", to={}), "unknown-field"
    for sign in (0, 2, -2):
        yield f"a sign of {sign}", spoilt(TURNED, *FIRST, "signs", 4, to=sign), "out-of-domain"
    yield "a sign as text", spoilt(TURNED, *FIRST, "signs", 4, to="1"), "wrong-type"
    yield "a sign of a half", spoilt(TURNED, *FIRST, "signs", 4, to=0.5), "wrong-type"
    yield "a sign for signs", spoilt(TURNED, *FIRST, "signs", to=1), "wrong-type"
    yield "a reach of NaN", text(TURNED).replace('"reach":1.5', '"reach":NaN'), "not-finite"


def meaning() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, text, problem: signs, levels and mechanisms that do not fit, and claims that do not hold."""
    mechanism = (*FIRST, "mechanism")
    tree = {"feature": [1, -1, -1], "threshold": [0.5, 0.0, 0.0], "child": [1, 0, 0]}
    two_leaves = plain(TURNED)
    two_leaves["asks"][0]["partition"]["tree"] = tree
    two_leaves["asks"][0]["signs"] = [1] * 12
    yield "a sign too few", spoilt(TURNED, *FIRST, "signs", to=[1] * 5), "wrong-count"
    yield "a sign too many", spoilt(TURNED, *FIRST, "signs", to=[1] * 7), "wrong-count"
    yield "no signs", spoilt(TURNED, *FIRST, "signs", to=[]), "wrong-count"
    yield "signs of two leaves", text(two_leaves), "out-of-domain"
    yield "signs and no reach", spoilt(TURNED, *FIRST, "reach", to=0.0), "out-of-domain"
    yield "signs and a reach below 0", spoilt(TURNED, *FIRST, "reach", to=-1.5), "out-of-domain"
    for kind, of in {"window": parts.label("window"), "laplace": parts.label()}.items():
        yield f"signs by {kind} response", spoilt(TURNED, *mechanism, to=plain(of)["mechanism"]), "out-of-domain"
    for kind, of in {"subset": parts.pair(), "paired": parts.pair("paired", levels=2)}.items():
        yield f"signs by {kind} response", spoilt(TURNED, *mechanism, to=plain(of)["mechanisms"]["4"]), "out-of-domain"
    one_level = plain(mechanism_message(GeneralisedResponse(1.0, 1)))
    yield "signs and one level", spoilt(TURNED, *mechanism, to=one_level), "out-of-domain"
    threshold = int(plain(TURNED)["asks"][0]["mechanism"]["thresholds"][0])
    for how, changed in (("lower", -1), ("higher", 1)):
        text_of = spoilt(TURNED, *mechanism, "thresholds", 0, to=str(threshold + changed))
        yield f"signs: a threshold {how} by 1", text_of, "broken-claim"
    yield "signs: costs more than it says", spoilt(TURNED, *FIRST, "epsilon", to=0.5), "broken-claim"
    yield "signs: costs too much", text(question(parts.signed(epsilon=2.5))), "too-costly"
    yield "label and signs: costs too much", text(question(parts.label(), parts.signed(epsilon=1.5))), "too-costly"
