"""`semildp study new` and `study check`: files that are read back, answers that are asked for again, refusals."""

from __future__ import annotations

import sys
import tomllib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp import cli
from semildp.drafting import Draft, Item, advice, complete, draft_toml, read_whole
from semildp.study import Category, Number, Study

SLEEP = [
    *("study", "new", "--name", "Sleep", "--epsilon", "2", "--people", "2000"),
    *("--label", "0", "14", "--text", "How long did you sleep?", "--unit", "hours"),
    *("--feature", "age", "18", "100", "--text", "How old are you?"),
    *("--category", "work", "day,night, none", "--private"),
    *("--feature", "drinks", "0", "20", "--help-text", "Cups of coffee"),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("/dev/null") as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        yield tmp_path


def test_options_become_a_file_in_their_order(here, capsys):
    assert cli.main(SLEEP) == 0
    study, collection = read_whole(here / "study.toml")
    assert study.names == ("age", "work", "drinks")
    assert [feature.private for feature in study.features] == [False, True, False]
    assert study.features[1].domain == Category(("day", "night", "none"))
    assert (study.epsilon, study.label) == (2.0, Number(0, 14))
    assert collection.people == 2000
    assert collection.questions["label"].unit == "hours"
    assert collection.questions["drinks"].help == "Cups of coffee"
    assert "study check study.toml" in capsys.readouterr().out


def test_every_line_of_the_file_is_explained(here):
    cli.main(SLEEP)
    lines = (here / "study.toml").read_text().splitlines()
    settings = [
        k for k, line in enumerate(lines) if line.startswith(("name", "epsilon", "label", "protocol", "hide_mask"))
    ]
    assert all(lines[k - 1].startswith(("#", "[[")) for k in settings)


def test_a_file_is_not_overwritten_unless_forced(here, capsys):
    assert cli.main(SLEEP) == 0
    before = (here / "study.toml").read_bytes()
    assert cli.main([*SLEEP, "--minimum", "50"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (here / "study.toml").read_bytes() == before
    assert cli.main([*SLEEP, "--minimum", "50", "--force"]) == 0
    assert read_whole(here / "study.toml")[1].minimum == 50


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--name", "x"], "Pass --epsilon, --label LOW HIGH"),
        (["--private"], "--private must follow"),
        (["--feature", "a", "1", "0"], "--feature a: `low, high` must be two finite numbers, low < high"),
        (["--feature", "a", "x", "1"], "must be written like 12 or 0.5. Got 'x'"),
        (["--feature", "a", "0", "1", "--feature", "a", "0", "1"], "a name of its own"),
        (["--feature", "label", "0", "1"], "other than 'label'"),
        (["--category", "a", "one"], "2 to 65536 different words"),
        (["--label", "0", "1", "--label", "0", "1"], "--label must be given once"),
        (["--opens", "tomorrow"], "`--opens` must be a date with a time zone"),
        (["--closes", "2030-01-01T00:00:00"], "`--closes` must be a date with a time zone"),
        ([*SLEEP[2:], "--epsilon", "-1"], "`epsilon` must be"),
        ([*SLEEP[2:], "--minimum", "0"], "[collection]"),
        ([*SLEEP[2:], "--protocol", "no-such"], "`protocol` must be one of"),
        ([*SLEEP[2:], "--protocol", "label-tree"], "every feature must be public"),
        ([*SLEEP[2:], "--protocol", "hist-of-tree"], "`participation` must be 'both'"),
        ([*SLEEP[2:], "--opens", "2030-01-02T00:00:00Z", "--closes", "2030-01-01T00:00:00Z"], "later than `opens`"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_written(options, what, here, capsys):
    assert cli.main(["study", "new", *options]) == 2
    assert what in capsys.readouterr().err
    assert not (here / "study.toml").exists()


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
TEXTS = WORDS.filter(str.isprintable)


@given(st.lists(TEXTS.filter(lambda t: t != "label"), min_size=1, max_size=3, unique=True), TEXTS, TEXTS)
def test_any_words_come_back_as_they_were(names, name, text):
    """Quotes, backslashes, dots, emoji: names of features are keys of TOML, too."""
    draft = Draft(name, 1.0, Item("label", Number(0, 1), text=text), people=10, description=text)
    draft.features = [Item(each, Number(0, 1), text=text, unit=each) for each in names]
    data = tomllib.loads(draft_toml(draft))
    collection = data.pop("collection")
    assert Study.from_dict(data) == draft.study()
    assert list(collection["questions"]) == [*names, "label"]
    assert collection["description"] == collection["questions"]["label"]["text"] == text


def test_answers_are_asked_for_again_until_they_can_be_used():
    about = ["", "Night", "How well?", "10 0", "0 10"]
    features = [
        "",
        "age",
        "How old?",
        "18",
        "18 100",
        "maybe",
        "each",
        "label",
        "age",
        "work",
        "",
        "day, night",
        "all",
        "",
    ]
    people = ["x", "", "many", "1,500", "who?", "open", "Why", "Me"]
    answers = iter([*about, *features, *people])
    said, draft = [], Draft()
    complete(draft, lambda question: next(answers), said.append)
    assert next(answers, None) is None
    assert draft.missing() == []
    study = draft.study()
    assert (study.name, study.epsilon, draft.people, draft.access) == ("Night", 1.0, 1500, "open")
    assert [(f.name, f.private) for f in study.features] == [("age", False), ("work", True)]
    refused = [line for line in said if line.startswith("  ")]
    assert len(refused) == 10
    assert all("must be" in line or "needs" in line for line in refused)


def test_what_is_known_is_not_asked_for():
    draft = Draft("a", 1.0, Item("label", Number(0, 1)), [Item("x", Number(0, 1))], people=10)
    complete(draft, lambda question: pytest.fail(question), lambda line: None)


def test_check_says_what_is_asked_and_guaranteed(here, capsys):
    cli.main(SLEEP)
    capsys.readouterr()
    assert cli.main(["study", "check", "study.toml"]) == 0
    out = capsys.readouterr().out
    assert "age: a number from 18 to 100; public or private, as each chooses" in out
    assert "work: one of 3 values (day, night, none); private for everyone" in out
    assert "e^2 = 7.39 times as likely" in out
    assert "at most 88.08 % sure" in out
    assert "2,000 people are expected, by a link for each of them" in out


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("[collection]", "[other]", "other"),
        ("people = 2000", "peple = 2000", "peple"),
        ("epsilon = 2.0", "epsilon = 'two'", "epsilon"),
        ('name = "Sleep"', "name = ", "TOML"),
        ("[collection.questions.age]", "[collection.questions.ages]", "ages"),
    ],
)
def test_check_refuses_in_a_sentence(old, new, what, here, capsys):
    cli.main(SLEEP)
    text = (here / "study.toml").read_text()
    assert old in text
    (here / "study.toml").write_text(text.replace(old, new))
    capsys.readouterr()
    assert cli.main(["study", "check", "study.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert what in err


def test_check_advises(here, capsys):
    cli.main([*SLEEP, "--epsilon", "9", "--people", "50", "--access", "open", "--closes", "2020-01-01T00:00:00Z"])
    study, collection = read_whole(here / "study.toml")
    remarks = " ".join(advice(study, collection, datetime(2025, 1, 1, tzinfo=UTC)))
    for word in ("protects little", "No model can come of it", "has passed", "open link", "`description`"):
        assert word in remarks
    assert advice(study, None, datetime.now(UTC)) == [remarks.split(" No model")[0]]


def test_a_file_that_is_not_there(here, capsys):
    assert cli.main(["study", "check", "nothing.toml"]) == 2
    assert "could not be read" in capsys.readouterr().err


def test_a_device_reads_the_same_file_without_the_collection(here):
    cli.main(SLEEP)
    assert Study.read(here / "study.toml") == read_whole(here / "study.toml")[0]
