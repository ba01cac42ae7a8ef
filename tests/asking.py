"""Studies, questions of every kind and honest people: shared by the tests of what the curator does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from semildp.client import People, answer, enrol, ready
from semildp.curator import JointTerms
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse, PairResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_cell, ask_label
from semildp.sources import SeededSource, Source
from semildp.study import Category, Feature, Number, Study
from semildp.wire.columns import Answers, Enrolled, Marks
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import Ask, AskBins, AskHistogram, AskPair, AskSigned, Question

TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
CENTRES = np.array([0.2, 0.4, 0.6, 0.8])
COLOURS = Category(("red", "green", "blue"))
PAIR_KINDS = ("generalised", "subset", "paired")


def study_of(epsilon: float = 2.0, *, hide: bool = False, category: bool = False) -> Study:
    """Three features on [0, 1], the first in bins, or one of three colours; the label on [0, 1]."""
    first = Feature("a", COLOURS if category else Number(0, 1))
    features = (first, Feature("b", Number(0, 1)), Feature("c", Number(0, 1)))
    return Study(name="asking", epsilon=epsilon, label=Number(0, 1), features=features, hide_mask=hide)


def partition_of(study: Study) -> Partition:
    """Three bins, or one per colour, times four leaves."""
    return Partition(study.bounds, (0,), (3,), TREE)


PARTITION = partition_of(study_of())


def question_of(study: Study, *asks: Ask) -> Question:
    return Question(study.digest, 1, asks)


def crowd(study: Study, n: int, seed: int = 0, private: float = 0.5) -> People:
    """People with personal masks; each entry is private with this probability."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    if study.n_values[0]:
        X[:, 0] = rng.integers(0, 3, n)
    return ready(study, X, rng.uniform(size=n), rng.uniform(size=(n, 3)) < private, SeededSource(seed))


def ask_pair(study: Study, feature: int, code: PairResponse, reach: float = 0.5) -> AskPair:
    """Ask for one feature's bin and the residual; who makes it public has one candidate."""
    partition = Partition(study.bounds, (feature,), (code.n_candidates,), Tree())
    alone = PairResponse(code.epsilon, 1, code.levels, code.kind)
    codes = by_size([(1, alone.mechanism), (code.n_candidates, code.mechanism)])
    return AskPair(partition_message(partition), (0.0,), reach, codes, code.epsilon)


def ask_signed(study: Study, features: tuple[int, ...], epsilon: float, levels: int = 3) -> AskSigned:
    """Ask for the residual, turned round in every second cell of these features."""
    partition = Partition(study.bounds, features, tuple(study.n_values[j] or 4 for j in features), Tree())
    signs = tuple(1 - 2 * (cell % 2) for cell in range(partition.n_cells))
    mechanism = mechanism_message(GeneralisedResponse(epsilon, levels))
    return AskSigned(partition_message(partition), signs, 0.5, mechanism, epsilon)


def ask_bins(study: Study, epsilon: float, bins: int = 4) -> AskBins:
    sizes = [values or bins for values in study.n_values]
    return AskBins(tuple(mechanism_message(GeneralisedResponse(epsilon, size)) for size in sizes), epsilon)


def ask_histogram(study: Study, epsilon: float, steps: int = 64) -> AskHistogram:
    noise = [mechanism_message(DiscreteLaplace(part, steps)) for part in (epsilon / 4, epsilon / 2)]
    return AskHistogram(partition_message(partition_of(study)), 0.0, 1.0, *noise, epsilon)


def joint_terms(study: Study, epsilon: float, spread: float = 0.2) -> JointTerms:
    return JointTerms(partition_of(study), CENTRES, 0.5, spread, epsilon)


def _pair(kind: str, feature: int) -> Callable[[Study, Enrolled, float], Ask]:
    def ask(study: Study, enrolled: Enrolled, epsilon: float) -> Ask:
        size = study.n_values[feature] or 4
        return ask_pair(study, feature, PairResponse(epsilon, size, 2 if kind == "paired" else 3, kind))

    return ask


# Every kind of ask, by every mechanism it can have.
ASKS: dict[str, Callable[[Study, Enrolled, float], Ask]] = {
    "label, laplace": lambda s, e, eps: ask_label("laplace", 0.0, 1.0, eps),
    "label, window": lambda s, e, eps: ask_label("window", 0.0, 1.0, eps),
    "cell, grr": lambda s, e, eps: ask_cell(partition_of(s), "grr", eps, e),
    "cell, rr": lambda s, e, eps: ask_cell(partition_of(s), "rr", eps, e),
    **{f"pair, {kind}": _pair(kind, 0) for kind in PAIR_KINDS},
    "pair, of a number": _pair("subset", 2),
    "signed": lambda s, e, eps: ask_signed(s, (0,), eps),
    "signed, by two features": lambda s, e, eps: ask_signed(s, (2, 0), eps, 2),
    "joint": lambda s, e, eps: joint_terms(s, eps).ask(e),
    "bins": lambda s, e, eps: ask_bins(s, eps / 3),
    "histogram": lambda s, e, eps: ask_histogram(s, eps),
}


def asked(name: str, study: Study, people: People) -> tuple[Question, Enrolled]:
    """Return a question of this kind for these people, with all of epsilon."""
    enrolled = enrol(people)
    return question_of(study, ASKS[name](study, enrolled, study.epsilon)), enrolled


def said(name: str, study: Study, people: People, source: Source) -> tuple[Question, Enrolled, Answers]:
    """Return the same with the people's answers."""
    question, enrolled = asked(name, study, people)
    return question, enrolled, answer(study, question, people, source)


def marks_of(numbers: Iterable[Iterable[int]]) -> Marks:
    """Lay down what each person sent, as it is."""
    rows = [list(row) for row in numbers]
    value = np.array([n for row in rows for n in row], dtype=np.int64)
    return Marks(np.array([len(row) for row in rows], dtype=np.int64), value)


def lists_of(marks: Marks) -> list[list[int]]:
    """Return what each person sent."""
    return [marks.of(person) for person in range(len(marks))]
