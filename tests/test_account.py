"""The privacy account states what each group of people spent, and never less than they did."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from semildp import HistOfTreeRegressor, InputError, PrivacyAccount, SemiPrivateRegressor, masks
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.estimators.figures import rounded_up
from semildp.estimators.inputs import _seed_sequence, read_sources
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    PairedResponse,
    SubsetResponse,
    WindowResponse,
)
from semildp.models import Spent
from tests.people import BOUNDS, simulate

X, Y, _ = simulate(300)
MASK = masks.heavy_tail(300, 5, 1.0)
SIZES, PEOPLE = np.unique(MASK.sum(axis=1), return_counts=True)


def test_histoftree_splits_the_budget():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, label_share=0.7, bins=2, n_histogram_features=2, random_state=0)
    model.fit(X, Y, mask=MASK)
    groups = model.privacy_.groups
    assert [(g.n_private, g.n_people) for g in groups] == list(zip(SIZES, PEOPLE, strict=True))
    assert all(g.label_epsilon == pytest.approx(1.4) and g.total <= 2.0 for g in groups)
    assert model.privacy_.epsilon == pytest.approx(2.0)


def test_where_the_cell_is_public_knowledge_nothing_is_spent_on_it():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, private_features=[0], bins=1, depth=2, random_state=0).fit(X, Y)
    assert model.privacy_.groups[0].feature_epsilon == 0.0


def test_who_hides_no_feature_spends_on_the_label_only():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, random_state=0).fit(X, Y)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.feature_epsilon, model.privacy_.epsilon) == (0, 0.0, 1.0)


def test_hidden_masks_are_not_in_the_account():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, hide_mask=True, random_state=0).fit(X, Y, mask=MASK)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.n_people) == (5, 300)
    assert "Nothing held fixed" in model.privacy_.definition
    assert not any("public features" in item for item in model.privacy_.sent)


@pytest.mark.parametrize("baseline", [PublicTreeRegressor, RandomizedFeatureTreeRegressor, PrivateHistogramRegressor])
def test_baselines_spend_epsilon_and_no_more(baseline):
    model = baseline(2.0, **BOUNDS, random_state=0).fit(X, Y, mask=MASK)
    assert all(g.total == pytest.approx(2.0) for g in model.privacy_.groups)
    assert sum(g.n_people for g in model.privacy_.groups) == 300


WAYS = {
    "HistOfTree, split": lambda: HistOfTreeRegressor(2.0, **BOUNDS, random_state=0),
    "HistOfTree, both": lambda: HistOfTreeRegressor(2.0, **BOUNDS, participation="both", random_state=0),
    "the paper, grr": lambda: HistOfTreeRegressor.paper(2.0, **BOUNDS, bins=2, random_state=0),
    "the paper, rr": lambda: HistOfTreeRegressor.paper(2.0, **BOUNDS, bins=2, cell_mechanism="rr", random_state=0),
    "SemiPrivate, split": lambda: SemiPrivateRegressor(2.0, **BOUNDS, learner=LinearRegression(), random_state=0),
    "SemiPrivate, both": lambda: SemiPrivateRegressor(
        2.0, **BOUNDS, learner=LinearRegression(), participation="both", random_state=0
    ),
    "ParDT": lambda: PublicTreeRegressor(2.0, **BOUNDS, random_state=0),
    "KRR": lambda: RandomizedFeatureTreeRegressor(2.0, **BOUNDS, random_state=0),
    "LabelDT": lambda: LabelTreeRegressor(2.0, **BOUNDS, random_state=0),
}
SOME_HIDE = np.where(np.arange(300)[:, None] < 200, MASK, False)
CHOICES = {"heavy tail": MASK, "a third hides nothing": SOME_HIDE, "nobody hides": np.zeros_like(MASK)}


@pytest.fixture
def spent(monkeypatch):
    """What all people together spend, counted where it is spent: every draw of every mechanism, people x epsilon."""
    counted = []
    for kind in (DiscreteLaplace, WindowResponse, GeneralisedResponse, BinaryResponse, SubsetResponse, PairedResponse):

        def counting(self, values, source, own=kind.randomise):
            sizes = np.broadcast_to(getattr(self, "n_candidates", 2), np.shape(values))
            alone = isinstance(self, PairedResponse)  # its only candidate still has a sign
            counted.append(self.epsilon * int((sizes > 1).sum() if not alone else len(values)))
            return own(self, values, source)

        monkeypatch.setattr(kind, "randomise", counting)
    return counted


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("way", WAYS)
def test_the_account_never_states_less_than_was_spent(way, chosen, spent):
    mask = CHOICES[chosen]
    if way == "LabelDT" and mask.any():
        pytest.skip("it refuses private features")
    account = WAYS[way]().fit(X, Y, mask=mask).privacy_
    stated = sum(group.n_people * group.total for group in account.groups)
    assert stated >= sum(spent) * (1 - 1e-12)
    assert stated == pytest.approx(sum(spent)) or way in ("SemiPrivate, both", "the paper, grr", "the paper, rr")
    assert account.epsilon == pytest.approx(max(group.total for group in account.groups))
    assert account.epsilon <= 2.0
    assert sum(group.n_people for group in account.groups) == len(mask)


def test_who_hides_nothing_and_is_asked_twice_spends_all_of_it():
    """Cell and label go together in the second round: with a public cell, it is the label that is sent again."""
    model = HistOfTreeRegressor(2.0, **BOUNDS, participation="both", random_state=0).fit(X, Y)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.label_epsilon, group.feature_epsilon) == (0, 2.0, 0.0)
    assert model.privacy_.epsilon == 2.0


def account(**changes):
    groups = (Spent(2, 10, 1.00049, 0.0), Spent(3, 10, 0.0, 1.00049))
    return PrivacyAccount(**{"epsilon": 1.00049, "groups": groups, "sent": ("the label",), **changes})


def test_printed_spends_are_rounded_up():
    for text in (account().as_text(), account().as_html(), account().definition):
        assert "1.001" in text
        assert "1.00049" not in text
        assert "e^1 " not in text


@pytest.mark.parametrize("epsilon", [1.00049, 0.30001, 7.77777, 123.456])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_printed_is_never_less_than_what_is_stated(way, epsilon):
    found = WAYS[way]().set_params(epsilon=epsilon).fit(X, Y).privacy_
    rows = re.findall(r"^ +\d+ +[\d,]+ +(\S+) +(\S+) +(\S+)$", found.as_text(), re.MULTILINE)
    assert len(rows) == len(found.groups)
    for row, group in zip(rows, found.groups, strict=True):
        for printed, spent in zip(row, (group.label_epsilon, group.feature_epsilon, group.total), strict=True):
            assert spent <= Decimal(printed) <= Decimal(spent) * Decimal("1.0011")
    (stated,) = re.findall(r"e\^(\S+) when", found.definition)
    assert found.epsilon <= Decimal(stated)


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.0, 2.0, 3.3])
def test_epsilons_of_few_digits_are_printed_as_they_are(epsilon, parts):
    """Rounding up must not turn the last bit of a sum into a unit of the fourth digit."""
    rows = np.random.default_rng(0).uniform(size=(20, 6))
    mask = masks.first(20, 6, parts)
    bounds = {"label_bounds": (-1, 1), "feature_bounds": (0, 1), "random_state": 0}
    paper = HistOfTreeRegressor.paper(epsilon, **bounds, n_histogram_features=1, bins=2, label_share=0.7)
    for model in (RandomizedFeatureTreeRegressor(epsilon, **bounds), paper):
        group = model.fit(rows, np.zeros(20), mask=mask).privacy_.groups[0]
        assert rounded_up(group.total) == str(epsilon).removesuffix(".0")


def test_notebooks_show_the_account_without_anything_from_elsewhere():
    told = account(sent=tuple(f"thing {k} <b>" for k in range(6)), leaks=("label_bounds",))
    page = told._repr_html_()
    assert page == told.as_html()
    assert not re.search(r"https?:|<script|url\(|@import|src=", page)
    assert "prefers-color-scheme:dark" in page
    assert "currentColor" in page
    assert "thing 5 &lt;b&gt;" in page
    assert "<details><summary>" in page  # long lists are folded
    assert "<details open><summary>" in account().as_html()
    assert page.count('semildp-caution">') == 1


def test_the_account_says_that_another_fit_adds():
    for text in (account().as_text(), account().as_html()):
        assert "This is one fit. Each further fit on the same people" in text
        assert "asks them again and adds what it spends" in text


SEEDS = {
    "whole number": lambda: 7,
    "long whole number": lambda: 2**100 + 1,
    "RandomState": lambda: np.random.RandomState(7),
    "numpy's own state": lambda: np.random,
    "Generator": lambda: np.random.default_rng(7),
    "SeedSequence": lambda: np.random.SeedSequence(7),
}


@pytest.mark.parametrize("kind", SEEDS)
def test_every_kind_of_seed_is_called_a_simulation_and_not_private(kind, capsys):
    quick = {**BOUNDS, "learner": LinearRegression()}
    model = SemiPrivateRegressor(2.0, **quick, random_state=SEEDS[kind]()).fit(X, Y)
    assert model.privacy_.simulated
    text = model.report()
    assert "this fit is a simulation and not private" in text
    assert capsys.readouterr().out == text + "\n"
    assert "not private" in model._repr_html_()
    assert "not private" not in SemiPrivateRegressor(2.0, **quick).fit(X, Y).report()


def words(seed):
    return [tuple(source.words(4).tolist()) for source in read_sources(seed, 2)]


def test_seeds_keep_all_of_their_bits():
    """A whole number enters numpy's SeedSequence as it is, however long."""
    assert words(2**100 + 1) != words(1)
    assert words(2**32 + 7) != words(7)
    child = np.random.SeedSequence(5).spawn(2)[1]
    expected = np.random.PCG64(child).random_raw(4)
    assert words(5)[1] == tuple(expected.tolist())
    assert len({words(seed)[0] for seed in range(2000)}) == 2000


@pytest.mark.parametrize("kind", ["RandomState", "Generator", "SeedSequence"])
def test_generators_move_on_and_sequences_stay(kind):
    seed = SEEDS[kind]()
    first, second = words(seed), words(seed)
    assert first == words(SEEDS[kind]())
    assert (first == second) == (kind == "SeedSequence")
    assert first[0] != first[1]
    entropy = _seed_sequence(SEEDS[kind]()).entropy
    assert len(entropy) == 8
    assert max(entropy) > 2**31


@pytest.mark.parametrize("seed", [-1, 1.0, "7", 2**128 + 1, True, np.random.PCG64(1)])
def test_other_seeds_are_refused(seed):
    with pytest.raises(InputError, match="Or None, or a RandomState, Generator or SeedSequence"):
        read_sources(seed, 2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("epsilon", [np.float32(2.0), Fraction(2)])
def test_the_account_as_plain_types(way, epsilon):
    found = WAYS[way]().set_params(epsilon=epsilon).fit(X, Y).privacy_
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain == found.as_dict()
    assert plain["epsilon"] == found.epsilon
    assert [group["total"] for group in plain["groups"]] == [group.total for group in found.groups]
    assert plain["simulated"] is True
    assert plain["definition"] == found.definition
