"""HistOfTree, the paper's estimator: a histogram on private features times a tree on public ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from semildp._checks import one_of, true_or_false
from semildp.errors import InputError
from semildp.estimators.domains import Parsed
from semildp.estimators.inputs import callers_level
from semildp.estimators.regressor import LocallyPrivateRegressor
from semildp.mechanisms import CELL_MECHANISMS
from semildp.models import CellBody
from semildp.partition import Partition, Shape
from semildp.study import PARTICIPATIONS, Study
from semildp.wire.forms import read_partition

if TYPE_CHECKING:
    from semildp.curator import JointTotals, Totals
    from semildp.simulate import Simulated

_SHARED = ("n_histogram_features", "depth", "bins", "splitter", "label_mechanism", "label_share", "bias_weight")


class HistOfTreeRegressor(LocallyPrivateRegressor):
    """Regression from people who each choose which features stay private.

    In round 1 people send a noisy label and their public features; from these a tree is grown on the features that are
    mostly public, and the most protected features are cut in equal bins. In round 2 people say, with noise, which cell
    of the product they are in. A prediction is the de-noised mean label of a cell. `HistOfTreeRegressor.paper()` is the
    paper's method; the defaults have the same guarantee and much less noise.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    label_bounds
        (low, high) of the label, known beforehand. None takes them from the labels, with a `PrivacyLeakWarning`.
    feature_bounds
        (low, high) for all features, or an entry per feature, in a list or by name: (low, high) of a number, a list of
        the values of a category, as {"age": (0, 100), "colour": ["red", "green"]}. What is not given is taken from the
        data, with a `PrivacyLeakWarning`.
    private_features
        Names of features that everyone keeps private, or indices. For personal choices pass `mask` to `fit` instead.
        Neither means that only the label is private.
    n_histogram_features
        How many of the most protected features get the histogram (s). "auto": the private ones if everyone hides the
        same, else the number that minimises the paper's bound.
    depth, bins
        Depth of the tree (p) and bins per histogram feature (t), or "auto": from public numbers; by the paper's bound
        where estimates are not shrunk ("grr", "rr").
    splitter
        "max-edge" (the paper's), "cart", or "random", which looks at no label.
    label_mechanism
        "window": a bounded report. "laplace": discrete Laplace noise on a public grid (the paper's), twice the variance
        at epsilon 1 and five times at 4.
    cell_mechanism
        "joint": cell and label are sent together, by generalised response, subset selection or PCKV-UE, whichever has
        least noise for the person's number of candidates; estimates are shrunk by the known noise. "grr", generalised
        randomised response (the paper's experiments), or "rr", binary randomised response (its theory): the cell alone.
    participation
        "split": each person answers in one round, with all of epsilon. "both": each answers in both (the paper's).
    first_share
        With participation "split": share of the people who answer in the first wave.
    label_share
        With participation "both": share of `epsilon` that the first wave spends on the label (rho).
    bias_weight
        Factor of the bias term in the bound that "auto" minimises, in units of the squared label range: roughly the
        share of it that the regression function explains. 1 in the paper's theory; 0.01, 0.1 or 1 in its experiments.
    min_count
        With "grr" and "rr": cells whose estimated number of people is not above this fall back to a larger cell.
        "auto": one standard deviation of the noise in that number, and at least 1.
    hide_mask
        If True, people answer as though every feature were private, and the guarantee covers the mask too.
    clip
        If True, labels and public features outside their bounds are moved to the nearer bound instead of refused.
    random_state
        None draws from the operating system. Anything else (a whole number, a RandomState, Generator or SeedSequence)
        makes the fit a reproducible simulation, which is not private.

    Attributes
    ----------
    partition_
        The published partition.
    totals_
        The sums over reports: all that was kept of them.
    estimate_
        Prediction, estimated count and fall-back level of each cell.
    shape_
        The s, p and t in use.
    privacy_
        What was spent, by whom, under which definition; `report()` prints it.

    Notes
    -----
    `paper()` with everything on "auto" is the paper's AdHistOfTree.

    References
    ----------
    "Locally Private Estimation with Public Features", AISTATS 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from semildp import HistOfTreeRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(20_000, 3))
    >>> y = np.clip(X[:, 0] + X[:, 2] + 0.1 * rng.normal(size=20_000), 0, 2)
    >>> model = HistOfTreeRegressor(
    ...     epsilon=4, label_bounds=(0, 2), feature_bounds=(0, 1), private_features=[0], random_state=0
    ... ).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_bounds: Any = None,
        feature_bounds: Any = None,
        private_features: Any = None,
        n_histogram_features: int | str = "auto",
        depth: int | str = "auto",
        bins: int | str = "auto",
        splitter: str = "max-edge",
        label_mechanism: str = "window",
        cell_mechanism: str = "joint",
        participation: str = "split",
        first_share: float = 1 / 3,
        label_share: float = 1 / 3,
        bias_weight: float = 0.01,
        min_count: float | str = "auto",
        hide_mask: bool = False,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_bounds = label_bounds
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.n_histogram_features = n_histogram_features
        self.depth = depth
        self.bins = bins
        self.splitter = splitter
        self.label_mechanism = label_mechanism
        self.cell_mechanism = cell_mechanism
        self.participation = participation
        self.first_share = first_share
        self.label_share = label_share
        self.bias_weight = bias_weight
        self.min_count = min_count
        self.hide_mask = hide_mask
        self.clip = clip
        self.random_state = random_state

    @classmethod
    def paper(cls, epsilon: float = 1.0, **parameters: Any) -> Self:
        """Return the paper's own method: Laplace labels, generalised response, both rounds asked of everyone.

        Parameters
        ----------
        epsilon, parameters
            As in the constructor; what is given here overrides the paper's choice.
        """
        faithful = {"label_mechanism": "laplace", "cell_mechanism": "grr", "participation": "both", "label_share": 0.5}
        return cls(epsilon, **{**faithful, **parameters})

    def _method(self) -> tuple[str, tuple[str, ...]]:
        if self.cell_mechanism == "joint":
            return "hist-of-tree-joint", (*_SHARED, "first_share")
        return "hist-of-tree", (*_SHARED, "cell_mechanism", "min_count")

    def _study(self, people: Parsed) -> Study:
        from semildp.curator import read_min_count

        one_of("cell_mechanism", self.cell_mechanism, ("joint", *CELL_MECHANISMS))
        one_of("participation", self.participation, PARTICIPATIONS)
        true_or_false("hide_mask", self.hide_mask)
        read_min_count(self.min_count)
        if self.cell_mechanism != "joint" and self.participation == "split":
            raise InputError(
                f"`cell_mechanism` must be 'joint' where everyone visits once. Got {self.cell_mechanism!r}, which also "
                "needs the person's label: pass participation='both', or use HistOfTreeRegressor.paper()."
            )
        return super()._study(people)

    def _show(self, result: Simulated) -> None:
        from semildp.curator import Estimate
        from semildp.curator.wide_bounds import spread_of, warn_of_wide_bounds

        body, done = result.model.body, result.state.done[-1]
        assert isinstance(body, CellBody)
        self.partition_: Partition = read_partition(body.partition, self.study_.bounds)
        self.totals_: Totals | JointTotals = done.totals
        self.estimate_ = Estimate.of(body.values, body.counts, body.levels)
        self.shape_: Shape = done.wave.facts["shape"]
        warn_of_wide_bounds(spread_of(result.state), callers_level() + 1)

    def cells_frame(self) -> Any:
        """Return a data frame with one row per cell: its box, prediction, standard error, people and level.

        The standard error is that of the cell's mean. Needs pandas.
        """
        from semildp.estimators.frames import cells_frame

        check_is_fitted(self)
        return cells_frame(self.model_)

    def _report_text(self) -> str:
        shape, level, names = self.shape_, self.estimate_.level, self.study_.names
        cut = zip(self.partition_.bins, self.partition_.histogram_features, strict=True)
        histogram = ", ".join(f"{bins} bins on {names[f]}" for bins, f in cut) or "no histogram"
        return (
            f"{self.privacy_.as_text()}\n\nPartition: {histogram}; a tree of depth {shape.depth} "
            f"({self.partition_.tree.n_leaves} leaves) on the rest; {self.partition_.n_cells} cells, "
            f"{int((level == 0).sum())} of them answered from their own reports, the others from a larger cell."
        )
