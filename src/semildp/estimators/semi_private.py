"""SemiPrivateRegressor: any learner on what is public, corrected by what is private, asked for in waves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from semildp._checks import one_of
from semildp.estimators.domains import Parsed
from semildp.estimators.inputs import callers_level
from semildp.estimators.regressor import LocallyPrivateRegressor
from semildp.estimators.told import Told, tell
from semildp.estimators.wave_records import LabelWave, ResidualWave, effect_shares, wave_records
from semildp.models import AdditiveBody, Effect, OpaqueBody
from semildp.study import PARTICIPATIONS, Study
from semildp.wire.messages import AskPair, AskSigned, Question

if TYPE_CHECKING:
    from semildp.simulate import Simulated


class SemiPrivateRegressor(LocallyPrivateRegressor):
    """Regression from people who each choose which features stay private, with as little noise as the guarantee allows.

    People are asked in waves; where everyone visits once, each answers in one wave, with all of epsilon. Labels come
    first, by a bounded response: a few people are asked within the label bounds, the next in the narrower window where
    labels seem to lie. Any learner is fitted to public features and noisy labels, which costs no privacy. Then people
    are asked how far their label lies from that public prediction, together with where a feature lies that most people
    hide, or two of them, or with its sign changed by where these lie. Two such waves probe; what they show decides what
    the rest are asked about. What private features add, alone, two together, or with a public one, is estimated from
    all reports and shrunk; a feature whose reports are not expected to pay is not asked about.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    label_bounds, feature_bounds, private_features
        As in `HistOfTreeRegressor`.
    learner
        A scikit-learn regressor for public features and noisy labels. None is `NoisyLabelAverage`.
    participation
        "split": each person answers in one wave, with all of epsilon. "both": each is asked for the label in one wave
        and for the residual in another, and epsilon is split between them.
    first_share
        With participation "split": share of the people who are asked for their label; the others are asked for
        residuals. It is at least 500 people, or a third of them if that is less.
    label_share
        With participation "both": share of epsilon that is spent on the label.
    clip, random_state
        As in `HistOfTreeRegressor`.

    Attributes
    ----------
    learner_
        The fitted learner.
    public_columns_
        The features it uses: those that at most half of the people hide.
    effects_
        What private features add, as a tuple of `semildp.models.Effect`: `features` (one index, or two for features
        that act together, the private one first), `table` (what is added at each place of their axes) and `deviation`
        (its standard deviation). `EffectsDisplay.from_estimator` draws them; empty if there are none.
    waves_
        What each wave asked, of how many people, in order: label waves with their window, residual waves with how many
        were asked about which features, and what had been found before.
    questions_
        All questions for residuals, in order; empty if nobody was asked.
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
        first_share: float = 0.2,
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
        from semildp.curator.wide_bounds import spread_of, warn_of_wide_bounds

        body = result.model.body
        assert isinstance(body, AdditiveBody | OpaqueBody)
        self.learner_: Any = body.learned
        self.public_columns_: tuple[int, ...] = body.columns
        self.effects_: tuple[Effect, ...] = body.effects
        self.noisy_mean_: float = body.noisy_mean
        asked = [each for done in result.state.done for each in done.wave.asked]
        self.questions_: tuple[Question, ...] = tuple(
            each.question for each in asked if isinstance(each.question.asks[0], AskPair | AskSigned)
        )
        self.waves_: tuple[LabelWave | ResidualWave, ...] = wave_records(result.state)
        self._hidden = tuple(result.state.enrolled.mask.mean(axis=0).tolist())
        self._n_people = len(result.state.enrolled)
        warn_of_wide_bounds(spread_of(result.state), callers_level() + 1)

    def effects_frame(self) -> Any:
        """Return a data frame with one row per place of each effect: where, what is added, its standard error, people.

        Needs pandas.
        """
        from semildp.estimators.frames import effects_frame

        check_is_fitted(self)
        return effects_frame(self.study_, self.effects_)

    def _report_text(self) -> str:
        variance = [wave.variance for wave in self.waves_ if isinstance(wave, ResidualWave)]
        told = Told(
            self.study_.names,
            self._hidden,
            self.study_.label_bounds,
            self.study_.epsilon,
            self._n_people,
            self.study_.participation == "both",
            self.waves_,
            effect_shares(self.effects_, variance[-1]) if variance else (),
        )
        return f"{self.privacy_.as_text()}\n\n{tell(told)}"
