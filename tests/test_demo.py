"""The demo runs, says what it measured, and its page needs nothing but itself."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("tqdm")

from examples.demo import __main__ as command
from examples.demo import app
from examples.demo.contest import EPSILONS, Contest, Size, hold_contest
from examples.demo.methods import HIST_OF_TREE, MEAN, METHODS, OPEN_TREE
from examples.demo.partition_picture import edges_along, fit_pictured
from examples.demo.remarks import write_remarks
from examples.demo.table import text_table

SMALL = Size(n_people=600, n_runs=2, n_fresh=300, pictured=(600, 6_000))
FILES = ("trade_off.png", "trade_off.svg", "partition.png", "masks.png", "index.html")


pytestmark = pytest.mark.xdist_group("demo")  # one worker, so that the demo is run once


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The page of the demo, and the contest that it shows."""
    held = []

    def kept(*args, **options):
        held.append(hold_contest(*args, **options))
        return held[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "hold_contest", kept)
        page = app.run(tmp_path_factory.mktemp("demo"), SMALL, progress=False)
    return page, *held


@pytest.fixture(scope="module")
def finished(shown):
    return shown[0]


@pytest.fixture(scope="module")
def contest(shown):
    return shown[1]


def with_errors(contest: Contest, errors: dict[str, float]) -> Contest:
    """Return the contest as it would be if each method had these errors, give or take a little from run to run."""
    rows = np.array([errors.get(method.name, 1.0) for method in METHODS])
    grid = np.repeat(rows[:, None], len(EPSILONS), axis=1)
    return replace(contest, errors=np.stack([grid, grid * 1.001]))


def test_all_files_are_written(finished):
    for name in FILES:
        assert (finished.parent / name).stat().st_size > 1_000
    assert finished.name == "index.html"


def test_page_is_self_contained(finished):
    page = finished.read_text(encoding="utf-8")
    assert not re.search(r"https?:|<script|<link|@import|url\(", page)
    sources = re.findall(r'\bsrc="([^"]{0,40})', page)
    assert len(sources) == 3
    assert all(source.startswith("data:image/png;base64,") for source in sources)


def test_page_is_filled_and_names_every_method(finished):
    page = finished.read_text(encoding="utf-8")
    assert "$" not in page
    assert "nan" not in re.sub(r"base64,[^\"]*", "", page)
    for method in METHODS:
        assert f'scope="row">{method.name}' in page
    assert "semi-feature local differential privacy" in page


def test_table_has_every_method_and_marks_a_private_one(contest):
    table = text_table(contest)
    for method in METHODS:
        assert re.search(rf"^{method.name} .*(\d\.\d{{3}}\*?\s*){{{len(EPSILONS)}}}$", table, re.MULTILINE)
    for m in contest.winners():
        assert not METHODS[m].reference
    assert table.count("*") == len(EPSILONS) + 1


def test_contest_is_reproducible(contest):
    """The first run alone is the same as the first of two."""
    again = hold_contest(replace(SMALL, n_runs=1), progress=False)
    assert np.array_equal(contest.errors[:1], again.errors)
    assert contest.choices == again.choices


def test_open_tree_is_the_same_at_every_epsilon(contest):
    assert (contest.of(OPEN_TREE) == contest.of(OPEN_TREE)[:, :1]).all()


def test_mean_predicts_one_number():
    X = np.random.default_rng(0).uniform(size=(200, 5))
    model = MEAN.build(1.0, 0).fit(X, X.sum(axis=1))
    assert len(np.unique(model.predict(X))) == 1
    assert model.privacy_.groups[0].label_epsilon == 1.0


@pytest.mark.parametrize(("error", "words"), [(0.5, "clearly lower"), (2.0, "clearly higher"), (1.0, "no clear")])
def test_remarks_follow_the_numbers(contest, error, words):
    remarks = write_remarks(with_errors(contest, {HIST_OF_TREE.name: error}))
    assert re.match(rf"HistOfTree against the plain mean: {words} \w+ at every ε\.", remarks[0])


def test_reference_never_wins(contest):
    cheap = with_errors(contest, {"LabelDT": 0.1, "Tree": 0.01, "KRR": 0.9})
    assert {METHODS[m].name for m in cheap.winners()} == {"KRR"}


def test_cuts_are_those_of_the_partition():
    model = fit_pictured(SMALL)[1]
    cuts = edges_along(model, 0)
    assert np.allclose(cuts, np.linspace(0, 1, model.shape_.bins + 1), atol=1 / 1000)


def test_interrupt_ends_in_one_sentence(monkeypatch, capsys, tmp_path):
    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "run", interrupted)
    assert command.main(["--quick", "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err.strip() == "Stopped before the page was complete."


def test_unwritable_place_ends_in_one_sentence(capsys, tmp_path):
    (tmp_path / "taken").write_text("")
    assert command.main(["--quick", "--out", str(tmp_path / "taken")]) == 1
    assert "Could not write to" in capsys.readouterr().err
