"""The default learner on public features and noisy labels: works untuned from fifty people to a million."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, islice
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from semildp._arrays import Floats
from semildp._kernels.blas import one_blas_thread
from semildp._kernels.threads import in_threads
from semildp.backends import chunks, fold
from semildp.curator.learning.boosting import Targets, cross_boost
from semildp.curator.learning.design import Design
from semildp.curator.learning.extent import Extent
from semildp.curator.learning.folds import Folds
from semildp.curator.learning.ridge import Ridges, gram
from semildp.curator.learning.rows import Column, Rows, Shuffled, batches, held, sample
from semildp.curator.learning.stacking import first_weights, stack, trust
from semildp.curator.learning.steps import Steps
from semildp.errors import refusal
from semildp.models.learned import Average, Blocks

_FEWEST = 10  # from fewer people nothing but the mean is learnt
_ROUGH = 50_000  # people of a rough fit: a guess
# Of more people trees, and how members are weighed, see so many; the regressions are of everybody. A leaf has 1/50 of
# the people at least: 20,000 of so many, whose mean has an error below 1/100 of a noisy label's deviation.
_MOST = 2**20
_HELD = 2**21  # numbers of public features that are held, 16 megabytes, rather than read several times


class NoisyLabelAverage(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Adds up quite different learners and trusts them only as far as held-out noisy labels bear them out.

    Members are a ridge regression, a ridge regression on splines, trees boosted on the labels, and trees boosted on
    what the two regressions leave: interactions. Their weights are those of least squares on out-of-fold predictions,
    0 or more and drawn to a first guess where labels say little: equal within the standard error of their loss, and 0
    for the last member. The sum is scaled by the slope of the noisy labels on it, at most 1, and shrunk to 0 as it
    comes down to `caution` standard errors: where the labels are too noisy to learn from, what is left is the mean.

    Parameters
    ----------
    caution
        With a slope of so many standard errors, or fewer, nothing is learnt.
    random_state
        Seed of folds and trees; no privacy depends on it.
    rough
        Leave the trees out, and fit to 50,000 people at most: several times as fast, and without interactions.

    Attributes
    ----------
    weights_
        Weight of each member, in the order above.
    trust_
        Factor of the deviation from the mean.
    columns_
        The columns that vary.
    mean_
        The mean of the noisy labels.
    members_
        What each member adds to the mean, as plain numbers.
    """

    def __init__(self, caution: float = 1.0, random_state: int = 0, rough: bool = False) -> None:
        self.caution = caution
        self.random_state = random_state
        self.rough = rough

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit all members outside each fold, and the regressions on everybody.

        Of more than about a million people, trees are fitted to a part, chosen by a hash of their positions.

        Parameters
        ----------
        X
            Public features; missing values are allowed.
        y
            Noisy labels.
        sample_weight
            Precision of each label, up to a factor. None: all the same. People of weight 0 are left out.
        """
        data, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True)
        labels = np.asarray(labels, dtype=np.float64)
        weights = _check_weights(sample_weight, len(labels))
        return self.fit_rows(data, labels, weights)

    @one_blas_thread()
    def fit_rows(self, rows: Rows, labels: Column, weights: Column, *, pilot: bool = False) -> Self:
        """Fit to rows and labels that are read when they are needed: of many people, never all at once.

        Parameters
        ----------
        rows
            Public features by position, as 64-bit numbers; missing values are allowed.
        labels, weights
            Noisy labels, and the precision of each, up to a factor.
        pilot
            Save time: fewer folds, and no trees on the labels, only on what the regressions leave. With 1300 people and
            labels of noise 3.5, squared errors on three functions of deviation .5 to .9 were 4 to 14 % larger.
        """
        self.mean_ = _mean(labels, weights)
        rng = np.random.default_rng(self.random_state)
        some = sample(len(labels), _MOST, self.random_state)
        order = rng.permutation(some[weights[:][some] > 0])[: _ROUGH if self.rough else None]
        everyone, X = len(some) == len(labels), Shuffled(rows, order)
        del some
        extent = Extent.of(X)
        self.columns_ = np.flatnonzero(extent.low < extent.high)  # at least two different values are seen
        self.trust_, self.weights_, self.members_ = 0.0, np.zeros(0), list[Any]()
        if len(self.columns_) and len(order) >= _FEWEST:
            extent, X = extent.only(self.columns_), X.only(self.columns_)
            seen = held(X) if len(X) * len(self.columns_) <= _HELD else X
            y, w = labels[:][order], _to_people(weights[:][order])
            y -= self.mean_
            design, folds = Design.of(seen, extent), Folds.of(len(order), few=pilot)
            everybody = None if everyone else self._sums(design, rows, labels, weights)
            regress = partial(Ridges.of, design, seen, y, w, folds, everybody)
            cut = None if self.rough else partial(Steps.of, seen, extent.gaps)
            self._fit_members(regress, cut, y, w, folds, slice(1 if pilot else 0, None))
        return self

    def _sums(self, design: Design, rows: Rows, labels: Column, weights: Column) -> Floats:
        """Return the sums of everybody from which the regressions are made, a batch at a time."""
        every = weights[:]
        scale = every.sum() / (every @ every)
        del every
        read = batches(rows, self.columns_)
        return fold(lambda b: gram(design.columns(b[1]), labels[b[0]] - self.mean_, scale * weights[b[0]]), read)

    def _fit_members(
        self,
        regress: Callable[[], Ridges],
        cut: Callable[[], Steps] | None,
        y: Floats,
        w: Floats,
        folds: Folds,
        kinds: slice,
    ) -> None:
        """Weigh regressions, and trees of these `kinds` if columns can be `cut`, for people in random order.

        Trees are on labels, and on what regressions leave. Labels have mean 0 and weights are as `_to_people` scales
        them. Members' predictions for people they were not fitted to are rows of one array.
        """
        ridges = regress()
        members: list[Any] = list(ridges.members)
        n_ridges = len(members)
        n_members = n_ridges + (0 if cut is None else len(range(2)[kinds]))
        outside = np.empty((n_members, len(y)))
        ridges.write_outside(folds, outside[:n_ridges])
        guess = first_weights(outside[:n_ridges], y, w)
        if cut is not None:
            targets = ridges.targets(folds, y, guess)[kinds]
            del ridges  # predictions for everybody take as much room as all of `outside`
            members += self._boost(cut(), targets, w, folds, outside[n_ridges:])
            guess = np.append(first_weights(outside[:-1], y, w), 0.0)
        self.weights_ = stack(outside, y, w, guess)
        self.trust_ = trust(self.weights_ @ outside, y, w, self.caution)
        self.members_ = members

    def _boost(self, steps: Steps, targets: list[Targets], w: Floats, folds: Folds, outside: Floats) -> list[Blocks]:
        """Boost trees to each of the targets, at once where there are threads; write predictions into `outside`."""
        each = zip(targets, outside, strict=True)
        jobs = [cross_boost(steps, target, w, folds, self.random_state, out) for target, out in each]
        every = chain.from_iterable(jobs)
        found = iter(in_threads(every) if steps.compiled else [job() for job in every])
        return [Blocks(tuple(chain.from_iterable(islice(found, len(mine))))) for mine in jobs]

    def average(self) -> Average:
        """Return what has been learnt as plain numbers."""
        used: list[int] = np.flatnonzero(self.weights_).tolist() if self.trust_ else []
        members, weights = tuple(self.members_[i] for i in used), tuple(float(self.weights_[i]) for i in used)
        return Average(tuple(self.columns_.tolist()), self.mean_, self.trust_, weights, members)

    @one_blas_thread()
    def predict(self, X: Any) -> Floats:
        """Predict the label."""
        check_is_fitted(self)
        data = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return self.average().predict(data)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True
        return tags


def _mean(labels: Column, weights: Column) -> float:
    """Return the weighted mean of labels, as `np.average` does; one array of all people is held at a time."""
    product = np.empty(len(labels))
    for rows in chunks(len(labels)):
        np.multiply(labels[rows], weights[rows], out=product[rows])
    total = product.sum()
    del product
    return float(total / weights[:].sum())


def _to_people(weights: Floats) -> Floats:
    """Scale weights to the sum (sum w)^2 / sum w^2: the number of people of one weight who would tell as much."""
    return np.asarray(weights * (weights.sum() / (weights @ weights)))


def _check_weights(weights: Any, n_people: int) -> Floats:
    """Return weights as an array; None is the same for all."""
    array = np.ones(n_people) if weights is None else np.asarray(weights, dtype=np.float64)
    if array.shape != (n_people,) or not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise refusal("sample_weight", f"{n_people} numbers, 0 or more and not all 0", f"shape {array.shape}")
    return array
