"""What the account prints is what was spent: the numbers in text and page are those of the objects that spent them."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import pytest

from semildp.client import Ledger, QuestionId
from semildp.errors import LimitError
from semildp.estimators.account import PrivacyAccount
from semildp.explain import what_left
from semildp.mechanisms import DiscreteLaplace
from semildp.models import Spent
from semildp.simulate import simulate
from tests.flow.people import choices, crowd
from tests.flow.studies import streams
from tests.flow.ways import WAYS
from tests.programs.studies import cases

X, Y = crowd()
MASKS = choices()
GROUPS = (Spent(0, 12_345, 0.75, 0.0), Spent(2, 7, 0.5, 1.25), Spent(3, 1, 0.0, 1.75))
ACCOUNT = PrivacyAccount(1.75, GROUPS, ("a label", "a cell"), ("label_bounds",), True)


def printed_rows(text):
    """Return the rows of the printed table: private features, people, label, features, total."""
    table = text.split("Spent per person (epsilon):\n")[1].split("\n\n")[0].splitlines()
    rows = [line for line in table if line.lstrip()[0].isdigit()]
    return [tuple(float(entry.replace(",", "")) for entry in line.split()) for line in rows]


def page_rows(page):
    rows = re.findall(r"<tr><td>(.*?)</td></tr>", page)
    return [tuple(float(entry.replace(",", "")) for entry in row.split("</td><td>")) for row in rows]


def spent(groups):
    return [(g.n_private, g.n_people, g.label_epsilon, g.feature_epsilon, g.total) for g in groups]


@pytest.mark.parametrize("rows", [printed_rows(ACCOUNT.as_text()), page_rows(ACCOUNT.as_html())], ids=["text", "page"])
def test_every_number_is_printed_as_it_was_spent(rows):
    assert rows == spent(GROUPS)


def test_a_group_s_total_is_the_sum_of_its_parts():
    for group in GROUPS:
        assert group.total == group.label_epsilon + group.feature_epsilon


def test_the_definition_names_the_epsilon_and_what_is_held_fixed():
    assert "at most e^1.75 when" in ACCOUNT.definition
    assert "(1.75-semi-feature local differential privacy)" in ACCOUNT.definition
    assert ACCOUNT.definition.startswith("With public features and mask held fixed")
    assert ACCOUNT.definition in ACCOUNT.as_text()
    assert ACCOUNT.definition in ACCOUNT.as_html()


def test_every_caveat_is_printed():
    assert len(ACCOUNT.caveats) == 2
    for note in ACCOUNT.caveats:
        assert note in ACCOUNT.as_text()
        assert note in ACCOUNT.as_html()
    assert PrivacyAccount(1.0, (), ()).caveats == ()


@pytest.mark.parametrize("way", WAYS)
def test_what_a_fit_prints_adds_up_to_its_epsilon(way, capsys):
    """Everybody is in the table; the largest total is the epsilon in the sentence: the estimator's, if all is spent.

    Where everyone would be asked twice and was not, or the cell is public knowledge, the label's share alone is spent.
    """
    model = WAYS[way](random_state=0).fit(X, Y, mask=MASKS["none" if way == "LabelDT" else "personal"])
    model.report()
    text = capsys.readouterr().out
    rows = printed_rows(text)
    assert rows == page_rows(model.privacy_.as_html())
    assert sum(row[1] for row in rows) == len(X)
    assert all(row[4] == pytest.approx(row[2] + row[3], rel=1e-3) for row in rows)
    largest = max(row[4] for row in rows)
    assert float(re.search(r"at most e\^(\S+) when", text)[1]) == pytest.approx(largest, rel=1e-3)
    once = way == "paper, defaults" or (way.startswith("semi-private, both") and not model.questions_)
    share = model.label_share if once else 1.0
    assert largest == pytest.approx(share * model.epsilon, rel=1e-3)
    assert "Caution: Randomness came from" in text


def test_leaks_are_in_the_account():
    for way in ("joint, defaults", "semi-private, split, line, 8", "ParDT", "KRR", "Hist"):
        with pytest.warns() as caught:
            model = WAYS[way](label_bounds=None, feature_bounds=None, random_state=0).fit(X, Y)
        assert model.privacy_.leaks == ("feature_bounds", "label_bounds")
        assert sum("taken from" in str(w.message) for w in caught) == 2


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_histogram_draws_with_what_it_states(epsilon, monkeypatch):
    """Half of epsilon on each vector; of the first, two entries change, so each has a quarter."""
    drawn_with = []

    def watched(self, values, source, own=DiscreteLaplace.randomise):
        drawn_with.append((self.epsilon, len(values)))
        return own(self, values, source)

    monkeypatch.setattr(DiscreteLaplace, "randomise", watched)
    model = WAYS["Hist"](epsilon=epsilon, random_state=0).fit(X, Y, mask=MASKS["personal"])
    entries = len(X) * len(model.model_.body.values)
    assert drawn_with == [(epsilon / 4, entries), (epsilon / 2, entries)]
    assert spent(model.privacy_.groups) == [(X.shape[1], len(X), epsilon / 2, epsilon / 2, epsilon)]


@pytest.mark.parametrize("case", [case for case in cases() if case.mask != "aligned"], ids=lambda case: case.name)
def test_what_left_is_told_question_by_question(case):
    """A line on enrolling unless masks are hidden, then every wave with everyone who was asked in it."""
    found = simulate(case.study, *case.people(), sources=streams(case.study))
    lines = what_left(case.study, found.transcript)
    assert lines[0].startswith("when enrolling: public features") == (not case.study.hide_mask)
    told = Counter()
    for line in lines[0 if case.study.hide_mask else 1 :]:
        wave, people = re.match(r"wave (\d), ([\d,]+) people: ", line).groups()
        told[int(wave)] += int(people.replace(",", ""))
    asked = Counter()
    for done in found.state.done:
        for each in done.asked:
            asked[each.question.wave] += len(each.people)
    assert told == asked


@pytest.mark.parametrize("hide_mask", [False, True])
def test_the_account_says_what_is_held_fixed(hide_mask):
    model = WAYS["joint, defaults"](random_state=0, hide_mask=hide_mask).fit(X, Y, mask=MASKS["personal"])
    assert model.privacy_.mask_hidden == hide_mask
    assert model.privacy_.definition.startswith("Nothing held fixed" if hide_mask else "With public features and mask")


def test_a_limit_has_room_for_the_rounding_of_costs_and_no_more():
    for above, fits in ((Fraction(1, 10**13), True), (Fraction(1, 10**11), False), (Fraction(1, 200), False)):
        ledger, question = Ledger(1), QuestionId.of("study", 1, "question")
        if fits:
            assert ledger.answer(question, 1 + above, lambda _: b"report") == b"report"
        else:
            with pytest.raises(LimitError):
                ledger.answer(question, 1 + above, lambda _: b"report")
