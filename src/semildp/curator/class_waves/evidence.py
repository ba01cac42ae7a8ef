"""All that reports tell of classes: noisy labels of each, learners fitted to them, effects of private features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from semildp._arrays import Bools, Floats
from semildp.curator.class_waves.labels import ClassLabels
from semildp.curator.class_waves.prior import class_prior, class_shares
from semildp.curator.class_waves.reported import OneClass, fit_reported
from semildp.curator.class_waves.reports import ClassGroup, class_groups
from semildp.curator.effects.learning import Answered, LearntEffects, learn_effects
from semildp.curator.effects.people import Chosen, batches
from semildp.curator.learning import NoisyLabelAverage
from semildp.curator.noisy import Learnt, Seen
from semildp.curator.wave_evidence import hidden_by_most, told_by
from semildp.curator.waves import State
from semildp.models.classes import class_view
from semildp.study import Study
from semildp.wire.columns import Enrolled


def targets_of(n_classes: int) -> tuple[int, ...]:
    """Return the classes that are learnt: all, but of two the second alone, whose probability tells the other's."""
    return (1,) if n_classes == 2 else tuple(range(n_classes))


@dataclass(frozen=True, eq=False)
class Evidence:
    """Reports of classes, of all people or of some.

    Parameters
    ----------
    study, enrolled, groups
        The study, what everybody has made public, and the reports to each question.
    private
        The features that most people hide: they are not in the public prediction.
    learner
        What is fitted to public features; None: the default.
    """

    study: Study
    enrolled: Enrolled
    groups: tuple[ClassGroup, ...]
    private: tuple[int, ...]
    learner: Any

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.study.classes)

    @property
    def columns(self) -> tuple[int, ...]:
        """The features of the public prediction."""
        return tuple(j for j in range(len(self.study.features)) if j not in self.private)

    def only(self, chosen: Bools) -> Evidence:
        """Return the reports of some of all people who are enrolled."""
        return replace(self, groups=tuple(group.only(chosen[group.people]) for group in self.groups))

    @cached_property
    def prior(self) -> Floats:
        """The share of each class, shrunk."""
        return class_prior(*class_shares(self.groups, self.n_classes))

    @property
    def people(self) -> float:
        """How many people whose classes are known would tell the shares of classes as well as these reports."""
        known = 1 - 1 / self.n_classes  # variance of one person's indicators, summed over even classes
        return sum(len(group) * known / group.response.total_noise for group in self.groups)

    def labels(self, target: int) -> ClassLabels:
        """Return noisy labels of a class, each with its variance."""
        share = float(self.prior[target])
        groups = [group for group in self.groups if len(group)]
        return ClassLabels(
            class_view(self.study),
            self.columns,
            self.learner,
            Chosen(self.enrolled, np.concatenate([group.people for group in groups])),
            np.concatenate([group.indicators(target) for group in groups]),
            np.array([len(group) for group in groups]),
            np.array([group.variance(target, share) for group in groups]),
            share * (1 - share),
            share,
        )

    def learn(self, rough: int | None = None) -> list[Learnt]:
        """Fit the learner to every class; to about `rough` people, and the default without trees, if that is given."""
        labels = [self.labels(target) for target in targets_of(self.n_classes)]
        if self.learner is not None and is_classifier(self.learner):
            return self._learn_reported(labels)
        if rough is not None and self.learner is None:
            quick = NoisyLabelAverage(rough=True)
            return [replace(each, learner=quick).learn(rough) for each in labels]
        return [each.learn(rough) for each in labels]

    def _learn_reported(self, labels: list[ClassLabels]) -> list[Learnt]:
        seen = [Seen(self.study, self.columns, Chosen(self.enrolled, group.people))[:] for group in self.groups]
        fitted = fit_reported(self.learner, seen, self.groups)
        return [Learnt(each, OneClass(fitted, t)) for each, t in zip(labels, targets_of(self.n_classes), strict=True)]

    def effects(self, learnt: list[Learnt], looked_for: tuple[int, ...]) -> list[LearntEffects]:
        """Learn what private features add to the prediction of every class."""
        found = []
        for target, each in zip(targets_of(self.n_classes), learnt, strict=True):
            answered = [self._answered(group, target, each) for group in self.groups if len(group)]
            unit = each.left_variance(self.enrolled)
            study = class_view(self.study)
            found.append(learn_effects(study, self.columns, looked_for, answered, unit, len(self.private)))
        return found

    def _answered(self, group: ClassGroup, target: int, learnt: Learnt) -> Answered:
        """Return reports with each person's prediction less 1 / C as the shift."""
        enrolled, shift = Chosen(self.enrolled, group.people), np.empty(len(group))
        for rows, some in batches(enrolled):
            shift[rows] = learnt.predict(some.public) - 1 / self.n_classes
        return Answered(replace(group.effect_reports(target), shift=shift), enrolled)

    @property
    def told(self) -> dict[tuple[int, ...], float]:
        """For private features and pairs, how many people whose cells are known would tell as much of it."""
        return told_by(group.effect_reports(0) for group in self.groups if group.features)


def evidence_of(state: State, learner: Any) -> Evidence:
    """Return all reports so far."""
    private = hidden_by_most(state.enrolled)
    return Evidence(state.study, state.enrolled, tuple(class_groups(state)), private, learner)
