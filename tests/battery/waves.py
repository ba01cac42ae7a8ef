"""An adaptive study of a few people, enumerated: every report someone may send, and what all later waves ask then.

The curator's own code plans every wave from the reports before it, and the device's own code answers, to the bytes
(`battery.travels`). One person's private inputs are changed. A path is everything the curator sees: who is asked what,
with which centre, what they send, and the model in the end. Its probability under each input is the product of the
person's own reports; all else must be the same under all inputs, or the ratio is infinite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from semildp.client import enrol, ready
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.models import Model
from semildp.protocols import SemiPrivate
from semildp.sources import SeededSource
from semildp.study import Category, Classes, Feature, Number, Study
from semildp.wire.codec import decode, encode
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.messages import Question, Report
from semildp.wire.people import read_reports
from tests.battery.travels import Law, law_of, log_up

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
EPSILON = 1.0
SETTINGS = ("number", "category", "two together", "personal masks", "hidden masks")
PEOPLE = {"split": 4, "both": 3}  # so few that every wave has one person or two; in three and two waves more


@dataclass(frozen=True, eq=False)
class Inputs:
    """Everybody's raw rows, labels and masks."""

    rows: Floats
    labels: Floats
    masks: Bools

    def changed(self, person: int, row: Sequence[float], label: float, mask: Sequence[bool]) -> Inputs:
        """Return other private inputs of one person."""
        new = Inputs(self.rows.copy(), self.labels.copy(), self.masks.copy())
        new.rows[person], new.labels[person], new.masks[person] = row, label, mask
        return new


class Lines(RegressorMixin, BaseEstimator):
    """Least squares, a missing entry being 0: the prediction follows from every report, and is quick."""

    def fit(self, X: Floats, y: Floats, sample_weight: Floats) -> Lines:
        """Find mean and slopes."""
        root = np.sqrt(sample_weight)
        self.slopes_ = np.linalg.lstsq(_with_ones(X) * root[:, None], y * root, rcond=None)[0]
        return self

    def predict(self, X: Floats) -> Floats:
        """Predict."""
        return np.asarray(_with_ones(X) @ self.slopes_)

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _with_ones(X: Floats) -> Floats:
    return np.column_stack([np.ones(len(X)), np.nan_to_num(X)])


Next = Callable[[State], Wave | Model]
Peeking = Callable[[State, Inputs], Wave | Model]
PROTOCOL = SemiPrivate(learner=Lines())
NUMBER = Number(-1, 1)
MOST = 4  # reports of a person that are all followed; of more, so many


def small_study(setting: str, participation: str, label: Number | Classes = NUMBER) -> Study:
    """Return a study of a number, a category and a public number."""
    return Study(
        name="a few people in waves",
        epsilon=EPSILON,
        label=label,
        features=(
            Feature("a", Number(0, 1)),
            Feature("k", Category(("red", "green", "blue") if setting == "category" else ("red", "green"))),
            Feature("b", Number(0, 1)),
        ),
        participation=participation,
        hide_mask=setting == "hidden masks",
    )


def small_inputs(setting: str, participation: str) -> Inputs:
    """Return a few people; with personal masks the first hides least, and not what the others hide."""
    n = PEOPLE[participation]
    rows = np.column_stack([np.linspace(0.2, 0.9, n), np.arange(n) % 2, np.linspace(0.8, 0.1, n)])
    masks = np.zeros((n, 3), dtype=bool)
    masks[:, 0] = setting != "category"
    masks[:, 1] = setting in ("category", "two together", "personal masks")
    if setting == "personal masks":
        masks[0] = False, False, True
    return Inputs(rows, np.linspace(-0.5, 0.7, n), masks)


def private_inputs(study: Study, inputs: Inputs, person: int) -> list[Inputs]:
    """Return inputs that nobody may tell apart: this person's private values, label, and mask if it is hidden."""
    own, row = inputs.masks[person], inputs.rows[person]
    last = (study.n_values[1] or 2) - 1
    ends = [(0.1, 0.9), (0.0, float(last)), (0.3, 0.7)]
    masks = [own] if not study.hide_mask else [own, ~own]
    hidden = np.ones(3, dtype=bool) if study.hide_mask else own
    each = [both if h else (v,) for both, h, v in zip(ends, hidden, row, strict=True)]
    labels = (-1.0, 1.0) if isinstance(study.label, Number) else tuple(map(float, range(len(study.classes))))
    every = list(itertools.product(itertools.product(*each), labels, masks))
    return [inputs.changed(person, *one) for one in (every if len(every) <= 8 else every[::3])]


@dataclass(eq=False)
class Enumeration:
    """The worst ratio over all paths.

    Of the person all reports count; later waves are planned after `MOST` of them at most, and after one or two of
    everybody else. `asked` holds all questions that each person may get.

    Parameters
    ----------
    study, inputs, person
        The study, and everybody's inputs, which differ in what is private of one person.
    next
        The curator. It gets nothing but the state, which is the same for all inputs: so it is asked once for all.
    peeking
        A broken curator instead, which looks at raw inputs; it is asked under a few: labels differ, or everything.
    planned
        What came next after all reports so far, shared by enumerations of the same people with the same curator.
    """

    study: Study
    inputs: list[Inputs]
    person: int
    next: Next = PROTOCOL.next
    peeking: Peeking | None = None
    planned: dict[tuple[bytes, ...], Wave | Model] = field(default_factory=dict)
    worst: Fraction = Fraction(1)
    told: bool = False
    waves: int | None = None
    asked: dict[int, set[bytes]] = field(default_factory=dict)
    _laws: dict[tuple[bytes, int], list[Law]] = field(default_factory=dict)

    @property
    def log_ratio(self) -> float:
        """The worst log ratio, rounded up; infinite if questions, or who gets them, tell inputs apart."""
        return float("inf") if self.told else log_up(self.worst)

    def run(self) -> Enumeration:
        """Follow all paths."""
        self.told = len({_enrolment(self._enrolled(inputs)) for inputs in self.inputs}) > 1
        self._from([], (), [Fraction(1)] * len(self.inputs))
        return self

    def _from(self, done: list[Collected], before: tuple[bytes, ...], chances: list[Fraction]) -> None:
        if self.told or len(done) == self.waves:
            return
        wave = self._next(done, before)
        if self.told or isinstance(wave, Model):
            self.waves = len(done) if self.peeking is None else None
            return
        senders = [(k, i) for k, asked in enumerate(wave.asked) for i in range(len(asked.people))]
        for k, i in senders:
            questions = self.asked.setdefault(int(wave.asked[k].people[i]), set())
            questions.add(encode(own_question(wave.asked[k], i)))
        laws = [self._laws_of(wave.asked[k], i) for k, i in senders]
        others = 2 if self.study.participation == "split" else 1
        for sent in itertools.product(*(_some(each, others) for each in laws)):
            after = chances
            for report, each in zip(sent, laws, strict=True):
                after = self._times(after, each, report)
            self._from([*done, _collected(wave, senders, sent)], (*before, *sent), after)
        for each in laws:
            for report in set().union(*each):
                found = self._times(chances, each, report)
                self.told = self.told or min(found) == 0
                self.worst = max(self.worst, max(found) / max(min(found), Fraction(1, 2**200)))

    def _times(self, chances: list[Fraction], laws: list[Law], report: bytes) -> list[Fraction]:
        if len(laws) == 1:  # somebody else's report is as likely under all inputs of the person
            return chances
        return [p * law.get(report, Fraction(0)) for p, law in zip(chances, laws, strict=True)]

    def _enrolled(self, inputs: Inputs) -> Enrolled:
        return enrol(ready(self.study, inputs.rows, inputs.labels, inputs.masks, SeededSource(0)))

    def _next(self, done: list[Collected], before: tuple[bytes, ...]) -> Wave | Model:
        """Return what comes next; the curator's own randomness is the same for all inputs."""
        if self.peeking is None:
            if before not in self.planned:
                self.planned[before] = self.next(self._state(self.inputs[0], done))
            return self.planned[before]
        first, second, *_, last = self.inputs
        each = [self.peeking(self._state(inputs, done), inputs) for inputs in (first, second, last)]
        self.told = self.told or len({_shown(wave) for wave in each}) > 1
        return each[0]

    def _state(self, inputs: Inputs, done: list[Collected]) -> State:
        return State(self.study, self._enrolled(inputs), {"cohort": SeededSource(len(done))}, list(done))

    def _laws_of(self, asked: Asked, i: int) -> list[Law]:
        """Return the law of one sender's report: under every input if it is the person, else of what they have."""
        who, question = int(asked.people[i]), own_question(asked, i)
        key = encode(question), who
        if key not in self._laws:
            inputs = self.inputs if who == self.person else self.inputs[:1]
            found = [law_of(self.study, question, x.rows[who], float(x.labels[who]), x.masks[who]) for x in inputs]
            self._laws[key] = found
        return self._laws[key]


def _some(laws: list[Law], others: int) -> list[bytes]:
    """Return reports to be followed: of the person many, of somebody else fewer."""
    every = sorted(set().union(*laws))
    most = MOST if len(laws) > 1 else others
    return every if len(every) <= most else [every[i] for i in np.linspace(0, len(every) - 1, most).astype(int)]


def _enrolment(enrolled: Enrolled) -> tuple[bytes, bytes]:
    return enrolled.public.tobytes(), enrolled.mask.tobytes()


def own_question(asked: Asked, i: int) -> Question:
    """Return the question as one person gets it."""
    return asked.question if asked.centres is None else structs.replace(asked.question, centre=float(asked.centres[i]))


def _shown(wave: Wave | Model) -> object:
    """Return all that can be seen of a wave, or of a model."""
    if isinstance(wave, Model):
        grid = np.array(list(itertools.product((0.1, 0.9), (0.0, 1.0), (0.2, 0.7))))
        return (wave.predict(grid) if isinstance(wave.study.label, Number) else wave.predict_proba(grid))[0].tobytes()
    return tuple(
        (encode(own_question(asked, i)), int(who)) for asked in wave.asked for i, who in enumerate(asked.people)
    )


def _collected(wave: Wave, senders: list[tuple[int, int]], sent: Sequence[bytes]) -> Collected:
    """Return reports as the curator keeps them, read back from the bytes."""
    answers = []
    for k in range(len(wave.asked)):
        reports = [decode(raw, Report) for (q, _), raw in zip(senders, sent, strict=True) if q == k]
        answers.append(tuple(read_reports(reports, 1)))
    assert all(isinstance(marks, Marks) for each in answers for marks in each)
    return Collected(wave, tuple(answers))
