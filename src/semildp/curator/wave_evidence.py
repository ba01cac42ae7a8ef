"""Reading the waves of a SemiPrivate study: label reports, residual reports, and the noisy labels both amount to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.blas import one_blas_thread
from semildp.curator.effects.learning import Answered
from semildp.curator.effects.people import Chosen, Joined, batches
from semildp.curator.effects.reports import EffectReports
from semildp.curator.label_law import LabelLaw, label_law
from semildp.curator.leaning import Leaning
from semildp.curator.learning.rows import Column
from semildp.curator.noisy import NoisyLabels
from semildp.curator.numbers import LabelReports, NumberGroups, ResidualReports
from semildp.curator.pair_plan import cut_normal, guessed_variance
from semildp.curator.waves import Asked, State
from semildp.domains import RANDOM_ROUNDING, LabelGrid
from semildp.mechanisms import WindowResponse
from semildp.study import Study
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.forms import read_mechanism, read_pair_response
from semildp.wire.messages import AskLabel, AskPair, AskSigned

FEWEST = 200  # label reports on a fine grid: what fewer tell of the spread of labels is weighed against a guess
LEAST_SPREAD = 0.01  # mean square of residuals, in units of the squared reach: a deviation of a tenth of it, at least

_LAWS: WeakKeyDictionary[State, tuple[list[Ints], LabelLaw]] = WeakKeyDictionary()  # reports, and what they tell


_HIDDEN: WeakKeyDictionary[Enrolled, tuple[int, ...]] = WeakKeyDictionary()


def hidden_by_most(enrolled: Enrolled) -> tuple[int, ...]:
    """Return the features that most people hide; they are counted once."""
    if enrolled not in _HIDDEN:
        _HIDDEN[enrolled] = tuple(np.flatnonzero(enrolled.mask.mean(axis=0) > 0.5).tolist())
    return _HIDDEN[enrolled]


def label_groups(state: State) -> Iterator[tuple[AskLabel, Ints, Ints]]:
    """Yield the ask, the people and their reports of every wave that asked for labels."""
    for done in state.done:
        for asked, answers in zip(done.wave.asked, done.answers, strict=True):
            ask = asked.question.asks[0]
            if isinstance(ask, AskLabel):
                yield ask, asked.people, answers[0].value


def residual_groups(state: State) -> Iterator[tuple[EffectReports, Ints, Floats, float]]:
    """Yield the reports, the people, the centres and the lean of every question for residuals.

    Cut residuals are 0 on average where the centre less the lean is the mean.
    """
    leans: Leaning | None = None
    for reports, asked, unit in _about_residuals(state):
        leans = leans or leaning(state)
        centres = asked.centres
        if centres is None:
            centres = np.broadcast_to(np.float64(asked.question.centre), len(asked.people))
        yield reports, asked.people, centres, unit**0.5 * leans.at(reports.reach / unit**0.5, unit)


def _about_residuals(state: State) -> Iterator[tuple[EffectReports, Asked, float]]:
    """Yield the reports to every question for residuals, who was asked what, and the variance that residuals had."""
    for done in state.done:
        for asked, answers in zip(done.wave.asked, done.answers, strict=True):
            ask = asked.question.asks[0]
            if isinstance(ask, AskPair | AskSigned):
                unit = done.wave.facts["unit"]
                yield residual_reports(ask, answers[0], cut_normal(ask.reach / unit**0.5)[0]), asked, unit


def told_about(state: State) -> dict[tuple[int, ...], float]:
    """Return what all residual reports so far tell of where people are; see `told_by`."""
    return told_by(reports for reports, _, _ in _about_residuals(state))


def told_by(questions: Iterable[EffectReports]) -> dict[tuple[int, ...], float]:
    """Return, for private features and pairs of them, how many people whose cells are known would tell as much of it.

    What is told of a pair is told of each of the two.
    """
    told: dict[tuple[int, ...], float] = {}
    for reports in questions:
        if reports.signs is None and len(reports):
            group = tuple(sorted(reports.features))
            for part in {group, *((j,) for j in group)}:
                told[part] = told.get(part, 0.0) + reports.weight
    return told


def leaning(state: State) -> Leaning:
    """Return how far cut residuals lean to one side, as all label reports so far tell."""
    return Leaning(law_of(state), _told(state))


def _told(state: State) -> float:
    """Return the inverse variance with which label reports tell of a mean."""
    return sum(len(sent) / _noise(ask, sent) for ask, _, sent in label_groups(state))


@one_blas_thread()
def law_of(state: State) -> LabelLaw:
    """Estimate where labels lie, from all label reports so far; waves without any leave the last estimate as it is."""
    groups = [(ask, sent) for ask, _, sent in label_groups(state)]
    before, law = _LAWS.get(state, ([], None))
    same = len(before) == len(groups) and all(old is new for old, (_, new) in zip(before, groups, strict=True))
    if law is None or not same:
        law = label_law(groups)
        _LAWS[state] = [sent for _, sent in groups], law
    return law


def pooled(state: State, columns: tuple[int, ...], learner: Any) -> NoisyLabels:
    """Put the labels of all waves together, each with its variance.

    Residuals that were cut are stretched by as much as normal ones lose.
    Label reports in a window that does not cover the last one are left out: they were cut elsewhere.
    """
    study, groups = state.study, list(label_groups(state))
    law, told = law_of(state), _told(state)
    spread = _spread(study, state, law)
    low, high = groups[-1][0].low, groups[-1][0].high
    people, labels, variances = list[Ints](), list[Column](), list[float]()
    for ask, who, sent in groups:
        if ask.low <= low and ask.high >= high:
            kept = law.inside(ask.low, ask.high)
            people.append(who)
            labels.append(LabelReports(ask, sent, kept, law.lost(ask.low, ask.high, kept, 1 / max(told, 1e-300))))
            variances.append(_noise(ask, sent) / kept**2 + spread)
    for reports, who, centres, lean in residual_groups(state):
        if reports.signs is None:
            people.append(who)
            labels.append(ResidualReports(reports, centres, lean))
            variances.append(_mean_square(reports))
    sizes = np.array([len(who) for who in people])
    every = NumberGroups(tuple(labels))
    chosen = Joined(state.enrolled, tuple(people))
    return NoisyLabels(study, columns, learner, chosen, every, sizes, np.array(variances, dtype=np.float64), spread)


def answered_pairs(state: State, predict: Callable[[Floats], Floats]) -> list[Answered]:
    """Return residual reports with how far the prediction has moved since."""
    found = []
    for reports, who, centres, lean in residual_groups(state):
        enrolled = Chosen(state.enrolled, who)
        shift = np.empty(len(who))
        for rows, some in batches(enrolled):
            shift[rows] = predict(some.public) - (centres[rows] - lean)
        found.append(Answered(replace(reports, shift=shift), enrolled))
    return found


def residual_reports(ask: AskPair | AskSigned, marks: Marks, kept: float) -> EffectReports:
    """Read off an ask how its reports are to be read."""
    bins, signs = ask.partition.bins, None
    cells = int(np.prod(bins, dtype=np.int64))
    if isinstance(ask, AskSigned):
        response, signs = read_pair_response(ask.mechanism, ask.epsilon, 1), np.asarray(ask.signs)
    else:
        response = read_pair_response(ask.mechanisms[str(cells)], ask.epsilon, cells)
    nothing, shift = np.zeros((len(marks), 0), dtype=np.int64), np.broadcast_to(np.float64(0.0), len(marks))
    return EffectReports(ask.partition.features, bins, response, ask.reach, marks, nothing, shift, signs, kept)


def _noise(ask: AskLabel, sent: Ints) -> float:
    """Return the mean noise variance of label reports, that of rounding at random included."""
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    assert isinstance(mechanism, WindowResponse)
    noise = (mechanism.mean_variance(sent) if len(sent) else 0.0) + RANDOM_ROUNDING
    return noise * LabelGrid(ask.low, ask.high, mechanism.steps).step ** 2


def _mean_square(reports: EffectReports) -> float:
    """Return the mean square of stretched residuals; not less than noise leaves: those of a few may all stand for 0."""
    residuals = reports.residuals()
    residuals /= reports.kept
    residuals **= 2
    square = float(np.mean(residuals)) if len(reports) else 1.0
    least = (reports.reach / reports.kept) ** 2 * reports.response.noise(LEAST_SPREAD)
    return max(square, least)


def _spread(study: Study, state: State, law: LabelLaw) -> float:
    """Return the variance of labels, as reports on a fine grid tell.

    That of few is weighed against a guess, a sixth of the bounds' width, squared, whose standard error is 100 %.
    """
    guess = guessed_variance(LabelGrid(*study.label_bounds, 1))
    fine = [(ask, sent) for ask, _, sent in label_groups(state) if ask.mechanism.values > 2]
    n, found = sum(len(sent) for _, sent in fine), max(law.deviation**2, 1e-6 * guess)
    if n >= FEWEST:
        return found
    if n < 2:
        return guess
    noisy = found + sum(len(sent) * _noise(ask, sent) for ask, sent in fine) / n
    error = 2 * noisy**2 / n  # variance of a sample's variance, of normal numbers
    return (guess * error + found * guess**2) / (error + guess**2)
