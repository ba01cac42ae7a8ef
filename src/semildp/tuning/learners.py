"""Choosing a learner from the reports of one collection: nobody is asked again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone, is_regressor

from semildp._checks import short, whole_number
from semildp.curator.class_waves import check_class_learner, evidence_of
from semildp.curator.learning import check_learner
from semildp.curator.wave_evidence import hidden_by_most, pooled
from semildp.curator.waves import State
from semildp.errors import refusal
from semildp.estimators.figures import rounded_up
from semildp.estimators.semi_private import SemiPrivateRegressor
from semildp.estimators.semi_private_classifier import SemiPrivateClassifier
from semildp.models import Model
from semildp.protocols import SemiPrivate, SemiPrivateClasses
from semildp.simulate import Simulated
from semildp.study import Classes
from semildp.tuning.held_out import Explained, explained_share
from semildp.tuning.held_out_classes import explained_classes

MOST_FOLDS = 100


@dataclass(frozen=True)
class Candidate:
    """How well a learner predicts noisy labels that it was not fitted to.

    Parameters
    ----------
    name
        What it is called.
    explained
        Share of the label's variance that it explains, estimated from held-out noisy labels; may be negative. Of
        classes, the variance is that of 1{class}, added up over classes.
    standard_error
        Of that share.
    behind
        How much less it explains than the best candidate, and the standard error of this difference, which is the
        smaller one: both are judged by the same labels.
    """

    name: str
    explained: float
    standard_error: float
    behind: tuple[float, float]


@dataclass(frozen=True)
class Chosen:
    """What came of comparing learners.

    Parameters
    ----------
    estimator
        Fitted with the best learner, from the reports that were collected once.
    candidates
        All of them, the best first.
    """

    estimator: SemiPrivateRegressor | SemiPrivateClassifier
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> str:
        """Name of the best candidate."""
        return self.candidates[0].name

    def as_text(self) -> str:
        """Return candidates and what was spent, in words."""
        width = max(len("learner"), *(len(each.name) for each in self.candidates))
        lines = [f"{'learner':<{width}}  {'explained, %':>14}  {'behind the best, %':>18}"]
        for each in self.candidates:
            own = f"{100 * each.explained:.1f} ± {100 * each.standard_error:.1f}"
            behind = "" if each is self.candidates[0] else f"{100 * each.behind[0]:.1f} ± {100 * each.behind[1]:.1f}"
            lines.append(f"{each.name:<{width}}  {own:>14}  {behind:>18}".rstrip())
        spent = rounded_up(self.estimator.privacy_.epsilon)
        return "\n".join(
            [
                *lines,
                f"Reports were collected once, and spent at most {spent} per person. Comparing {len(self.candidates)} "
                "learners on them cost nothing more.",
            ]
        )


def choose_learner(estimator: Any, candidates: Any, X: Any, y: Any, mask: Any = None, *, folds: int = 5) -> Chosen:
    """Collect reports once, and fit the estimator with the learner that predicts held-out noisy labels best.

    What is compared is what the curator has: public features and noisy labels. The mean of (noisy - prediction)^2 over
    held-out people is the error of the prediction plus the variance of the noise, which is the same for all candidates:
    so differences are without bias, and cost no privacy, however many candidates there are. Of classes it is the mean
    Brier score, with the unbiased indicators of classes that a report tells.

    Parameters
    ----------
    estimator
        A `SemiPrivateRegressor` or `SemiPrivateClassifier`; it is not changed. Reports are collected with its own
        `learner`, which decides what is asked; the candidates use the same reports.
    candidates
        Learners by name, as {"ridge": Ridge(), "default": None}.
    X, y, mask
        As in `fit`.
    folds
        Parts into which people are divided; each is predicted from the others.

    Returns
    -------
    Chosen
    """
    if not isinstance(estimator, SemiPrivateRegressor | SemiPrivateClassifier):
        raise refusal("estimator", "a SemiPrivateRegressor or SemiPrivateClassifier", short(estimator))
    learners = _learners(candidates, check_learner if is_regressor(estimator) else check_class_learner)
    whole_number("folds", folds, 2, MOST_FOLDS)
    base: SemiPrivateRegressor | SemiPrivateClassifier = clone(estimator)
    people, study, result = base._collect(X, y, mask)
    shares = _explained(result.state, learners, folds)
    best = max(shares, key=lambda name: shares[name].mean)
    found = [Candidate(name, each.mean, each.standard_error, shares[best].ahead(each)) for name, each in shares.items()]
    fitted = base.set_params(learner=learners[best])
    again = Simulated(_model(fitted, result), result.state, result.transcript)
    fitted._settle(people, study, again)
    return Chosen(fitted, tuple(sorted(found, key=lambda each: (each.name != best, -each.explained))))


def _explained(state: State, learners: dict[str, Any], folds: int) -> dict[str, Explained]:
    """Return what each learner explains of held-out labels, or classes."""
    if isinstance(state.study.label, Classes):
        evidence = evidence_of(state, None)
        _check_folds(folds, sum(len(group) for group in evidence.groups))
        return explained_classes(evidence, learners, folds)
    columns = tuple(j for j in range(len(state.study.features)) if j not in hidden_by_most(state.enrolled))
    labels = pooled(state, columns, None)
    _check_folds(folds, len(labels.labels))
    return explained_share(labels, learners, folds)


def _check_folds(folds: int, n_labels: int) -> None:
    if n_labels < 2 * folds:
        raise refusal("folds", f"at most half of the {n_labels} labels that were collected", folds)


def _model(fitted: SemiPrivateRegressor | SemiPrivateClassifier, result: Simulated) -> Model:
    """Return the model that the same reports give with another learner."""
    protocol = fitted._protocol()
    assert isinstance(protocol, SemiPrivate | SemiPrivateClasses)
    model = protocol.next(result.state)
    assert isinstance(model, Model)  # all waves are in
    return model.replace(result.transcript.spent)


def _learners(candidates: Any, check: Callable[[Any], None]) -> dict[str, Any]:
    """Return learners by name, or refuse what `check` does."""
    if not isinstance(candidates, Mapping) or not candidates:
        raise refusal("candidates", "learners by name, as {'ridge': Ridge()}", short(candidates))
    for name, learner in candidates.items():
        if not isinstance(name, str):
            raise refusal("candidates", "learners by name, as {'ridge': Ridge()}", short(name))
        check(learner)
    return dict(candidates)
