"""HistOfTree for a density: a histogram on private features times a tree on public ones, and no label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from semildp._arrays import Floats
from semildp._checks import true_or_false, whole_number
from semildp.errors import InputError
from semildp.estimators.base import LocallyPrivateEstimator
from semildp.estimators.boxes import read_box
from semildp.estimators.domains import Parsed
from semildp.estimators.inputs import read_generator
from semildp.partition import Partition
from semildp.study import Category, Study
from semildp.wire.forms import read_partition

if TYPE_CHECKING:
    from semildp.curator.density_plan import DensityShape
    from semildp.curator.density_totals import DensityTotals
    from semildp.simulate import Simulated


class HistOfTreeDensity(DensityMixin, LocallyPrivateEstimator):  # type: ignore[misc]
    """Density of features, from people who each choose which of them stay private.

    From what is public of everybody a tree is grown on the features that are mostly shown, and the most protected ones
    are cut in equal bins. Everyone then says once, with noise and all of epsilon, in which cell of the product they
    are. The density is constant on cells: the share of a leaf is known without noise, the shares of bins within it are
    de-noised, shrunk along the tree where noise could explain them, and projected to be 0 or more and add up to 1.

    Parameters
    ----------
    epsilon
        What each person spends, on all private features jointly.
    feature_bounds
        (low, high) for all features, or an entry per feature, in a list or by name: (low, high) of a number, a list of
        the values of a category, as {"age": (0, 100), "colour": ["red", "green"]}. What is not given is taken from the
        data, with a `PrivacyLeakWarning`.
    private_features
        Names of features that everyone keeps private, or indices. For personal choices pass `mask` to `fit` instead.
        Neither means that nothing is private, and nothing is spent.
    n_histogram_features, depth, bins
        How many of the most protected features get the histogram (s), depth of the tree (p), bins per histogram feature
        (t). "auto": chosen from public numbers, to make a bound on the integrated squared error least.
    cell_mechanism
        "grr", generalised randomised response, "rr", binary randomised response, or "auto": the one with less noise.
    bias_weight
        Factor of the bias term in the bound that "auto" minimises; larger for densities that vary more, and the deeper
        and finer is the partition.
    hide_mask
        If True, people answer as though every feature were private, and the guarantee covers the mask too.
    clip
        If True, public features outside their bounds are moved to the nearer bound instead of refused.
    random_state
        None draws from the operating system. Anything else (a whole number, a RandomState, Generator or SeedSequence)
        makes the fit a reproducible simulation, which is not private.

    Attributes
    ----------
    partition_
        The published partition.
    totals_
        The sums over reports: all that was kept of them.
    shape_
        The s, p and t in use.
    mechanism_
        The mechanism in use.
    privacy_
        What was spent, by whom, under which definition; `report()` prints it.

    Notes
    -----
    A density is with respect to length in the unit of each number, and to counting in the values of each category:
    there it is a probability. It is above 0 everywhere within the bounds, since one more person is counted who is
    spread evenly over the domain; so `score_samples` is -inf outside the bounds alone.

    With s features private to all of d, and a density with bounded slopes, the integrated squared error falls as
    (n epsilon**2)**(-2 / (d + s + 2)).

    References
    ----------
    "Locally Private Estimation with Public Features", AISTATS 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from semildp import HistOfTreeDensity
    >>> X = np.random.default_rng(0).beta(2, 5, size=(20_000, 2))
    >>> model = HistOfTreeDensity(epsilon=2, feature_bounds=(0, 1), private_features=[0], random_state=0).fit(X)
    >>> model.probability([(0, 1), (0, 1)])
    1.0
    >>> bool(abs(model.probability([(0, 0.5), None]) - 0.89) < 0.05)
    True
    >>> model.sample(3, random_state=0).shape
    (3, 2)
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        feature_bounds: Any = None,
        private_features: Any = None,
        n_histogram_features: int | str = "auto",
        depth: int | str = "auto",
        bins: int | str = "auto",
        cell_mechanism: str = "auto",
        bias_weight: float = 8.0,
        hide_mask: bool = False,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.n_histogram_features = n_histogram_features
        self.depth = depth
        self.bins = bins
        self.cell_mechanism = cell_mechanism
        self.bias_weight = bias_weight
        self.hide_mask = hide_mask
        self.clip = clip
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None, mask: ArrayLike | None = None) -> Self:
        """Collect everybody's reports and learn from them.

        Parameters
        ----------
        X
            Features, one row per person; entries that are private may be NaN. In a data frame, columns of text,
            categories and truth values are taken as categories.
        y
            Not used; it is here as scikit-learn's pipelines pass one.
        mask
            One row per person, 1 where the person keeps the feature private; by name. A data frame is matched to `X` by
            column name and index. Not together with `private_features`.

        Returns
        -------
        self
        """
        if y is not None and np.ndim(y) == 2 and np.shape(y) == np.shape(X):
            raise InputError(
                "`mask` must be passed by its name. Got it as `y`, of the shape of `X`. Write fit(X, mask=...)."
            )
        return super().fit(X, y, mask)

    def score_samples(self, X: ArrayLike) -> Floats:
        """Return the log density of each row; -inf outside the bounds.

        Parameters
        ----------
        X
            Features. NaN and None are missing, and so is a category's value that is not known: of such a row the
            density of the other features is returned, missing ones being integrated out.

        Returns
        -------
        ndarray
            Natural logarithms.
        """
        return self.model_.log_density(self._queries(X))

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Return the mean log density of the rows of X; `y` is not used."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw people from the density. This asks nobody and costs nothing.

        Parameters
        ----------
        n_samples
            How many.
        random_state
            A whole number, RandomState, Generator or SeedSequence; None draws anew each time.

        Returns
        -------
        ndarray
            One row each: numbers, or, where there are categories, numbers and words.
        """
        check_is_fitted(self)
        n = whole_number("n_samples", n_samples, 1, 2**31)
        rows = self.model_.density.sample(self.study_, n, read_generator(random_state))
        if not any(isinstance(feature.domain, Category) for feature in self.study_.features):
            return rows
        words = rows.astype(object)
        for j, feature in enumerate(self.study_.features):
            if isinstance(feature.domain, Category):
                words[:, j] = np.array(feature.domain.values, dtype=object)[rows[:, j].astype(np.int64)]
        return words

    def probability(self, box: Any, return_std: bool = False) -> float | tuple[float, float]:
        """Return the probability of a box: exactly the masses of cells, times how much of each lies in the box.

        Parameters
        ----------
        box
            For each feature, in a list or some by name: (low, high) of a number, a value or a list of values of a
            category, or None for all of it.
        return_std
            Whether to return its standard deviation as well: from the known noise and from who happened to take part,
            but not from a density that varies within cells.
        """
        check_is_fitted(self)
        found = self.model_.density.probability(self.study_, read_box(self.study_, box))
        return found if true_or_false("return_std", return_std) else found[0]

    def _numbers(self, X: Any, y: Any = "no_validation", **checks: Any) -> Any:
        """Return X as an array of floats; where labels are wanted too, zeros stand for them: there are none."""
        rows = super()._numbers(X, **{name: value for name, value in checks.items() if name != "y_numeric"})
        return rows if isinstance(y, str) else (rows, np.zeros(len(rows)))

    def _read_labels(self, y: Any, leaks: list[str]) -> tuple[Floats, Any]:
        return y, None

    def _method(self) -> tuple[str, tuple[str, ...]]:
        names = ("n_histogram_features", "depth", "bins", "cell_mechanism", "bias_weight")
        return "hist-of-tree-density", names

    def _study(self, people: Parsed) -> Study:
        true_or_false("hide_mask", self.hide_mask)
        return super()._study(people)

    def _show(self, result: Simulated) -> None:
        body, done = result.model.density, result.state.done[-1]
        self.partition_: Partition = read_partition(body.partition, self.study_.bounds)
        self.totals_: DensityTotals = done.totals
        self.shape_: DensityShape = done.wave.facts["shape"]
        self.mechanism_: str = done.wave.facts["mechanism"]

    def _report_text(self) -> str:
        names = self.study_.names
        cut = zip(self.partition_.bins, self.partition_.histogram_features, strict=True)
        histogram = ", ".join(f"{bins} bins on {names[f]}" for bins, f in cut) or "no histogram"
        return (
            f"{self.privacy_.as_text()}\n\nPartition: {histogram}; a tree of depth {self.shape_.depth} "
            f"({self.partition_.tree.n_leaves} leaves) on the rest; {self.partition_.n_cells} cells."
        )
