"""Reports of (cell, class): which people sent them, and what they tell of one class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.curator.effects.reports import EffectReports
from semildp.curator.waves import State
from semildp.mechanisms import ClassResponse
from semildp.wire.columns import Marks
from semildp.wire.forms import read_class_response
from semildp.wire.messages import AskClass


@dataclass(frozen=True, eq=False)
class ClassGroup:
    """The reports to one question.

    Parameters
    ----------
    features, bins
        The private features that were asked about, and the bins of each; none: the class alone was asked for.
    response
        How cell and class were sent.
    people, marks
        Positions of the people among those enrolled, and what they sent: cell * classes + class.
    """

    features: tuple[int, ...]
    bins: tuple[int, ...]
    response: ClassResponse
    people: Ints
    marks: Marks

    def __len__(self) -> int:
        return len(self.people)

    def only(self, chosen: Bools) -> ClassGroup:
        """Return the reports of some of the people, by their place in `people`."""
        return replace(self, people=self.people[chosen], marks=self.marks.only(chosen))

    def indicators(self, target: int) -> Floats:
        """Return each person's unbiased (and very noisy) 1{class = target}: 1 / C + per_score * sum of scores."""
        response = self.response.of_class(target)
        score = response.scores[self.marks.value % response.levels]
        summed = np.bincount(self.marks.person, weights=score, minlength=len(self))
        return np.asarray(1 / response.levels + response.per_score * summed)

    def variance(self, target: int, share: float) -> float:
        """Return the variance of `indicators` if this share of people are of the class: of noise, and among people."""
        response, even = self.response.of_class(target), 1 / self.response.levels
        spread = share * (1 - 2 * even) + even**2
        return response.noise(spread) - (share - even) ** 2

    def effect_reports(self, target: int) -> ClassReports:
        """Return the reports as evidence on a class; shifts are 0 still."""
        response = self.response.of_class(target)
        known, shift = np.zeros((len(self), 0), dtype=np.int64), np.zeros(len(self))
        return ClassReports(self.features, self.bins, response, 1.0, self.marks, known, shift)


@dataclass(frozen=True, eq=False)
class ClassReports(EffectReports):
    """Reports as evidence on one class: what counts is 1{class} - 1 / C less the shift, a prediction less 1 / C.

    Nothing was taken off before it was sent, so shifts are not small, and their noise counts.
    """

    @cached_property
    def cell_noise(self) -> Floats:
        """Noise variance of each cell's sum: per_square * sum of (score - shift)**2 of marks on it.

        It is no smaller than what false marks are expected to leave, and 0.01 for each person: marks may be few.
        """
        response, (cell, score) = self.response, self._sent
        square = (score - self.shift[self.marks.person]) ** 2
        noise = response.per_square * np.bincount(cell, weights=square, minlength=self.n_cells)
        false_marks = -response.per_person / response.per_mark
        least = response.per_square * false_marks * float(np.mean(response.scores**2)) + 0.01 / self.n_cells
        return np.asarray(np.maximum(noise, max(len(self), 1) * least))


def class_groups(state: State) -> Iterator[ClassGroup]:
    """Yield the reports to every question for a class, in the order in which they were asked."""
    n_classes = len(state.study.classes)
    for done in state.done:
        for asked, answers in zip(done.wave.asked, done.answers, strict=True):
            ask = asked.question.asks[0]
            if isinstance(ask, AskClass):
                bins = ask.partition.bins
                cells = int(np.prod(bins, dtype=np.int64))
                response = read_class_response(ask.mechanisms[str(cells)], ask.epsilon, cells, n_classes)
                yield ClassGroup(ask.partition.features, bins, response, asked.people, answers[0])
