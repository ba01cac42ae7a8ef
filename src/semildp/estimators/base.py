"""What all estimators share: parse the input into a study, simulate it, predict from the model, tell what was spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from semildp._arrays import Bools, Floats
from semildp._checks import privacy_parameter, true_or_false
from semildp.errors import InputError
from semildp.estimators.account import PrivacyAccount
from semildp.estimators.accountant import charge, counting_process
from semildp.estimators.categories import coded, refuse_unknown
from semildp.estimators.coding import refuse_dates, refuse_words
from semildp.estimators.domains import Parsed, name_features, read_categories, read_domains
from semildp.estimators.inputs import read_mask, read_sources, without_values
from semildp.estimators.names import Columns, is_frame, refuse_namesakes
from semildp.estimators.searching import warn_of_epsilon_search
from semildp.masks import times_hidden
from semildp.models import Model
from semildp.study import Category, Classes, Number, Setting, Study, check_settings

if TYPE_CHECKING:  # devices and curator are loaded by the first fit: `import` alone is as quick as scikit-learn's
    from semildp.protocols import StudyProtocol
    from semildp.simulate import Simulated


class LocallyPrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: they differ in the label, the protocol and in what they show of its result."""

    epsilon: float
    feature_bounds: Any
    private_features: Any
    clip: bool
    random_state: Any
    n_features_in_: int
    privacy_: PrivacyAccount
    study_: Study
    model_: Model
    _y_numeric = True
    _counted_in: int | None = None  # the process of the accountant that was open when this was sent to a worker

    def fit(self, X: ArrayLike, y: ArrayLike, mask: ArrayLike | None = None) -> Self:
        """Collect everybody's reports and learn from them.

        Parameters
        ----------
        X
            Features, one row per person; entries that are private may be NaN. In a data frame, columns of text,
            categories and truth values are taken as categories.
        y
            Labels, always private.
        mask
            One row per person, 1 where the person keeps the feature private. A data frame is matched to `X` by column
            name and index. Not together with `private_features`.

        Returns
        -------
        self
        """
        return self._settle(*self._collect(X, y, mask))

    def _collect(self, X: Any, y: Any, mask: Any) -> tuple[Parsed, Study, Simulated]:
        """Ask everybody; accountants count it once."""
        from semildp.simulate import simulate

        privacy_parameter("epsilon", self.epsilon)
        true_or_false("clip", self.clip)
        people = self._parse(X, y, mask)
        study, protocol = self._study(people), self._protocol()
        sources = dict(zip(protocol.streams, read_sources(self.random_state, len(protocol.streams)), strict=True))
        charge(type(self).__name__, self.epsilon, self._counted_in)
        result = simulate(
            study, people.rows, people.labels, people.mask, protocol=protocol, sources=sources, clip=self.clip
        )
        return people, study, result

    def _settle(self, people: Parsed, study: Study, result: Simulated) -> Self:
        """Set the fitted attributes from what was collected."""
        from semildp.explain import what_left

        self.study_, self.model_ = study, result.model
        self.privacy_ = PrivacyAccount(
            result.transcript.most,
            result.model.spent,
            what_left(study, result.transcript),
            people.leaks,
            self.random_state is not None,
            study.hide_mask,
            study.label is not None,
        )
        self._show(result)
        return self

    def _queries(self, X: Any) -> Floats:
        """Return rows to predict for, as numbers."""
        check_is_fitted(self)
        refuse_namesakes(X)
        refuse_dates(X)
        values = _values(self.study_)
        if values and is_frame(X):  # columns are compared before they are coded by their places
            validate_data(self, X, reset=False, skip_check_array=True)
        queries: Floats = self._numbers(coded(X, values), reset=False, ensure_all_finite="allow-nan")
        return queries

    def report(self) -> str:
        """Print what was spent, by whom and under which definition, and return it as text."""
        check_is_fitted(self)
        text = self._report_text()
        print(text)
        return text

    def _parse(self, X: Any, y: Any, mask: Any) -> Parsed:
        """Read what was passed: everything that can be refused before anyone is asked is refused here."""
        refuse_namesakes(X)
        refuse_dates(X)
        leaks: list[str] = []
        values = read_categories(self.feature_bounds, X, leaks)
        rows, given = self._numbers(coded(X, values), y, ensure_all_finite="allow-nan", y_numeric=self._y_numeric)
        columns = Columns.of(X, rows.shape[1])
        chosen = read_mask(mask, self.private_features, X, len(rows), columns)
        refuse_unknown(X, rows, chosen, values)
        domains = read_domains(self.feature_bounds, rows, columns, values, leaks)
        forced: Bools = (times_hidden(chosen) == len(chosen)) & (self.private_features is not None)
        features = name_features(columns, domains, forced)
        labels, label = self._read_labels(given, leaks)
        return Parsed(rows, labels, chosen, features, label, tuple(leaks))

    def _read_labels(self, y: Any, leaks: list[str]) -> tuple[Floats, Number | Classes]:
        """Return labels as a study takes them, and their domain."""
        raise NotImplementedError

    def _study(self, people: Parsed) -> Study:
        """Write down what is asked."""
        protocol, settings = self._method()
        return Study(
            name=f"fit of {type(self).__name__}",
            epsilon=float(self.epsilon),
            label=people.label,
            features=people.features,
            protocol=protocol,
            settings=_written({name: getattr(self, name) for name in settings}),
            participation=getattr(self, "participation", "split"),
            hide_mask=bool(getattr(self, "hide_mask", False)),
        )

    def _protocol(self) -> StudyProtocol:
        """Build the protocol from the parameters as they were given; it refuses what it cannot use."""
        protocol, settings = self._method()
        build: Callable[..., Any] = self._protocols()[protocol]
        made: StudyProtocol = build(**{name: getattr(self, name) for name in settings})
        return made

    def _protocols(self) -> Mapping[str, Callable[..., Any]]:
        """Return the protocols for labels of this kind, by name."""
        from semildp.protocols import PROTOCOLS

        return PROTOCOLS

    def _method(self) -> tuple[str, tuple[str, ...]]:
        """Return the protocol's name, and the parameters that are its settings, by the same names."""
        raise NotImplementedError

    def _show(self, result: Simulated) -> None:
        """Set the fitted attributes beyond those that all estimators have."""

    def _numbers(self, X: Any, y: Any = "no_validation", **checks: Any) -> Any:
        """Return X, or X and y, as arrays of floats, or refuse them without showing a value."""
        try:
            return validate_data(self, X, y, dtype=np.float64, **checks)
        except OverflowError:  # whole numbers beyond float64
            raise InputError("`X` and `y` must be numbers that fit in float64. Got larger ones.") from None
        except (TypeError, ValueError) as caught:
            problem = caught
        refuse_words(X)  # not while the problem is handled: it would be shown as well
        told = without_values(str(problem))
        raise problem if told == str(problem) else InputError(told)

    def _report_text(self) -> str:
        return self.privacy_.as_text()

    def _repr_html_(self) -> str:
        drawing: str = estimator_html_repr(self)
        return drawing + self.privacy_.as_html() if hasattr(self, "privacy_") else drawing

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {**super().__getstate__(), "_counted_in": counting_process()}
        return state if state["_counted_in"] is not None else {k: v for k, v in state.items() if k != "_counted_in"}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a search that sets `epsilon` is told, once, what its answer means."""
        if "epsilon" in params:
            warn_of_epsilon_search()
        changed: Self = super().set_params(**params)
        return changed

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        if self._counted_in is not None:
            copy._counted_in = self._counted_in
        return copy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # in private entries, and at predict
        return tags


def _values(study: Study) -> dict[int, tuple[str, ...]]:
    return {j: f.domain.values for j, f in enumerate(study.features) if isinstance(f.domain, Category)}


def _written(parameters: dict[str, Any]) -> dict[str, Setting]:
    """Return the parameters that a document can hold; the others are a learner, None, or refused by the protocol."""
    written: dict[str, Setting] = {}
    for name, value in parameters.items():
        try:
            written |= check_settings({name: value})
        except InputError:
            continue
    return written
