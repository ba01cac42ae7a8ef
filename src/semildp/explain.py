"""In plain words, what leaves a person's device: read off the questions themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from semildp.curator.transcript import Transcript
from semildp.study import Category, Study
from semildp.wire.messages import AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question

RESPONSES = {
    "laplace": "discrete Laplace noise",
    "window": "a bounded window response",
    "generalised": "generalised randomised response",
    "binary": "binary randomised response",
    "subset": "subset selection",
    "paired": "signed marks (PCKV-UE)",
}


def what_left(study: Study, transcript: Transcript) -> tuple[str, ...]:
    """Return a sentence for what people make public, and one for each kind of question they were asked."""
    lines = [] if study.hide_mask else ["when enrolling: public features, and which features are private"]
    asked: dict[str, int] = {}
    for entry in transcript.entries:
        key = f"wave {entry.question.wave}|{in_words(study, entry.question)}"
        asked[key] = asked.get(key, 0) + len(entry.people)
    for key, n_people in asked.items():
        wave, line = key.split("|", 1)
        lines.append(f"{wave}, {n_people:,} people: {line}")
    return tuple(lines)


def in_words(study: Study, question: Question) -> str:
    """Return what a question asks for, and how the answer is randomised."""
    return "; ".join(_WORDS[type(ask)](ask, study) for ask in question.asks)


def plainly(study: Study, question: Question) -> str:
    """Return what a question asks for, for readers who know no mechanism by name."""
    return ", and ".join(_PLAIN[type(ask)](ask, study) for ask in question.asks) or "nothing"


def _plain_pair(ask: AskPair, study: Study) -> str:
    away = "how far their label lies from what is expected"
    names = _names(ask, study)
    return f"{away}, together with where they are on {names}" if names else away


def _plain_signed(ask: AskSigned, study: Study) -> str:
    away = "how far their label lies from what is expected"
    names = _names(ask, study)
    return f"{away}, its sign changed or not by where they are on {names}" if names else away


def _plain_class(ask: AskClass, study: Study) -> str:
    if ask.partition.tree.feature != (-1,):
        return "their label, together with which of a few groups they belong to"
    names = _names(ask, study)
    return f"their label, together with where they are on {names}" if names else "their label"


def _names(ask: AskPair | AskSigned | AskClass, study: Study) -> str:
    return " and ".join(f"“{study.names[j]}”" for j in ask.partition.features)


_PLAIN: dict[type, Callable[[Any, Study], str]] = {
    AskLabel: lambda ask, study: "their label",
    AskCell: lambda ask, study: "which of a few groups they belong to",
    AskPair: _plain_pair,
    AskSigned: _plain_signed,
    AskClass: _plain_class,
    AskBins: lambda ask, study: "in which of a few ranges each of their private features lies",
    AskHistogram: lambda ask, study: "two lists with a number for each group: whether they are in it, and their label",
}


def _label(ask: AskLabel, study: Study) -> str:
    return f"the label, on a grid of {ask.mechanism.values - 1} steps, by {RESPONSES[ask.mechanism.kind]}"


def _cell(ask: AskCell, study: Study) -> str:
    return f"the cell, by {_kinds(ask.mechanisms.values())} over the cells the person could be in, exactly if only one"


def _pair(ask: AskPair, study: Study) -> str:
    how = f"by {_kinds(ask.mechanisms.values())}"
    if ask.partition.tree.feature != (-1,):
        return f"the cell and the label's residual, jointly, {how} over the cells the person could be in"
    parts = _bins_of(ask, study)
    if not parts:
        return f"the label's residual, {how}"
    return f"{', '.join(parts)} and the label's residual, jointly, {how}"


def _signed(ask: AskSigned, study: Study) -> str:
    parts = _bins_of(ask, study)
    turned = f", turned round or not by {' and '.join(parts)}" if parts else ""
    return f"the label's residual{turned}, by {RESPONSES[ask.mechanism.kind]}"


def _class(ask: AskClass, study: Study) -> str:
    how = f"by {_kinds(ask.mechanisms.values())}"
    if ask.partition.tree.feature != (-1,):
        return f"the cell and the label's class, jointly, {how} over the cells the person could be in"
    parts = _bins_of(ask, study)
    if not parts:
        return f"the label's class, {how}"
    return f"{', '.join(parts)} and the label's class, jointly, {how}"


def _bins_of(ask: AskPair | AskSigned | AskClass, study: Study) -> list[str]:
    return [
        f"which of {bins} values {study.features[j].name} has"
        if isinstance(study.features[j].domain, Category)
        else f"which of {bins} bins {study.features[j].name} is in"
        for j, bins in zip(ask.partition.features, ask.partition.bins, strict=True)
    ]


def _bins(ask: AskBins, study: Study) -> str:
    sizes = sorted({mechanism.values for mechanism in ask.mechanisms})
    of = " or ".join(str(size) for size in sizes)
    return f"each private feature's bin, one of {of}, by {RESPONSES['generalised']}"


def _histogram(ask: AskHistogram, study: Study) -> str:
    return f"two vectors over all cells with {RESPONSES['laplace']}: which cell the person is in, and the label there"


def _kinds(mechanisms: Any) -> str:
    return " or ".join(dict.fromkeys(RESPONSES[mechanism.kind] for mechanism in mechanisms))


_WORDS: dict[type, Callable[[Any, Study], str]] = {
    AskLabel: _label,
    AskCell: _cell,
    AskPair: _pair,
    AskSigned: _signed,
    AskClass: _class,
    AskBins: _bins,
    AskHistogram: _histogram,
}
