"""Whether a question can be trusted: it is of this study, its mechanisms keep their epsilon, and its parts fit."""

from __future__ import annotations

from fractions import Fraction

from semildp.domains import LARGEST, LabelGrid
from semildp.errors import InputError
from semildp.study import Classes, Number, Study
from semildp.wire.costs import cost_at_most
from semildp.wire.forms import read_class_response, read_mechanism, read_pair_response, read_partition
from semildp.wire.messages import (
    Ask,
    AskBins,
    AskCell,
    AskClass,
    AskHistogram,
    AskLabel,
    AskPair,
    AskSigned,
    Mechanism,
    Question,
)
from semildp.wire.problems import WireError


def verify(study: Study, question: Question, n_hidden: int) -> None:
    """Refuse a question that somebody who hides so many features must not answer, whatever their values are."""
    if question.study != study.digest:
        raise WireError("wrong-study")
    if not question.asks:
        raise WireError("wrong-count", "a question asks at least one thing")
    _moderate(question.centre)
    for ask in question.asks:
        _fits_label(ask, study)
        if isinstance(ask, AskLabel):
            _verify_label(ask)
        elif isinstance(ask, AskCell):
            _verify_cell(ask, study)
        elif isinstance(ask, AskPair):
            _verify_pair(ask, study)
        elif isinstance(ask, AskSigned):
            _verify_signed(ask, study)
        elif isinstance(ask, AskClass):
            _verify_class(ask, study)
        elif isinstance(ask, AskBins):
            _verify_bins(ask, study)
        else:
            _verify_histogram(ask, study)
    cost = cost_at_most(question, n_hidden)
    if cost > Fraction(study.epsilon):
        raise WireError("too-costly", f"{float(cost)!r} is above the study's epsilon {study.epsilon!r}")


def _fits_label(ask: Ask, study: Study) -> None:
    """Refuse an ask for a class where the label is a number, and one for a number where it is not."""
    if isinstance(ask, AskClass):
        if not isinstance(study.label, Classes):
            raise WireError("out-of-domain", "a class is asked for, and the study's label has no classes")
    elif not isinstance(ask, AskCell | AskBins) and not isinstance(study.label, Number):
        raise WireError("out-of-domain", "a number is asked for, and the study's label is none")


def _verify_label(ask: AskLabel) -> None:
    _one_kind([ask.mechanism], {"laplace", "window"})
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    _grid(ask.low, ask.high, mechanism.n_values - 1)


def _verify_cell(ask: AskCell, study: Study) -> None:
    read_partition(ask.partition, study.bounds)
    _one_kind(list(ask.mechanisms.values()), {"generalised", "binary"})
    for size, message in ask.mechanisms.items():
        if message.values != int(size):
            raise WireError("out-of-domain", f"a mechanism with {message.values} values for {size} candidates")
        read_mechanism(message, ask.epsilon)


def _verify_pair(ask: AskPair, study: Study) -> None:
    leaves = read_partition(ask.partition, study.bounds).tree.n_leaves
    if len(ask.centres) != leaves:
        raise WireError("wrong-count", f"a centre per leaf, {leaves}; got {len(ask.centres)}")
    _moderate(*ask.centres)
    _grid(-ask.reach, ask.reach, 1)
    for size, message in ask.mechanisms.items():
        read_pair_response(message, ask.epsilon, int(size))


def _verify_signed(ask: AskSigned, study: Study) -> None:
    partition = read_partition(ask.partition, study.bounds)
    if partition.tree.n_leaves > 1:
        raise WireError("out-of-domain", f"signs are of a partition with one leaf; got {partition.tree.n_leaves}")
    if len(ask.signs) != partition.n_cells:
        raise WireError("wrong-count", f"a sign per cell, {partition.n_cells}; got {len(ask.signs)}")
    _one_kind([ask.mechanism], {"generalised"})
    read_pair_response(ask.mechanism, ask.epsilon, 1)
    _grid(-ask.reach, ask.reach, ask.mechanism.values - 1)


def _verify_class(ask: AskClass, study: Study) -> None:
    read_partition(ask.partition, study.bounds)
    for size, message in ask.mechanisms.items():
        read_class_response(message, ask.epsilon, int(size), len(study.classes))


def _verify_bins(ask: AskBins, study: Study) -> None:
    if len(ask.mechanisms) != len(study.features):
        raise WireError("wrong-count", f"a mechanism per feature, {len(study.features)}; got {len(ask.mechanisms)}")
    _one_kind(list(ask.mechanisms), {"generalised"})
    for message in ask.mechanisms:
        read_mechanism(message, ask.epsilon)


def _verify_histogram(ask: AskHistogram, study: Study) -> None:
    read_partition(ask.partition, study.bounds)
    _one_kind([ask.mass, ask.label], {"laplace"})
    steps = {
        read_mechanism(ask.mass, ask.epsilon / 4).n_values - 1,
        read_mechanism(ask.label, ask.epsilon / 2).n_values - 1,
    }
    if len(steps) > 1 or steps.pop() % 2:
        raise WireError("out-of-domain", "a histogram has noise on one grid, with an even number of steps")
    _grid(ask.low, ask.high, ask.label.values - 1)


def _one_kind(messages: list[Mechanism], allowed: set[str]) -> None:
    kinds = {message.kind for message in messages}
    if len(kinds) != 1 or not kinds <= allowed:
        raise WireError("out-of-domain", f"one kind of mechanism among {sorted(allowed)}; got {sorted(kinds)}")


def _moderate(*centres: float) -> None:
    """Refuse centres so large that a sum overflows: a warning of it would tell the leaf a person is in."""
    if not all(abs(centre) <= LARGEST for centre in centres):
        raise WireError("out-of-domain", f"a centre is at most {LARGEST:g} in size")


def _grid(low: float, high: float, steps: int) -> None:
    try:
        LabelGrid(low, high, steps)
    except InputError as problem:
        raise WireError("out-of-domain", str(problem).rstrip(".")) from None
