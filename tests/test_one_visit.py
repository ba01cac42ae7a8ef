"""HistOfTreeRegressor as it comes: who answers when, what is spent, what is refused, and what it is good for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

import semildp.simulate as simulation
from semildp import HistOfTreeRegressor, masks
from semildp.curator import JointTotals
from semildp.wire.messages import AskLabel
from tests.people import BOUNDS, simulate, true_function

FRESH = np.random.default_rng(99).uniform(size=(2000, 5))
PAPER = {"label_mechanism": "laplace", "cell_mechanism": "grr", "participation": "both", "label_share": 0.5}


def fitted(n=4000, epsilon=2.0, mask=None, seed=0, make=HistOfTreeRegressor, **parameters):
    X, y, _ = simulate(n, seed=seed)
    model = make(epsilon, **{**BOUNDS, "random_state": seed, **parameters})
    return model.fit(X, y, mask=masks.first(n, 5, 2) if mask is None else mask)


def error(model):
    return np.mean((model.predict(FRESH) - true_function(FRESH)) ** 2)


@pytest.fixture
def asked(monkeypatch):
    """Which labels reached each question, and with what epsilon."""
    seen = {"label": [], "pair": []}

    def answer(study, question, people, *rest, own=simulation.answer):
        (ask,) = question.asks
        seen["label" if isinstance(ask, AskLabel) else "pair"].append((people.labels, ask.epsilon))
        return own(study, question, people, *rest)

    monkeypatch.setattr(simulation, "answer", answer)
    return seen


@pytest.mark.parametrize("hide_mask", [False, True])
def test_everyone_visits_once_with_all_of_epsilon(asked, hide_mask):
    """A third of 4,000 in the first round, 5 deviations; labels are all different, so people are told apart."""
    model = fitted(hide_mask=hide_mask, bins=2)
    ((first, first_epsilon),), ((second, second_epsilon),) = asked["label"], asked["pair"]
    assert sorted([*first, *second]) == sorted(simulate(4000)[1])
    assert abs(len(first) - 4000 / 3) < 5 * np.sqrt(4000 * 2 / 9)
    assert (first_epsilon, second_epsilon) == (2.0, 2.0)
    assert isinstance(model.totals_, JointTotals)
    hidden = 5 if hide_mask else 2
    spent = [(g.n_private, g.n_people, g.label_epsilon, g.feature_epsilon) for g in model.privacy_.groups]
    assert spent == [(hidden, len(first), 2.0, 0.0), (hidden, len(second), 0.0, 2.0)]
    assert model.privacy_.epsilon == 2.0


def test_who_answers_when_does_not_depend_on_data(asked):
    X, y, _ = simulate(500)
    for rows, labels in ((X, y), (1 - X, y[::-1])):
        HistOfTreeRegressor(1.0, **BOUNDS, random_state=3).fit(rows, labels)
    ((before, _), (after, _)) = asked["label"]
    place = {label: i for i, label in enumerate(y)}
    assert [place[label] for label in before] == [len(y) - 1 - place[label] for label in after]


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.7])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_both_rounds_split_the_budget_exactly(asked, epsilon, share):
    model = fitted(500, epsilon, participation="both", label_share=share, bins=2)
    ((first, label_epsilon),), ((second, cell_epsilon),) = asked["label"], asked["pair"]
    assert len(first) == len(second) == 500
    assert label_epsilon == epsilon * share
    assert 0 <= Fraction(epsilon) - Fraction(label_epsilon) - Fraction(cell_epsilon) < Fraction(1, 10**12)
    (group,) = model.privacy_.groups
    assert (group.label_epsilon, group.feature_epsilon) == (label_epsilon, cell_epsilon)
    assert model.privacy_.epsilon <= epsilon


def test_who_hides_nothing_spends_the_second_round_on_the_label_too():
    """They have one candidate, and send the residual with all of that round's epsilon: it must be in the account."""
    model = fitted(participation="both", label_share=0.25, mask=np.zeros((4000, 5)))
    (group,) = model.privacy_.groups
    assert (group.n_private, group.label_epsilon, group.feature_epsilon) == (0, 2.0, 0.0)
    assert model.privacy_.epsilon == 2.0
    mixed = fitted(
        participation="both", label_share=0.25, mask=masks.first(4000, 5, 2) & (np.arange(4000) < 3000)[:, None]
    )
    assert [(g.n_private, g.n_people, g.total) for g in mixed.privacy_.groups] == [(0, 1000, 2.0), (2, 3000, 2.0)]


def test_one_bin_hides_nothing_and_is_a_label_report():
    """With one bin the cell is public knowledge, and only the label is paid for."""
    model = fitted(bins=1)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.label_epsilon, group.feature_epsilon) == (2, 2.0, 0.0)


def test_the_account_says_what_is_sent():
    once, twice = fitted(500).privacy_, fitted(500, participation="both").privacy_
    pair = "people: the cell and the label's residual, jointly, by "
    for account, first, second in ((once, 172, 328), (twice, 500, 500)):
        enrolment, label, cell = account.sent
        assert enrolment == "when enrolling: public features, and which features are private"
        assert label.startswith(f"wave 1, {first} people: the label, on a grid of ")
        assert cell.startswith(f"wave 2, {second} {pair}")
    assert len(fitted(500, hide_mask=True).privacy_.sent) == 2
    assert "bounded window response" in once.as_text()
    assert "discrete Laplace noise" in fitted(500, label_mechanism="laplace").privacy_.as_text()


def test_paper_is_the_papers_method_and_can_be_overridden():
    default, paper = HistOfTreeRegressor().get_params(), HistOfTreeRegressor.paper().get_params()
    assert {name for name in default if default[name] != paper[name]} == set(PAPER)
    assert {name: paper[name] for name in PAPER} == PAPER
    assert (default["cell_mechanism"], default["participation"], default["first_share"]) == ("joint", "split", 1 / 3)
    other = HistOfTreeRegressor.paper(3.0, cell_mechanism="rr", depth=2, label_share=0.7).get_params()
    assert other == {**paper, "epsilon": 3.0, "cell_mechanism": "rr", "depth": 2, "label_share": 0.7}


@pytest.mark.parametrize("model", [HistOfTreeRegressor(2.0, depth=3), HistOfTreeRegressor.paper(2.0, bins=2)])
def test_copies_have_the_same_parameters(model):
    assert clone(model).get_params() == model.get_params()
    assert type(model)(**model.get_params()).get_params() == model.get_params()


@pytest.mark.parametrize("name", ["grr", "rr"])
def test_the_cell_alone_needs_both_visits(name):
    advice = (
        r"`cell_mechanism` must be 'joint' where everyone visits once\. Got '{}', which also needs the person's label"
    )
    with pytest.raises(ValueError, match=advice.format(name) + r": pass participation='both', or use .*\.paper\(\)"):
        fitted(50, cell_mechanism=name)
    assert np.isfinite(error(fitted(50, cell_mechanism=name, participation="both")))


@pytest.mark.parametrize("participation", ["split", "both"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 1024.0])
@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_hardly_anybody_and_hardly_any_budget(n, epsilon, participation):
    """Predictions are within the label bounds, never missing, and without a warning."""
    for private in (0, 2, 5):
        model = fitted(n, epsilon, masks.first(n, 5, private), seed=private, participation=participation)
        predicted = model.predict(FRESH)
        assert ((predicted >= -2) & (predicted <= 4.5)).all()


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1024.0, 1e6])
def test_many_people_and_an_absurd_epsilon(epsilon):
    for private in (0, 2):
        predicted = fitted(20_000, epsilon, masks.first(20_000, 5, private)).predict(FRESH)
        assert ((predicted >= -2) & (predicted <= 4.5)).all()
        if epsilon > 1:
            assert np.mean((predicted - true_function(FRESH)) ** 2) < 0.1


def test_the_default_errs_less_than_the_paper():
    """10,000 people, epsilon 2, five populations: in each of them, and by more than a third on average."""
    pairs = [
        (error(fitted(10_000, seed=s)), error(fitted(10_000, seed=s, make=HistOfTreeRegressor.paper))) for s in range(5)
    ]
    ours, theirs = np.array(pairs).T
    assert (ours < theirs).all()
    assert ours.mean() < 0.67 * theirs.mean()
