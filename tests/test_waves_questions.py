"""With many people, windows and the plan itself: a question depends on earlier reports and on what is public, only."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from semildp.client import People, answer, enrol, ready
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.models import Model
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.columns import Marks
from semildp.wire.messages import AskLabel, AskPair
from semildp.wire.verify import verify
from tests.battery.waves import PROTOCOL, own_question

N = 700  # enough for windows to be found
EPSILON = 4.0
SPENT = {"split": (EPSILON,), "both": (EPSILON / 3, 2 * EPSILON / 3)}


def study(participation: str) -> Study:
    return Study(
        name="many people in waves",
        epsilon=EPSILON,
        label=Number(-3, 3),
        features=(Feature("a", Number(0, 1)), Feature("k", Category(("u", "v", "w"))), Feature("b", Number(0, 1))),
        participation=participation,
    )


@cache
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Private are a number and a category; a few people hide something else."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(N), rng.integers(0, 3, N), rng.random(N)])
    y = 1.2 * (X[:, 0] > 0.5) - 0.6 + 0.4 * (X[:, 1] == 1) + X[:, 2] - 0.5 + 0.1 * rng.normal(size=N)
    mask = np.tile([True, True, False], (N, 1))
    mask[::9] = True, False, True
    mask[5::50] = False
    return X, y, mask


def changed(person: int) -> People:
    """Return everybody, one of them with other private values and another label."""
    X, y, mask = (part.copy() for part in rows())
    X[person] = np.where(mask[person], [1 - X[person, 0], 2 - X[person, 1], 1 - X[person, 2]], X[person])
    y[person] = -3.0 if y[person] > 0 else 3.0
    return ready(study("split"), X, y, mask, SeededSource(0))


def run(participation: str, people: People, forced: dict[int, tuple[int, list[int]]]) -> list[Collected]:
    """Run all waves; `forced` says, by wave, that a person sends these numbers, whatever they have."""
    state = State(study(participation), enrol(people), {"cohort": SeededSource(1)})
    while not isinstance(wave := PROTOCOL.next(state), Model):
        answers = tuple(_sent(state, wave, k, people, forced) for k in range(len(wave.asked)))
        state.done.append(Collected(wave, answers))
    return state.done


def _sent(state: State, wave: Wave, k: int, people: People, forced: dict) -> tuple[Marks, ...]:
    asked, number = wave.asked[k], len(state.done)
    source = SeededSource(1000 * number + k)
    (marks,) = answer(state.study, asked.question, people[asked.people], source, asked.centres)
    who, numbers = forced.get(number, (-1, []))
    for i in np.flatnonzero(asked.people == who):
        own = Marks(np.array([len(numbers)]), np.array(numbers, dtype=np.int64))
        marks = Marks.concatenate([marks[: int(i)], own, marks[int(i) + 1 : len(marks)]])
    return (marks,)


def shown(done: list[Collected]) -> list[object]:
    """Return all that each wave asked of everybody."""
    return [[(encode(a.question), a.people.tobytes(), _bytes(a.centres)) for a in each.wave.asked] for each in done]


def _bytes(centres: np.ndarray | None) -> bytes:
    return b"" if centres is None else centres.tobytes()


def reports_of(done: list[Collected], person: int) -> dict[int, tuple[int, list[int]]]:
    """Return what a person sent, by wave."""
    return {w: (person, each.answers[k][0].of(i)) for w, each in enumerate(done) for k, i in _places(each, person)}


def _places(each: Collected, person: int) -> list[tuple[int, int]]:
    return [(k, int(i)) for k, a in enumerate(each.wave.asked) for i in np.flatnonzero(a.people == person)]


def asked_of(done: list[Collected], person: int) -> list[tuple[Asked, int]]:
    return [(each.wave.asked[k], i) for each in done for k, i in _places(each, person)]


@cache
def honest(participation: str) -> list[Collected]:
    X, y, mask = rows()
    return run(participation, ready(study(participation), X, y, mask, SeededSource(0)), {})


def test_the_study_is_one_worth_testing():
    """Windows narrow, features are asked about, one and two at a time, and people of all masks are asked."""
    asks = [a.question.asks[0] for each in honest("split") for a in each.wave.asked]
    labels, pairs = [a for a in asks if isinstance(a, AskLabel)], [a for a in asks if isinstance(a, AskPair)]
    assert labels[-1].high - labels[-1].low < 5
    assert {len(a.partition.features) for a in pairs} >= {0, 2}


@pytest.mark.parametrize("participation", ["split", "both"])
def test_what_anyone_is_asked_depends_on_reports_and_not_on_what_is_private(participation):
    """Of someone from every wave: other private values with the same reports change nothing anyone is asked."""
    done = honest(participation)
    for wave in range(0, len(done), 2):
        person = int(done[wave].wave.asked[0].people[0])
        again = run(participation, changed(person), reports_of(done, person))
        assert shown(again) == shown(done)


def test_a_report_changes_later_questions_and_no_earlier_ones():
    """One label report at the other end moves windows or centres: questions really depend on reports."""
    done = honest("split")
    person = int(done[4].wave.asked[0].people[0])
    values = done[4].wave.asked[0].question.asks[0].mechanism.values
    before, after = shown(done), []
    for sent in ([0], [values]):
        other = run("split", changed(person), {4: (person, sent)})
        assert shown(other)[:5] == before[:5]
        after.append(shown(other)[5:])
    assert after[0] != after[1]


@pytest.mark.parametrize("participation", ["split", "both"])
def test_everyone_spends_epsilon_and_nobody_more(participation):
    """Once with all of it, or twice with parts that add up to it exactly; every question keeps what it says."""
    done, (_, _, mask) = honest(participation), rows()
    for person in range(N):
        asked = asked_of(done, person)
        spent = [asked.question.asks[0].epsilon for asked, _ in asked]
        assert spent == pytest.approx(SPENT[participation], abs=1e-12)
        assert sum(Fraction(each) for each in spent) <= Fraction(EPSILON)
        for each, _ in asked:
            ask = each.question.asks[0]
            assert not isinstance(ask, AskPair) or mask[person, list(ask.partition.features)].all()
    for each in done:
        for asked in each.wave.asked:
            verify(study(participation), own_question(asked, 0), 3)
