"""What a device does, up to the report itself, does not depend on what is private: words drawn, lines run, shapes held.

Lines and shapes are compared under constant words, where every report has as many marks as any other: how many marks a
report has is part of the report, and what is done with them depends on nothing else.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from msgspec import to_builtins

from semildp import client, mechanisms
from semildp.domains import LabelGrid
from semildp.mechanisms import terms
from semildp.wire.messages import Ask
from tests.reports import EXEMPT, PRIVATES, QUESTIONS, REPORTS
from tests.test_mechanisms import mechanism_classes
from tests.witness import largest, seeded, smallest, witness, words_asked

PARAMETERS = (1, 2, 3, 64)


def fixed_sources(name):
    return (largest, seeded) if "laplace" in name.lower() else (largest, smallest)


def test_every_report_a_device_makes_is_here():
    assert {function for function, _ in REPORTS.values()} | EXEMPT == set(client.__all__)
    assert {type(ask) for _, question in QUESTIONS.values() for ask in question.asks} == set(get_args(Ask))
    kinds = {m["kind"] for _, question in QUESTIONS.values() for m in mechanisms_of(to_builtins(question))}
    assert kinds == set(terms.KINDS)


def mechanisms_of(message):
    """Every mechanism that a message holds, however deep."""
    parts = message.values() if isinstance(message, dict) else message if isinstance(message, list | tuple) else ()
    here = [message] if isinstance(message, dict) and "thresholds" in message else []
    return here + [found for part in parts for found in mechanisms_of(part)]


@pytest.mark.parametrize("name", REPORTS)
def test_every_person_s_report_draws_the_same_words(name):
    report = REPORTS[name][1]
    asked = [words_asked(lambda source, p=p: report(p, source), seeded()) for p in PRIVATES]
    assert asked[0], "nothing was drawn: the test sees nothing"
    assert all(shapes == asked[0] for shapes in asked)


@pytest.mark.parametrize("name", REPORTS)
def test_every_person_s_report_is_the_same_work(name):
    report = REPORTS[name][1]
    for source in fixed_sources(name):
        report(PRIVATES[0], source())  # thresholds are computed once and remembered
        lines = [witness(lambda s, p=p: report(p, s), source())[1] for p in PRIVATES]
        for person, other in zip(PRIVATES[1:], lines[1:], strict=True):
            assert other == lines[0], f"{person} is more or less work: {first_difference(lines[0], other)}"


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("name", mechanism_classes())
def test_every_value_is_the_same_work_for_its_mechanism(name, parameter):
    mechanism = getattr(mechanisms, name)(1.0, parameter)
    values = sorted({0, mechanism.n_values // 2, mechanism.n_values - 1})
    mechanism.randomise(np.zeros(3, dtype=np.int64), seeded())
    for source in fixed_sources(name):
        seen = [witness(lambda s, v=v: mechanism.randomise(np.full(3, v), s), source()) for v in values]
        assert all(one == seen[0] for one in seen)
    asked = [words_asked(lambda s, v=v: mechanism.randomise(np.full(3, v), s), seeded()) for v in values]
    assert all(one == asked[0] for one in asked)


def first_difference(lines, other):
    return next(pair for pair in zip(lines, other, strict=False) if pair[0] != pair[1])


def test_the_witness_sees_words_and_shapes():
    """A client that draws for missing entries only, as an earlier version did, is seen by its words."""

    def leaky(person, source):
        X, _ = person.rows()
        return source.words(int(np.isnan(X).sum()))

    missing, known = (words_asked(lambda s, p=p: leaky(p, s), seeded()) for p in (PRIVATES[-1], PRIVATES[0]))
    assert missing != known
    grid = LabelGrid(0.0, 1.0, 4)
    two, three = (witness(lambda s, n=n: grid.encode(np.zeros(n)), seeded())[1] for n in (2, 3))
    assert two != three
