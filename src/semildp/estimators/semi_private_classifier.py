"""SemiPrivateClassifier: any learner on what is public, corrected by what is private, asked for in waves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from semildp._checks import one_of
from semildp.estimators.class_records import ClassWave, class_shares, class_wave_records
from semildp.estimators.classes_told import ClassesTold, tell_classes
from semildp.estimators.classifier import LocallyPrivateClassifier
from semildp.estimators.domains import Parsed
from semildp.models import Effect
from semildp.models.classes import ClassesBody
from semildp.study import PARTICIPATIONS, Study
from semildp.wire.messages import AskClass, Question

if TYPE_CHECKING:
    from semildp.simulate import Simulated


class SemiPrivateClassifier(LocallyPrivateClassifier):
    """Classification from people who each choose which features stay private.

    People are asked in waves; where everyone visits once, each answers in one wave, with all of epsilon. First a share
    of them send their class. Any learner is fitted to public features and unbiased, noisy 1{class}, which costs no
    privacy. Then people send their class together with where a feature lies that most people hide, or two of them, or
    alone, whichever is expected to help most. What private features add to the probability of each class is estimated
    from all reports and shrunk. In the end the probabilities are drawn to the shares of classes, as far as the reports
    of people they were not learnt from tell that this lowers the log loss.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    classes
        The public list of classes. None: those of the labels, with a `PrivacyLeakWarning`.
    feature_bounds, private_features
        As in `HistOfTreeRegressor`.
    learner
        A scikit-learn regressor for public features and noisy 1{class}, or a classifier with `predict_proba`, which is
        fitted to reported classes; its probabilities are turned into those of true classes. None is
        `NoisyLabelAverage`.
    participation
        "split": each person answers in one wave, with all of epsilon. "both": each is asked for the class alone in one
        wave and, with private features or without, in another, and epsilon is split between them.
    first_share
        With participation "split": share of the people who are asked for their class alone, first.
    label_share
        With participation "both": share of epsilon that is spent on the class alone.
    clip, random_state
        As in `HistOfTreeRegressor`.

    Attributes
    ----------
    classes_
        The classes, in rising order.
    prior_
        Estimated share of each class, shrunk.
    trust_
        How far predictions are trusted: at 1 they are as they were learnt, at 0.1 nearly the prior.
    learners_
        The fitted learner of each class; of two classes there is the second's alone.
    public_columns_
        The features it uses: those that at most half of the people hide.
    effects_
        What private features add to the probability of each class: for each class a tuple of `semildp.models.Effect`;
        of two classes there is the second's alone.
    waves_
        What each wave asked, of how many people, in order.
    questions_
        All questions, in order.
    privacy_
        What was spent, by whom, under which definition.

    Examples
    --------
    >>> import numpy as np
    >>> from semildp import SemiPrivateClassifier
    >>> X = np.random.default_rng(0).random((3000, 3))
    >>> y = np.where(X[:, 1] > 0.5, "yes", "no")
    >>> model = SemiPrivateClassifier(
    ...     epsilon=4, classes=["no", "yes"], feature_bounds=(0, 1), private_features=[0], random_state=0
    ... )
    >>> model.fit(X, y).predict([[0.5, 0.9, 0.5], [0.5, 0.1, 0.5]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        classes: Any = None,
        feature_bounds: Any = None,
        private_features: Any = None,
        learner: Any = None,
        participation: str = "split",
        first_share: float = 1 / 3,
        label_share: float = 1 / 3,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.classes = classes
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.learner = learner
        self.participation = participation
        self.first_share = first_share
        self.label_share = label_share
        self.clip = clip
        self.random_state = random_state

    def _method(self) -> tuple[str, tuple[str, ...]]:
        return "semi-private", ("first_share", "label_share", "learner")

    def _study(self, people: Parsed) -> Study:
        one_of("participation", self.participation, PARTICIPATIONS)
        return super()._study(people)

    def _show(self, result: Simulated) -> None:
        body = result.model.body
        assert isinstance(body, ClassesBody)
        self.prior_: tuple[float, ...] = body.prior
        self.trust_: float = body.trust
        self.learners_: tuple[Any, ...] = tuple(each.learned for each in body.bodies)
        self.public_columns_: tuple[int, ...] = body.bodies[0].columns
        self.effects_: tuple[tuple[Effect, ...], ...] = tuple(each.effects for each in body.bodies)
        asked = [each for done in result.state.done for each in done.wave.asked]
        self.questions_: tuple[Question, ...] = tuple(
            each.question for each in asked if isinstance(each.question.asks[0], AskClass)
        )
        self.waves_: tuple[ClassWave, ...] = class_wave_records(result.state)
        self._hidden = tuple(result.state.enrolled.mask.mean(axis=0).tolist())

    def _report_text(self) -> str:
        variances = self.waves_[-1].variances
        told = ClassesTold(
            self.study_.names,
            self.study_.classes,
            self._hidden,
            self.study_.participation == "both",
            self.waves_,
            class_shares(self.effects_, variances) if variances else (),
            self.prior_,
            self.trust_,
        )
        return f"{self.privacy_.as_text()}\n\n{tell_classes(told)}"
