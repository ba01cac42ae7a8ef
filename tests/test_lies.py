"""How far lies carry: the worst reports a curator accepts reach the stated influence, and never pass it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from semildp import SemiPrivateRegressor, mechanisms, simulate
from semildp.client import People, answer, enrol
from semildp.curator import tally_cells, tally_joint
from semildp.curator.admission import admit
from semildp.curator.estimate import unbiased
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, PairResponse, label_grid
from semildp.protocols.asks import ask_cell, ask_label
from semildp.sources import SeededSource
from semildp.wire.columns import Marks
from semildp.wire.forms import read_mechanism
from semildp.wire.messages import AskLabel, AskPair, AskSigned
from tests.asking import PARTITION, joint_terms, lists_of, marks_of, question_of, study_of
from tests.people import BOUNDS
from tests.people import simulate as made_up
from tests.test_mechanisms import mechanism_classes

PEOPLE, LIARS = 2000, 20  # one in a hundred
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(PEOPLE, 3))
MASK = np.tile([True, False, True], (PEOPLE, 1))
CROWD = People(X, RNG.uniform(size=PEOPLE), MASK)
PUBLIC = enrol(CROWD)
STUDY = study_of(8.0)  # more than any question here costs


def question_for(ask):
    return question_of(STUDY, ask)


def told(ask, seed):
    """What honest people answer."""
    return answer(STUDY, question_for(ask), CROWD, SeededSource(seed))[0]


def admitted(ask, marks):
    """Return the reports if every one of them is accepted."""
    assert not admit(STUDY, question_for(ask), PUBLIC, (marks,)).any()
    return marks


def replaced(marks, liars, lie):
    """Put the same lie in place of the liars' reports."""
    sent = lists_of(marks)
    for liar in liars:
        sent[int(liar)] = [int(v) for v in lie]
    return marks_of(sent)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("parameter", [1, 2, 3, 5])
@pytest.mark.parametrize("name", mechanism_classes())
def test_influence_is_the_spread_of_estimates_over_all_outputs(name, parameter, epsilon):
    mechanism = getattr(mechanisms, name)(epsilon, parameter)
    outputs = mechanism.output_domain
    estimates = mechanism.estimate(outputs).reshape(len(outputs), -1)
    spread = (estimates.max(axis=0) - estimates.min(axis=0)).max()
    assert spread == pytest.approx(mechanism.influence, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", ["generalised", "subset", "paired"])
@pytest.mark.parametrize(("candidates", "levels"), [(1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (3, 3), (2, 5)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_influence_of_pairs_is_reached_and_never_passed(kind, candidates, levels, epsilon):
    """Over every report there is: the spread of a candidate's people, and of its numbers."""
    if kind == "paired" and levels > 2:
        pytest.skip("it has two levels")
    code = PairResponse(epsilon, candidates, levels, kind)
    people, numbers = [], []
    for output in code.mechanism.output_domain:
        marked = _values(code, output)
        first = marked[marked // levels == 0]
        people.append(code.per_mark * len(first))
        numbers.append(code.per_score * code.scores[first % levels].sum())
    assert (np.ptp(people), np.ptp(numbers)) == pytest.approx(code.influence, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_one_report_of_all_ones_moves_every_candidate_at_once(size, epsilon):
    """Binary and paired reports reach the bound in all candidates together; of the others the total is fixed."""
    binary, paired = mechanisms.BinaryResponse(epsilon, size), mechanisms.PairedResponse(epsilon, size)
    none, all_ = binary.output_domain[[0, -1]]
    assert (all_ == 1).all()
    moved = binary.estimate(np.array([all_])) - binary.estimate(np.array([none]))
    np.testing.assert_allclose(moved, binary.influence)
    assert moved.sum() == pytest.approx(size * binary.influence)
    assert np.ptp(binary.estimate(binary.output_domain).sum(axis=1)) == pytest.approx(moved.sum())
    signs = paired.estimate(np.array([np.full(size, mark) for mark in range(3)]))
    np.testing.assert_allclose(np.ptp(signs, axis=0), paired.influence)
    code = PairResponse(epsilon, size, 2, "paired")
    people, numbers = code.influence
    lie = _values(code, np.full(size, 2))
    assert sorted(lie // 2) == list(range(size))
    assert code.per_mark * len(lie) == pytest.approx(size * people)
    assert 2 * code.per_score * code.scores[lie % 2].sum() == pytest.approx(size * numbers)
    for other in (mechanisms.GeneralisedResponse(epsilon, size), mechanisms.SubsetResponse(epsilon, size)):
        assert other.estimate(other.output_domain).sum(axis=1) == pytest.approx(1.0)


def test_a_binary_report_of_all_ones_is_admitted_and_counts_in_every_cell():
    ask = ask_cell(PARTITION, "rr", 1.0, PUBLIC)
    cells, labels = told(ask, 2), told(ask_label("window", 0.0, 1.0, 1.0), 1).value
    candidates = PARTITION.candidates(PUBLIC.public, PUBLIC.mask)
    own = np.sort(candidates.cells()[1][: int(candidates.size[0])])
    weights = CELL_MECHANISMS["rr"].weights(1.0)
    counts = []
    for sworn in (own[:0], own):
        lying = admitted(ask, replaced(cells, [0], sworn))
        counts.append(unbiased(tally_cells(PARTITION, PUBLIC, labels, lying).people, weights))
    influence = CELL_MECHANISMS["rr"](1.0, len(own)).influence
    moved = counts[1] - counts[0]
    np.testing.assert_allclose(moved[own], influence)
    assert moved.sum() == pytest.approx(len(own) * influence)


def _values(code, output):
    """The values that one output of a code's mechanism marks."""
    if code.kind == "generalised":
        return np.atleast_1d(output)
    place = np.flatnonzero(output)
    return place if code.kind == "subset" else 2 * place + output[place] - 1


@pytest.mark.parametrize("liars", [1, LIARS])
@pytest.mark.parametrize("name", ["laplace", "window"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_mean_of_labels_moves_by_its_share_of_the_influence(name, epsilon, liars):
    """The worst: liars who drew the lowest report send the highest. Laplace noise seldom draws its lowest."""
    ask = ask_label(name, 0.0, 1.0, epsilon)
    mechanism = read_mechanism(ask.mechanism, epsilon)
    top = int(mechanism.output_domain[-1])
    sent = told(ask, 1).value
    lied = sent.copy()
    lied[np.argsort(sent)[:liars]] = top
    admitted(ask, Marks.one_each(lied))
    moved = mechanism.estimate(lied).mean() - mechanism.estimate(sent).mean()
    bound = liars / PEOPLE * mechanism.influence
    assert moved <= bound * (1 + 1e-12)
    assert moved >= (0.95 if name == "window" else 0.5) * bound
    lied[0] = top + 1
    found = admit(STUDY, question_for(ask), PUBLIC, (Marks.one_each(lied),))
    assert found.tolist() == ["out-of-domain"] + [None] * (PEOPLE - 1)


@pytest.mark.parametrize("liars", [1, LIARS])
@pytest.mark.parametrize("cell", ["grr", "rr"])
@pytest.mark.parametrize("label", ["laplace", "window"])
def test_a_cell_s_count_and_label_sum_move_by_no_more(label, cell, liars):
    """Liars with the same candidates swear to be in one cell, or in another one, with the lowest or highest label."""
    ask_first, ask_then = ask_label(label, 0.0, 1.0, 1.0), ask_cell(PARTITION, cell, 1.0, PUBLIC)
    labels, cells = told(ask_first, 1), told(ask_then, 2)
    chosen = np.flatnonzero((X[:, 1] >= 0.5) == (X[0, 1] >= 0.5))[:liars]
    candidates = PARTITION.candidates(PUBLIC.public, PUBLIC.mask)
    target, elsewhere = candidates.cells()[1][:2]
    lowest, top = read_mechanism(ask_first.mechanism, 1.0).output_domain[[0, -1]]
    weights = CELL_MECHANISMS[cell].weights(1.0)
    counts, sums = [], []
    for sworn, said in itertools.product((target, elsewhere), (lowest, top)):
        lying = admitted(ask_first, replaced(labels, chosen, [said]))
        reports = admitted(ask_then, replaced(cells, chosen, [sworn]))
        totals = tally_cells(PARTITION, PUBLIC, lying.value, reports)
        counts.append(unbiased(totals.people, weights))
        sums.append(unbiased(totals.labels, weights))
    influence = CELL_MECHANISMS[cell](1.0, int(candidates.size[0])).influence
    count, total = np.ptp(counts, axis=0), np.ptp(sums, axis=0)
    assert count[target] == pytest.approx(liars * influence)
    assert count.max() == pytest.approx(liars * influence)
    bound = liars * influence * (top - lowest)
    assert 0.6 * bound <= total[target] <= total.max() <= bound * (1 + 1e-9)


@pytest.mark.parametrize("liars", [1, LIARS])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_joint_reports_move_a_cell_by_no_more(epsilon, liars):
    terms = joint_terms(STUDY, epsilon)
    ask = terms.ask(PUBLIC)
    reports = told(ask, 3)
    candidates = PARTITION.candidates(PUBLIC.public, PUBLIC.mask)
    size = int(candidates.size[0])
    code = terms.response(size)
    could = np.flatnonzero((X[:, 1] >= 0.5) == (X[0, 1] >= 0.5))[:liars]
    own = candidates.cells()[1][:size]
    worst = _worst_marks(code, len(own))
    lie = np.sort(own[worst // code.levels] * code.levels + worst % code.levels)
    lying = admitted(ask, replaced(reports, could, lie))
    honest, hostile = (tally_joint(terms, PUBLIC, r) for r in (reports, lying))
    weight = terms.response(1).noise(0.2) / code.noise(0.2)
    people, numbers = (liars * weight * part for part in code.influence)
    rounding = 1e-5 * liars
    assert np.abs(hostile.people - honest.people).max() / 2**32 * terms.unit <= people + rounding
    moved = (hostile.scores - honest.scores) / 2**32 * terms.unit
    assert np.abs(moved).max() <= numbers + rounding
    assert moved[own[0]] >= 0.4 * numbers, (
        "from an honest report to the worst is half of the way, from one end to the other"
    )


def _worst_marks(code, n):
    """The report that swears most for the first candidate: its highest levels, and marks where they do no harm."""
    top = np.arange(code.levels - 1, (code.levels - 1) // 2, -1)[: code.most_marks]
    if code.kind != "subset":
        return top[:1]
    elsewhere = np.arange(code.levels, n * code.levels)
    return np.concatenate([top, elsewhere])[: code.mechanism.size]


def lie(marks, top):
    """One in a hundred sends the highest report there is, whatever they are asked."""
    lied = marks.value.copy()
    lied[: max(1, len(lied) // 100)] = top
    return Marks(marks.count, lied)


@pytest.mark.parametrize("epsilon", [0.02, 1.0, 4.0])
def test_predictions_stay_within_the_label_bounds_whatever_is_sent(epsilon, monkeypatch):
    """One in a hundred lies, in both rounds: never beyond the bounds.

    At a tiny epsilon lies alone would push the mean of labels up to the bound, but there it is hardly believed.
    """
    rows, y, _ = made_up(3000)
    y = np.clip(y, -1, 1)
    bounds = {**BOUNDS, "label_bounds": (-1.0, 1.0)}
    waves = []

    def lying(study, question, people, source, centres=None, honest=simulate.answer):
        (marks,) = honest(study, question, people, source, centres)
        (ask,) = question.asks
        waves.append(type(ask))
        if isinstance(ask, AskLabel):
            return (lie(marks, read_mechanism(ask.mechanism, ask.epsilon).n_outputs - 1),)
        if isinstance(ask, AskSigned):
            return (lie(marks, ask.mechanism.values - 1),)
        ((size, mechanism),) = ask.mechanisms.items()
        return (lie(marks, mechanism.values // int(size) - 1),)

    def fitted():
        return (
            SemiPrivateRegressor(epsilon, **bounds, private_features=[0, 1], learner=DummyRegressor(), random_state=0)
            .fit(rows, y)
            .predict(rows)
        )

    honest = fitted()
    monkeypatch.setattr(simulate, "answer", lying)
    lied = fitted()
    assert {AskLabel} < set(waves) <= {AskLabel, AskPair, AskSigned}
    for predicted in (honest, lied):
        assert ((predicted >= -1) & (predicted <= 1)).all()
    assert abs(lied.mean() - honest.mean()) < 0.2


def test_a_lie_gains_as_privacy_grows():
    """The price of local privacy: the influence of one report is about 2 / epsilon ranges where epsilon is small."""
    for epsilon in (0.01, 0.1):
        grid = label_grid("window", 0.0, 1.0, epsilon)
        mechanism = LABEL_MECHANISMS["window"](epsilon, grid.steps)
        assert mechanism.influence * grid.step == pytest.approx(2 / epsilon, rel=0.01)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1])
def test_sums_over_joint_reports_do_not_overflow(epsilon):
    """At a tiny epsilon each mark counts for millions; 2000 people stand for a million times as many."""
    terms = joint_terms(STUDY, epsilon)
    totals = tally_joint(terms, PUBLIC, told(terms.ask(PUBLIC), 3))
    assert (totals.squares >= 0).all()
    for sums in (totals.squares, totals.scores, totals.people):
        assert np.abs(sums).max() < 2**63 / 500
