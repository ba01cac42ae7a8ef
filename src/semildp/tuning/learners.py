"""Choosing a learner from the reports of one collection: nobody is asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from semildp._checks import instance_of, short, whole_number
from semildp.curator.learning import check_learner
from semildp.curator.wave_evidence import hidden_by_most, pooled
from semildp.errors import refusal
from semildp.estimators.figures import rounded_up
from semildp.estimators.semi_private import SemiPrivateRegressor
from semildp.models import Model
from semildp.protocols import SemiPrivate
from semildp.simulate import Simulated
from semildp.tuning.held_out import explained_share

MOST_FOLDS = 100


@dataclass(frozen=True)
class Candidate:
    """How well a learner predicts noisy labels that it was not fitted to.

    Parameters
    ----------
    name
        What it is called.
    explained
        Share of the label's variance that it explains, estimated from held-out noisy labels; may be negative.
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

    estimator: SemiPrivateRegressor
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
    so differences are without bias, and cost no privacy, however many candidates there are.

    Parameters
    ----------
    estimator
        A `SemiPrivateRegressor`; it is not changed. Reports are collected with its own `learner`, which decides around
        what residuals are asked for; the candidates use the same reports.
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
    instance_of("estimator", estimator, SemiPrivateRegressor)
    learners = _learners(candidates)
    whole_number("folds", folds, 2, MOST_FOLDS)
    base: SemiPrivateRegressor = clone(estimator)
    people, study, result = base._collect(X, y, mask)
    columns = tuple(j for j in range(len(study.features)) if j not in hidden_by_most(result.state.enrolled))
    labels = pooled(result.state, columns, None)
    if len(labels.labels) < 2 * folds:
        raise refusal("folds", f"at most half of the {len(labels.labels)} labels that were collected", folds)
    shares = explained_share(labels, learners, folds)
    best = max(shares, key=lambda name: shares[name].mean)
    found = [Candidate(name, each.mean, each.standard_error, shares[best].ahead(each)) for name, each in shares.items()]
    fitted = base.set_params(learner=learners[best])
    again = Simulated(_model(fitted, result), result.state, result.transcript)
    fitted._settle(people, study, again)
    return Chosen(fitted, tuple(sorted(found, key=lambda each: (each.name != best, -each.explained))))


def _model(fitted: SemiPrivateRegressor, result: Simulated) -> Model:
    """Return the model that the same reports give with another learner."""
    protocol = fitted._protocol()
    assert isinstance(protocol, SemiPrivate)
    model = protocol.next(result.state)
    assert isinstance(model, Model)  # all waves are in
    return model.replace(result.transcript.spent)


def _learners(candidates: Any) -> dict[str, Any]:
    """Return learners by name, or refuse what is none."""
    if not isinstance(candidates, Mapping) or not candidates:
        raise refusal("candidates", "learners by name, as {'ridge': Ridge()}", short(candidates))
    for name, learner in candidates.items():
        if not isinstance(name, str):
            raise refusal("candidates", "learners by name, as {'ridge': Ridge()}", short(name))
        check_learner(learner)
    return dict(candidates)
