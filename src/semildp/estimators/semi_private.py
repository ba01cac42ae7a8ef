"""SemiPrivateRegressor: any learner on what is public, corrected by what is private; everyone visits once."""

from __future__ import annotations

from typing import Any

from semildp._checks import one_of
from semildp.curator.wide_bounds import spread_of, warn_of_wide_bounds
from semildp.estimators.base import LocallyPrivateRegressor
from semildp.estimators.domains import Parsed
from semildp.estimators.inputs import callers_level
from semildp.models import AdditiveBody, Effect, OpaqueBody
from semildp.simulate import Simulated
from semildp.study import PARTICIPATIONS, Study
from semildp.wire.messages import Question


class SemiPrivateRegressor(LocallyPrivateRegressor):
    """Regression from people who each choose which features stay private, with as little noise as the guarantee allows.

    Everyone visits once and spends all of epsilon there. In the first round people send a bounded noisy label with
    their public features, and any learner is fitted to these: post-processing costs no privacy. In the second round
    people who hide a feature that most hide send that feature's bin together with what the public prediction leaves
    unexplained, in a narrower range. The learner is fitted again to the labels of both rounds, and the effect of each
    private feature is estimated and shrunk. If the second round is not expected to pay, judged from public numbers
    alone, nobody is asked.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    label_bounds, feature_bounds, private_features
        As in `HistOfTreeRegressor`.
    learner
        A scikit-learn regressor for public features and noisy labels. None is `NoisyLabelAverage`.
    participation
        "split": each person answers in one round, with all of epsilon. "both": each answers in both, and epsilon is
        split between them.
    first_share
        With participation "split": share of the people, among those who could answer in either wave, who answer in the
        first.
    label_share
        With participation "both": share of epsilon that the first wave spends on the label.
    clip, random_state
        As in `HistOfTreeRegressor`.

    Attributes
    ----------
    learner_
        The fitted learner.
    public_columns_
        The features it uses: those that at most half of the people hide.
    questions_
        What the second wave asked; empty if nobody was asked.
    effects_
        What each private feature adds; empty if nobody was asked.
    noisy_mean_
        Mean of all noisy labels, weighted by their precision.
    privacy_
        What was spent, by whom, under which definition.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_bounds: Any = None,
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
        self.label_bounds = label_bounds
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
        assert isinstance(body, AdditiveBody | OpaqueBody)
        self.learner_: Any = body.learned
        self.public_columns_: tuple[int, ...] = body.columns
        self.effects_: tuple[Effect, ...] = body.effects
        self.noisy_mean_: float = body.noisy_mean
        second = [done for done in result.state.done if done.wave.stream == 'pair']
        self.questions_: tuple[Question, ...] = tuple(a.question for done in second for a in done.wave.asked)
        warn_of_wide_bounds(spread_of(result.state), callers_level() + 1)

    def _report_text(self) -> str:
        if not self.questions_:
            return f"{self.privacy_.as_text()}\n\nOne wave: a second one was not expected to pay."
        asks: list[Any] = [question.asks[0] for question in self.questions_]
        asked = ", ".join(self.study_.names[ask.partition.features[0]] for ask in asks)
        return (
            f"{self.privacy_.as_text()}\n\nTwo waves: the second asked each person about one of {asked}, with how far "
            f"the label lies from the public prediction, cut at {asks[0].reach:.3g}."
        )
