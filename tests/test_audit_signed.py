"""How the audit looks at residuals turned round by signs: the law it states, the visits it makes, their names."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

from semildp.audit.visits import visits
from semildp.audit.visits.asked import AskedOf
from semildp.audit.visits.parts import answered
from semildp.audit.visits.person import Person, people
from semildp.audit.visits.sending import build_visit
from semildp.mechanisms import GeneralisedResponse
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.codec import decode
from semildp.wire.forms import mechanism_message
from semildp.wire.messages import AskSigned, Question, Report
from tests.asking import ask_signed, study_of
from tests.battery.travels import law_of

ROW, MASK, CENTRE = np.array([0.3, 0.6, 0.9]), np.array([True, False, True]), 0.45
STUDY = study_of(2.0)


def asked(ask: AskSigned, study: Study = STUDY) -> AskedOf:
    return AskedOf((Question(study.digest, 2, (ask,)),), (CENTRE,), ROW)


def stated(study: Study, ask: AskSigned, person: Person) -> dict[int, float]:
    """The probability of every level, as the audit states it."""
    (part,) = answered(ask, study, ROW, MASK, CENTRE).parts
    levels = np.arange(ask.mechanism.values)
    return dict(zip(levels.tolist(), np.exp(part.log_probability(levels, part.value(person))).tolist(), strict=True))


def law(study: Study, ask: AskSigned, person: Person) -> dict[int, float]:
    """The same from the bytes of all words that a device can draw."""
    question = Question(study.digest, 2, (ask,), CENTRE)
    found = law_of(study, question, person.features, person.label, person.mask)
    return {decode(raw, Report).answers[0][0]: float(chance) for raw, chance in found.items()}


@pytest.mark.parametrize("hide", [False, True])
@pytest.mark.parametrize("features", [(0,), (2, 0)])
def test_the_stated_law_is_that_of_the_bytes(features, hide):
    study = study_of(2.0, hide=hide)
    ask = ask_signed(study, features, 2.0, 3)
    for a, c, label in itertools.product((0.0, 0.3, 0.6, 1.0), (0.1, 0.9), (-1.0, 0.0, 0.3, 0.5, 1.0)):
        person = Person((a, 0.6, c), tuple(MASK.tolist()), label)
        assert stated(study, ask, person) == pytest.approx(law(study, ask, person), abs=1e-12)


@pytest.mark.parametrize(("missing", "cells"), [((0,), 4), ((0, 2), 16)])
def test_who_misses_a_feature_is_in_all_cells_alike(missing, cells):
    """What is missing is drawn evenly, so the law is the mean over the bins it may be in."""
    ask = msgspec.structs.replace(ask_signed(STUDY, (2, 0), 2.0), signs=(1,) * 3 + (-1,) * 10 + (1, -1, 1))
    middles = (0.125, 0.375, 0.625, 0.875)
    ways = [middles if j in missing else (float(ROW[j]),) for j in range(3)]
    found = [law(STUDY, ask, Person(x, tuple(MASK.tolist()), 0.7)) for x in itertools.product(*ways)]
    assert len(found) == cells
    mean = {level: sum(each[level] for each in found) / cells for level in found[0]}
    row = tuple(float("nan") if j in missing else float(ROW[j]) for j in range(3))
    assert stated(STUDY, ask, Person(row, tuple(MASK.tolist()), 0.7)) == pytest.approx(mean, abs=1e-12)


def test_the_audited_people_have_every_level_and_both_signs():
    ask = ask_signed(STUDY, (2, 0), 2.0)
    look = answered(ask, STUDY, ROW, MASK, 0.5)
    values = [look.parts[0].value(person) for person in look.people]
    assert set(values) == {0, 1, 2}
    by_cell = {(person.features, person.label): value for person, value in zip(look.people, values, strict=True)}
    assert {value for (_, label), value in by_cell.items() if label == 1.0} == {0, 2}


def test_the_visit_uses_all_of_epsilon_and_no_more():
    visit = build_visit(STUDY, asked(ask_signed(STUDY, (0,), 2.0)), MASK, "signed")
    assert visit.epsilon == 2.0
    assert 0.99 * 2.0 <= visit.exact_epsilon() <= 2.0
    sent = visit.send(people(STUDY, ROW, MASK)[0], 50, SeededSource(0))
    assert set(np.unique(visit.parts[0].outputs(sent)).tolist()) <= {0, 1, 2}


def test_visits_do_not_grow_with_the_number_of_sign_patterns(monkeypatch):
    """One visit for each number of features and each mechanism, whatever the signs."""
    one, two = ask_signed(STUDY, (0,), 2.0), ask_signed(STUDY, (2, 0), 2.0)
    patterns = [p for p in itertools.product((-1, 1), repeat=4) if p[0] == 1]
    fine = mechanism_message(GeneralisedResponse(2.0, 5))
    asks = [
        *(msgspec.structs.replace(one, signs=signs) for signs in patterns),
        *(msgspec.structs.replace(two, signs=signs * 4) for signs in patterns),
        msgspec.structs.replace(one, mechanism=fine),
    ]
    monkeypatch.setattr(visits, "asked_of", lambda study, hidden: [asked(ask) for ask in asks])
    monkeypatch.setattr(visits, "_masks", lambda study: [("", MASK)])
    assert [visit.name for visit in visits.study_visits(STUDY)] == [
        "semi-private, split, wave 2, residual turned by a in 4 bins",
        "semi-private, split, wave 2, residual turned by c in 4 bins and a in 4 bins",
        "semi-private, split, wave 2, residual turned by a in 4 bins",
    ]
