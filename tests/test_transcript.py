"""What the transcript says is spent: never less than the questions cost, for every protocol, refused ones included."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from semildp import masks
from semildp.client import answer, enrol, ready
from semildp.curator.intake import question_bytes, take_reports
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.models import Model
from semildp.protocols import PROTOCOLS, conduct, protocol_of
from semildp.protocols.asks import ask_label
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import digest, encode
from semildp.wire.costs import cost_at_most, own_cost
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskBins, AskCell, AskPair
from semildp.wire.people import write_report
from tests.asking import ask_bins, question_of, study_of

N = 150
MASKS = {
    "aligned": lambda n: masks.aligned(n, 4, [0, 2]),
    "personal": lambda n: masks.heavy_tail(n, 4, 1.0),
    "nothing": lambda n: np.zeros((n, 4), dtype=bool),
    "everything": lambda n: np.ones((n, 4), dtype=bool),
}
SETTINGS = {"hist-of-tree": {"depth": 2, "bins": 2}, "hist-of-tree-joint": {"depth": 2, "bins": 2}}


def crowd(n=N):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(size=(n, 2)), rng.integers(0, 3, n), rng.uniform(-1, 1, n)])
    return X, np.clip(X[:, 0] + X[:, 1] + 0.3 * X[:, 2] + X[:, 3] + 0.1 * rng.normal(size=n), -1, 4)


def study_for(protocol, how, epsilon):
    return Study(
        name="transcript",
        epsilon=epsilon,
        label=None if protocol == "hist-of-tree-density" else Number(-1, 4),
        features=(
            Feature("a", Number(0, 1)),
            Feature("b", Number(0, 1)),
            Feature("c", Category(("red", "green", "blue"))),
            Feature("d", Number(-1, 1)),
        ),
        protocol=protocol,
        settings=SETTINGS.get(protocol, {}),
        participation=how,
        hide_mask=protocol == "private-histogram",
    )


def literal_cost(study, question, enrolled, person):
    """What an answer costs one person, by the definitions: a sum of fractions."""
    total = Fraction(0)
    for ask in question.asks:
        if isinstance(ask, AskBins):
            total += Fraction(ask.epsilon) * int(enrolled.mask[person].sum())
        elif isinstance(ask, AskCell) and len(cells_of(study, ask, enrolled, person)) == 1:
            continue  # public knowledge
        else:
            total += Fraction(ask.epsilon)
    return total


def cells_of(study, ask, enrolled, person):
    """Which cells the person could be in: those of all rows that agree where it is public, on a fine lattice."""
    partition = read_partition(ask.partition, study.bounds)
    low, high = np.array(study.bounds.low), np.array(study.bounds.high)
    lattice = [
        np.linspace(low[j], high[j], 25) if enrolled.mask[person, j] else enrolled.public[person, j : j + 1]
        for j in range(4)
    ]
    used = sorted({*partition.histogram_features, *(f for f in partition.tree.feature if f >= 0)})
    rows = np.array(list(itertools.product(*(lattice[j] if j in used else lattice[j][:1] for j in range(4)))))
    return np.unique(partition.cell(rows))


def cases():
    """Every protocol with every mask; epsilons take turns, so that a protocol has both, and so has a mask."""
    for (p, protocol), (h, how), (m, mask) in itertools.product(*map(enumerate, (PROTOCOLS, ("split", "both"), MASKS))):
        epsilon = (0.7, 4.0)[(p + h + m) % 2]
        if protocol == "hist-of-tree" and how == "split":
            continue  # label and cell apart need both waves of everyone
        if protocol == "label-tree" and mask != "nothing":
            continue  # protects no feature
        yield pytest.param(protocol, how, mask, epsilon, id=f"{protocol}-{how}-{mask}-{epsilon}")


def check(study, transcript, enrolled, costs):
    """Hold a transcript against exact costs, person by person."""
    for i, cost in enumerate(costs):
        stated = float(transcript.total[i])
        assert cost <= Fraction(stated) <= Fraction(study.epsilon), "never less, and never more than was agreed"
        assert cost > Fraction(float(np.nextafter(stated, 0.0))) or cost == 0, "the next float is too little"
        assert transcript.label[i] + transcript.features[i] == pytest.approx(stated, rel=1e-14)
    assert transcript.most == max(transcript.total)
    assert sum(s.n_people for s in transcript.spent) == len(enrolled)
    for s in transcript.spent:
        same = (transcript.label == s.label_epsilon) & (transcript.features == s.feature_epsilon)
        assert (same & (enrolled.mask.sum(axis=1) == s.n_private)).sum() == s.n_people


@pytest.mark.parametrize(("protocol", "how", "mask", "epsilon"), list(cases()))
def test_what_is_spent_is_what_the_questions_cost(protocol, how, mask, epsilon):
    study, (X, y) = study_for(protocol, how, epsilon), crowd()
    protocol_ = protocol_of(study)
    sources = {name: SeededSource(i) for i, name in enumerate(protocol_.streams)}
    result = simulate(study, X, y, MASKS[mask](N), sources=sources)
    enrolled, transcript = result.state.enrolled, result.transcript
    costs = [Fraction(0)] * N
    for entry in transcript.entries:
        assert entry.digest == digest(encode(entry.question))
        assert len(set(entry.people.tolist())) == len(entry.people)
        for person in entry.people:
            cost = literal_cost(study, entry.question, enrolled, int(person))
            assert cost == own_cost(entry.question, study, enrolled[person : person + 1])
            assert cost <= cost_at_most(entry.question, int(enrolled.mask[person].sum()))
            costs[person] += cost
    check(study, transcript, enrolled, costs)
    assert result.model.spent == transcript.spent
    asked = [p for done in result.state.done for a in done.wave.asked for p in a.people.tolist()]
    assert sorted(asked) == sorted(p for entry in transcript.entries for p in entry.people.tolist())
    if how == "split":
        assert len(set(asked)) == len(asked), "nobody is asked twice"


def test_a_label_alone_and_both_together_are_told_apart():
    """Where the cell is public knowledge only the label is private in a pair; else all of it counts for features."""
    study, (X, y) = study_for("hist-of-tree-joint", "split", 4.0), crowd()
    mask = MASKS["personal"](N)
    result = simulate(study, X, y, mask, sources={n: SeededSource(0) for n in protocol_of(study).streams})
    second = result.state.done[1].wave.asked[0]
    (ask,) = second.question.asks
    assert isinstance(ask, AskPair)
    alone = read_partition(ask.partition, study.bounds).count(X[second.people], mask[second.people]) == 1
    assert alone.any()
    assert not alone.all()
    assert result.transcript.features[second.people].tolist() == np.where(alone, 0.0, 4.0).tolist()
    assert (result.transcript.label + result.transcript.features == 4.0).all()


@pytest.mark.parametrize("seed", range(20))
def test_rounding_never_makes_less_of_it(seed):
    """Somebody asked many times, with epsilons that no binary fraction is: the sum is never below the exact one."""
    rng = np.random.default_rng(seed)
    study, n = study_of(1000.0), 6
    mask = np.tri(n, 3, dtype=np.bool_)
    enrolled = enrol(ready(study, rng.uniform(size=(n, 3)), rng.uniform(size=n), mask, SeededSource(0)))
    done, costs = [], [Fraction(0)] * n
    for epsilon in rng.uniform(0.01, 1.0, 12):
        asks = (ask_label("window", 0.0, 1.0, float(epsilon)), ask_bins(study, float(epsilon) / 3))
        question = question_of(study, *asks[: rng.integers(1, 3)])
        done.append(Collected(Wave("x", (Asked(question, np.arange(n)),))))
        for i in range(n):
            costs[i] += own_cost(question, study, enrolled[i : i + 1])
    check(study, Transcript.of(State(study, enrolled, {}, done)), enrolled, costs)


def spoiled(protocol, how):
    """Conduct a study in bytes; in each wave every tenth person sends something that is refused."""
    study, (X, y) = study_for(protocol, how, 4.0), crowd()
    mask = MASKS["nothing" if protocol == "label-tree" else "personal"](N)
    protocol_ = protocol_of(study)
    sources = {name: SeededSource(i) for i, name in enumerate(protocol_.streams)}
    people = ready(study, X, y, mask, sources["fill"])
    state, told = State(study, enrol(people), sources), []

    def collect(wave):
        raw = []
        for asked in wave.asked:
            sent = answer(study, asked.question, people[asked.people], sources[wave.stream], asked.centres)
            names = [digest(question_bytes(asked, i)) for i in range(len(asked.people))]
            raw.append([encode(write_report(name, sent, i)) for i, name in enumerate(names)])
            told.append((asked.question, asked.people))
            for i in np.flatnonzero(asked.people % 10 == len(told) % 10):
                raw[-1][i] = raw[-1][i][:-1]
        done, refused = take_reports(state, wave, raw)
        assert refused
        return done

    return study, state, told, conduct(protocol_, state, collect)


@pytest.mark.parametrize(
    ("protocol", "how"), [(p, h) for p in PROTOCOLS for h in ("split", "both") if (p, h) != ("hist-of-tree", "split")]
)
def test_whose_report_was_refused_has_spent_all_the_same(protocol, how):
    """They sent it. And nobody is asked again for it: in a split study each person answers once."""
    study, state, told, (model, transcript) = spoiled(protocol, how)
    costs = [Fraction(0)] * N
    times = np.zeros(N, dtype=int)
    for question, asked in told:
        times[asked] += 1
        for person in asked:
            costs[person] += own_cost(question, study, state.enrolled[person : person + 1])
    check(study, transcript, state.enrolled, costs)
    assert isinstance(model, Model)
    told_of = model.predict(crowd()[0])[0] if study.label is not None else model.log_density(crowd()[0])
    assert np.isfinite(told_of).all()
    if how == "split":
        assert times.max() == 1
