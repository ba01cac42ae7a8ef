"""The curator accepts every honest report, and refuses alone what no honest device could have sent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from semildp.client import answer, enrol
from semildp.curator.admission import admit
from semildp.mechanisms import GeneralisedResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_label
from semildp.sources import SystemSource
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.forms import by_size, partition_message, read_mechanism, read_partition
from semildp.wire.messages import AskCell, Question
from semildp.wire.problems import PROBLEMS
from tests.asking import ASKS, ask_bins, asked, crowd, lists_of, marks_of, question_of, said, study_of

N = 400
BIGGEST = 2**53  # the largest whole number that travels
Lie = Callable[[list[int]], list[int]]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("private", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kind", [{}, {"category": True}, {"hide": True}, {"category": True, "hide": True}], ids=str)
@pytest.mark.parametrize("name", ASKS)
def test_every_honest_report_is_accepted(name, kind, private, epsilon):
    study = study_of(epsilon, **kind)
    for seed in range(2):
        question, enrolled, answers = said(name, study, crowd(study, N, seed, private), SystemSource())
        assert admit(study, question, enrolled, answers).tolist() == [None] * N


def test_answers_to_several_asks_are_judged_together():
    study, people = study_of(3.0), crowd(study_of(), N)
    question = question_of(study, ask_label("window", 0.0, 1.0, 0.5), ask_bins(study, 0.75))
    labels, bins = answer(study, question, people, SystemSource())
    assert not admit(study, question, enrol(people), (labels, bins)).any()
    worse, short = lists_of(labels), lists_of(bins)
    worse[3], short[3], short[7] = [BIGGEST], [], [*short[7], 0]
    found = admit(study, question, enrol(people), (marks_of(worse), marks_of(short)))
    assert {i: problem for i, problem in enumerate(found) if problem} == {3: "out-of-domain", 7: "wrong-count"}


def test_nobody_is_nobody():
    study = study_of()
    for name in ASKS:
        question, enrolled = asked(name, study, crowd(study, 5))
        assert len(admit(study, question, enrolled[:0], (marks_of([]),))) == 0


def put(value: int, place: int = 0) -> Lie:
    return lambda sent: [*sent[:place], value, *sent[place + 1 :]]


ANYWHERE: dict[str, tuple[Lie, str]] = {
    "the largest number": (put(BIGGEST), "out-of-domain"),
    "the smallest number": (put(-BIGGEST), "out-of-domain"),
    "the largest of 64 bits": (put(2**63 - 1), "out-of-domain"),
    "the smallest of 64 bits": (put(-(2**63)), "out-of-domain"),
}
NOTHING, TWICE = (lambda sent: [], "wrong-count"), (lambda sent: [*sent, *sent], "wrong-count")
SINGLE = {**ANYWHERE, "nothing": NOTHING, "twice": TWICE}

# Per kind of ask: what a liar makes of an honest report, and the problem it has.
LIES: dict[str, dict[str, tuple[Lie, str]]] = {
    "label, window": {**SINGLE, "below": (put(-1), "out-of-domain")},
    "label, laplace": {**SINGLE, "beyond all noise": (put(10**6), "out-of-domain")},
    "cell, grr": {**SINGLE, "negative": (put(-1), "out-of-domain"), "no such cell": (put(12), "out-of-domain")},
    "cell, rr": {
        **ANYWHERE,
        "negative": (put(-1), "out-of-domain"),
        "no such cell": (lambda sent: [*sent, 12], "out-of-domain"),
        "a bit twice": (lambda sent: [sent[0], sent[0], *sent[1:]], "repeated-mark"),
        "falling": (lambda sent: sent[::-1], "repeated-mark"),
    },
    "pair, generalised": {
        **SINGLE,
        "no such value": (put(12), "out-of-domain"),
        "negative": (put(-1), "out-of-domain"),
    },
    "pair, subset": {
        **SINGLE,
        "no such value": (lambda sent: [*sent[:-1], 12], "out-of-domain"),
        "one too few": (lambda sent: sent[1:], "wrong-count"),
        "one twice": (lambda sent: [sent[0], sent[0], *sent[2:]], "repeated-mark"),
        "falling": (lambda sent: sent[::-1], "repeated-mark"),
    },
    "pair, paired": {
        **ANYWHERE,
        "no such value": (lambda sent: [*sent, 8], "out-of-domain"),
        "both signs of a candidate": (lambda sent: [0, 1], "repeated-mark"),
        "a mark twice": (lambda sent: [sent[0], sent[0]], "repeated-mark"),
        "falling": (lambda sent: sent[::-1], "repeated-mark"),
    },
    "bins": {
        **ANYWHERE,
        "nothing": NOTHING,
        "one too many": (lambda sent: [*sent, 0], "wrong-count"),
        "one too few": (lambda sent: sent[1:], "wrong-count"),
        "negative": (put(-1), "out-of-domain"),
        "no such bin": (lambda sent: [*sent[:-1], 4], "out-of-domain"),
    },
    "histogram": {
        **ANYWHERE,
        "nothing": NOTHING,
        "one too many": (lambda sent: [*sent, 0], "wrong-count"),
        "one too few": (lambda sent: sent[1:], "wrong-count"),
        "a mass beyond all noise": (put(10**6, 11), "out-of-domain"),
        "a label beyond all noise": (put(-(10**6), 12), "out-of-domain"),
    },
}
LIES["signed"], LIES["signed, by two features"] = (
    {
        **SINGLE,
        "negative": (put(-1), "out-of-domain"),
        "no such level": (put(levels), "out-of-domain"),
        "cell and level": (put(levels + 1), "out-of-domain"),
        "two levels": (lambda sent: [0, 1], "wrong-count"),
    }
    for levels in (3, 2)
)
LIES["joint"] = {**ANYWHERE, "no such cell": (lambda sent: [*sent[:-1], 10**4], "out-of-domain")}
LIES["pair, of a number"] = LIES["pair, subset"]


def test_every_kind_of_ask_has_its_liars():
    assert set(LIES) == set(ASKS)
    assert {problem for lies in LIES.values() for _, problem in lies.values()} <= set(PROBLEMS)


@pytest.mark.parametrize(("name", "lie"), [(name, lie) for name, lies in LIES.items() for lie in lies])
def test_a_report_nobody_could_have_sent_is_refused_alone(name, lie):
    """The liar comes first, last or in between, of those who hide everything and sent two numbers at least if any."""
    study = study_of(1.0)
    question, enrolled, (marks,) = said(name, study, crowd(study, N), SystemSource())
    change, problem = LIES[name][lie]
    hiding = np.flatnonzero(enrolled.mask.all(axis=1) & (marks.count >= min(2, marks.count.max())))
    for liar in hiding[[0, len(hiding) // 2, -1]]:
        sent = lists_of(marks)
        sent[liar] = change(sent[liar])
        expected = [problem if i == liar else None for i in range(N)]
        assert admit(study, question, enrolled, (marks_of(sent),)).tolist() == expected
    everybody = marks_of([*(change(row) for row in lists_of(marks.only(np.isin(np.arange(N), hiding))))])
    assert admit(study, question, enrolled[hiding], (everybody,)).tolist() == [problem] * len(hiding)


PARTITIONED = [
    "cell, grr",
    "cell, rr",
    "pair, generalised",
    "pair, subset",
    "pair, paired",
    "pair, of a number",
    "joint",
]


@pytest.mark.parametrize("name", PARTITIONED)
def test_a_cell_the_person_cannot_be_in_is_refused(name):
    """For everybody and for every cell at once: what is refused is exactly what is not a candidate."""
    study = study_of()
    question, enrolled, (marks,) = said(name, study, crowd(study, 60), SystemSource())
    ask = question.asks[0]
    partition = read_partition(ask.partition, study.bounds)
    size = partition.count(enrolled.public, enrolled.mask)
    possible = np.zeros((60, partition.n_cells), dtype=bool)
    possible[partition.candidates(enrolled.public, enrolled.mask).cells()] = True
    seen = 0
    for person in np.flatnonzero(~possible.all(axis=1)):
        levels = 1 if name.startswith("cell") else ask.mechanisms[str(size[person])].values // size[person]
        for cell in np.flatnonzero(~possible[person]):
            sent = lists_of(marks)
            sent[person] = sorted({*sent[person][1:], int(cell) * levels})
            if len(sent[person]) != marks.count[person]:
                continue  # nothing was marked to begin with
            found = admit(study, question, enrolled, (marks_of(sent),))
            assert found[person] == "not-a-candidate"
            assert sum(problem is not None for problem in found) == 1
            seen += 1
    assert seen > 50


def test_a_public_cell_cannot_be_denied():
    """Who has one candidate sends it, though bits are elsewhere sent or not."""
    study = study_of()
    for name in ("cell, rr", "pair, paired"):
        question, enrolled, (marks,) = said(name, study, crowd(study, N), SystemSource())
        ask = question.asks[0]
        size = read_partition(ask.partition, study.bounds).count(enrolled.public, enrolled.mask)
        sent = [row if k > 1 else [] for row, k in zip(lists_of(marks), size, strict=True)]
        expected = [None if k > 1 else "wrong-count" for k in size]
        assert admit(study, question, enrolled, (marks_of(sent),)).tolist() == expected


def test_marks_of_any_candidates_may_be_honest():
    """Bits and paired marks: none, and all of them, are accepted of whoever has two candidates or more."""
    study = study_of()
    question, enrolled, (marks,) = said("cell, rr", study, crowd(study, N), SystemSource())
    candidates = read_partition(question.asks[0].partition, study.bounds).candidates(enrolled.public, enrolled.mask)
    everything = Marks(candidates.size, candidates.cells()[1])
    assert not admit(study, question, enrolled, (everything,)).any()
    nothing = marks_of([row if k == 1 else [] for row, k in zip(lists_of(marks), candidates.size, strict=True)])
    assert not admit(study, question, enrolled, (nothing,)).any()


def test_each_bin_has_the_domain_of_its_own_feature():
    """A colour has three values, a number four bins: the first hidden feature is not always the first one."""
    study = study_of(3.0, category=True)
    mask = np.array([[True, True, False], [False, True, True], [False, False, False]])
    enrolled = Enrolled(np.where(mask, np.nan, 1.0), mask)
    question = question_of(study, ask_bins(study, 1.0))
    for sent, expected in (
        ([[2, 3], [3, 3], []], [None, None, None]),
        ([[3, 3], [3, 3], []], ["out-of-domain", None, None]),
        ([[2, 4], [3, 4], []], ["out-of-domain", "out-of-domain", None]),
        ([[2], [3, 3], [0]], ["wrong-count", None, "wrong-count"]),
    ):
        assert admit(study, question, enrolled, (marks_of(sent),)).tolist() == expected


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_a_laplace_report_beyond_all_noise_is_refused(epsilon):
    """Once in 2**60 an honest one is. The last that is accepted and the first that is not, on both sides."""
    study = study_of(epsilon)
    ask = ask_label("laplace", 0.0, 1.0, epsilon)
    noise = read_mechanism(ask.mechanism, epsilon)
    ends = [
        [-noise.farthest],
        [-noise.farthest - 1],
        [noise.steps + noise.farthest],
        [noise.steps + noise.farthest + 1],
    ]
    people = Enrolled(np.full((4, 3), 0.5), np.zeros((4, 3), dtype=bool))
    found = admit(study, question_of(study, ask), people, (marks_of(ends),))
    assert found.tolist() == [None, "out-of-domain", None, "out-of-domain"]


def test_histogram_entries_are_held_against_their_own_noise():
    """Masses have half of the labels' epsilon, so they may lie further out; labels count from the grid's middle."""
    study = study_of()
    question, enrolled, (marks,) = said("histogram", study, crowd(study, 1), SystemSource())
    ask = question.asks[0]
    mass, label = (read_mechanism(m, e) for m, e in ((ask.mass, ask.epsilon / 4), (ask.label, ask.epsilon / 2)))
    half = label.steps // 2
    ends = {5: (-mass.farthest, mass.steps + mass.farthest), 20: (-label.farthest - half, half + label.farthest)}
    for place, (low, high) in ends.items():
        for value, expected in ((low, None), (high, None), (low - 1, "out-of-domain"), (high + 1, "out-of-domain")):
            sent = put(value, place)(marks.of(0))
            assert admit(study, question, enrolled, (marks_of([sent]),)).tolist() == [expected]


def test_bins_per_feature_are_read_as_digits_of_their_own():
    """A cell of a 2 x 3 x 5 histogram: the middle feature public, so two thirds of the cells are not candidates."""
    study = study_of()
    partition = Partition(study.bounds, (0, 1, 2), (2, 3, 5), Tree())
    ten = by_size([(10, GeneralisedResponse(2.0, 10))])
    question = Question(study.digest, 1, (AskCell(partition_message(partition), ten, 2.0),))
    mask = np.tile([True, False, True], (30, 1))
    enrolled = Enrolled(np.where(mask, np.nan, 0.5), mask)
    found = admit(study, question, enrolled, (Marks.one_each(np.arange(30)),))
    assert [problem is None for problem in found] == [cell // 5 % 3 == 1 for cell in range(30)]
    assert set(found) == {None, "not-a-candidate"}
