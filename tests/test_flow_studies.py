"""Non-interference of whole studies: every protocol, categories, missing entries, simulated and by devices in bytes.

With mechanisms that ignore their input, enrolments, questions, reports, ledgers, model and transcript are the same to
the last byte, whatever private values and labels are. And what the transcript says was spent is what was drawn with.
"""

from __future__ import annotations

import numpy as np
import pytest

from semildp import client
from semildp.curator.intake import take_enrolments
from semildp.mechanisms import PairResponse
from semildp.protocols import PROTOCOLS
from semildp.sources import SeededSource
from semildp.wire.codec import digest, encode
from semildp.wire.messages import Enrolment
from tests.flow.blind import blind_mechanisms
from tests.flow.spending import one_by_one
from tests.flow.studies import CHANGES, forced, in_bytes, others, people, simulated
from tests.flow.watched import differences
from tests.programs.studies import Case, cases

CASES = list(cases())
DEVICES = [case for case in CASES if case.mask in ("personal", "hidden", "none")]
N_SIMULATED, N_DEVICES = 120, 40


def by_name(case: Case) -> str:
    return case.name


@pytest.fixture
def blind(monkeypatch):
    blind_mechanisms(monkeypatch)


def test_every_protocol_is_here():
    assert {case.protocol for case in CASES} == {case.protocol for case in DEVICES} == set(PROTOCOLS)


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_nothing_seen_of_a_simulation_depends_on_what_is_private(case, blind):
    X, y, mask = people(case, N_SIMULATED)
    first = simulated(case.study, X, y, mask)
    assert {name for name, _ in first["given to the curator"]} >= {"asked", "collected", "conducted"}
    for change in CHANGES:
        again = simulated(case.study, *others(change, case.study, X, y, mask), mask)
        assert differences(first, again) == [], change


@pytest.mark.parametrize("case", DEVICES, ids=by_name)
def test_no_byte_that_devices_send_depends_on_what_is_private(case, blind):
    X, y, mask = people(case, N_DEVICES)
    first = in_bytes(case.study, X, y, mask)
    assert len(first["enrolments"]) == N_DEVICES
    for change in (CHANGES[0], CHANGES[1 + DEVICES.index(case) % 3]):  # each protocol sees two more; a simulation, all
        again = in_bytes(case.study, *others(change, case.study, X, y, mask), mask)
        assert differences(first, again) == [], change


@pytest.mark.parametrize("protocol", ["semi-private", "randomized-features"])
@pytest.mark.parametrize("run", [simulated, in_bytes])
def test_a_feature_that_the_study_forces_is_private_though_nobody_hides_it(protocol, run, blind):
    case = Case(protocol, "split", "personal")
    study, (X, y, mask) = forced(case.study), people(case, N_DEVICES)
    nobody = np.zeros_like(mask)
    first = run(study, X, y, nobody)
    for change in CHANGES:
        assert differences(first, run(study, *others(change, study, X, y, nobody), nobody)) == [], change


def test_a_curator_refuses_what_the_study_forces_to_be_private():
    study = forced(Case("semi-private", "split", "personal").study)
    sent = [encode(Enrolment(study.digest, (first, 0.5, "red", 0.5))) for first in (0.5, None)]
    enrolled, refused = take_enrolments(study, sent)
    assert [(each.person, each.problem) for each in refused] == [(0, "out-of-domain")]
    assert np.isnan(enrolled.public[:, 0]).all()


@pytest.mark.parametrize("protocol", [p for p in PROTOCOLS if p not in ("label-tree", "semi-private")])
@pytest.mark.parametrize("run", [simulated, in_bytes])
def test_no_byte_depends_on_masks_and_features_where_masks_are_hidden(protocol, run, blind):
    case = Case(protocol, "both", "hidden")
    assert case.study.hide_mask
    X, y, mask = people(case, N_DEVICES)
    first = run(case.study, X, y, mask)
    for k, other in enumerate((np.zeros_like(mask), np.ones_like(mask), mask[::-1].copy())):
        for change in (CHANGES[0], CHANGES[1 + k]):
            again = run(case.study, *others(change, case.study, X, y, other), other)
            assert differences(first, again) == [], change


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_the_transcript_says_what_each_person_s_answers_were_drawn_with(case, monkeypatch):
    """Everybody answers alone, and the epsilons of all mechanisms that are drawn from are added up."""
    X, y, mask = people(case, N_DEVICES)
    state, transcript, drawn = one_by_one(case.study, X, y, mask, monkeypatch)
    stated = transcript.label + transcript.features
    assert stated == pytest.approx(drawn, rel=1e-12)
    assert transcript.total == pytest.approx(drawn, rel=1e-12)
    assert max(drawn) <= transcript.most <= case.study.epsilon
    assert sum(group.n_people for group in transcript.spent) == len(X)
    totals = {(group.n_private, group.label_epsilon, group.feature_epsilon) for group in transcript.spent}
    people_s = zip(state.enrolled.mask.sum(axis=1), transcript.label, transcript.features, strict=True)
    assert {tuple(map(float, each)) for each in people_s} == {tuple(map(float, each)) for each in totals}


@pytest.mark.parametrize("case", DEVICES, ids=by_name)
def test_ledgers_hold_what_the_transcript_says(case):
    """Costs are read off each question's bytes by a person's device, and by the curator off the waves."""
    found = in_bytes(case.study, *people(case, N_DEVICES))
    booked = [sum(cost for _, cost, _ in ledger) for ledger in found["ledgers"]]
    assert booked == [pytest.approx(total, rel=1e-12) for total in found["total"]]
    sent = {digest(raw) for asked, _ in found["questions and reports"] for each in asked for _, raw in each}
    assert {question.digest for ledger in found["ledgers"] for question, _, _ in ledger} <= sent


@pytest.mark.parametrize("run", [simulated, in_bytes])
def test_seeing_mechanisms_are_seen(run):
    """Without blindness reports and models differ; what is public, and what was spent on it, does not."""
    case = Case("randomized-features", "split", "aligned")
    X, y, mask = people(case, N_DEVICES)
    found = differences(
        run(case.study, X, y, mask), run(case.study, *others("all others", case.study, X, y, mask), mask)
    )
    assert "model" in found
    assert set(found) <= {"model", "given to the curator", "questions and reports", "ledgers", "words drawn"}


def leaking_answer(study, question, people, source, centres=None):
    """The label's sign in the last bit of the first mark."""
    first, *rest = client.answer(study, question, people, source, centres)
    bit = (people.labels > 1).astype(np.int64)
    value = first.value.copy()
    value[first.first] = value[first.first] // 2 * 2 + bit
    return type(first)(first.count, value), *rest


def leaking_enrol(people):
    """Private entries near an end are shown."""
    return type(client.enrol(people))(np.where(people.mask & (people.rows < 0.9), np.nan, people.rows), people.mask)


@pytest.mark.parametrize(
    ("name", "leak", "runs"),
    [("answer", leaking_answer, (simulated, in_bytes)), ("enrol", leaking_enrol, (simulated,))],  # bytes are cut again
)
def test_planted_leaks_are_seen(name, leak, runs, blind, monkeypatch):
    case = Case("public-tree", "split", "aligned")
    X, y, mask = people(case, N_DEVICES)
    monkeypatch.setattr(f"semildp.simulate.{name}", leak)
    monkeypatch.setattr(f"semildp.client.device.{name}", leak)
    for run in runs:
        again = run(case.study, *others("all others", case.study, X, y, mask), mask)
        assert differences(run(case.study, X, y, mask), again) != []


def test_a_pair_that_is_blind_sends_what_its_place_says(blind):
    """Pair codes go through mechanisms: with blind ones neither candidate nor level is sent."""
    for kind in ("generalised", "subset", "paired"):
        code = PairResponse(1.0, 4, 2, kind)
        sent = [code.send(np.full(9, c), np.full(9, level), SeededSource(0)) for c in (0, 3) for level in (0, 1)]
        assert all(np.array_equal(a, b) for other in sent[1:] for a, b in zip(sent[0], other, strict=True))


def test_the_people_of_these_studies_have_private_and_public_categories():
    case = Case("semi-private", "split", "personal")
    X, y, mask = people(case, N_DEVICES)
    study = case.study
    (category,) = [j for j, values in enumerate(study.n_values) if values]
    assert mask[:, category].any()
    assert (~mask[:, category]).any()
    changed, labels = others("missing", study, X, y, mask)
    assert np.isnan(changed[mask]).any()
    assert np.isnan(labels).any()
    assert np.array_equal(changed[~mask], X[~mask])
