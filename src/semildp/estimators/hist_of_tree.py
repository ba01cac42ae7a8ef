"""HistOfTree, the paper's estimator: a histogram on private features times a tree on public ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from semildp._checks import one_of, true_or_false, whole_number
from semildp.budgets import Budget
from semildp.client import acting_mask, check_labels, complete_rows
from semildp.curator import Estimate, JointTotals, Totals, plan_bins, plan_depth, read_min_count, warn_of_wide_bounds
from semildp.errors import InputError
from semildp.estimators.account import PrivacyAccount, groups_by_mask
from semildp.estimators.base import PARTICIPATIONS, LocallyPrivateRegressor, Terms
from semildp.estimators.inputs import read_sources
from semildp.estimators.rounds import People, joint_rounds, paper_rounds
from semildp.masks import Mask, is_aligned
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, label_grid
from semildp.partition import MAX_CELLS, SPLITTERS, Partition, Shape
from semildp.selection import MaskProfile, select_shape
from semildp.wire import Study

Floats = NDArray[np.float64]

_IN_WORDS = {
    "laplace": "discrete Laplace noise",
    "window": "a bounded window response",
    "joint": " and the label's residual, jointly, by the response of least noise",
    "grr": ", by generalised randomised response",
    "rr": ", by binary randomised response",
}


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
        (low, high) for all features, one pair per feature, or a mapping from feature name to pair. None takes them from
        the data, with a `PrivacyLeakWarning`.
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
    label_share
        "split": share of the people who answer in the first round. "both": share of `epsilon` that it spends (rho).
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

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        study = self._study(terms)
        acted = acting_mask(study, mask)
        shape = self._shape(acted)
        sources = read_sources(self.random_state, 5)
        rows = complete_rows(study.feature_bounds, X, acted, sources[0], clip=self.clip)
        labels = check_labels(study.label_grid, y, sources[0], clip=self.clip)
        people = People(rows, labels, acted)
        if self.cell_mechanism == "joint":
            share = self.label_share if self.participation == "split" else None
            found = joint_rounds(study, people, shape, self.splitter, share, sources)
        else:
            found = paper_rounds(study, people, shape, self.splitter, self.min_count, sources)
        self.partition_: Partition = found.partition
        self.totals_: Totals | JointTotals = found.totals
        self.estimate_: Estimate = found.estimate
        self.shape_: Shape = shape
        self.privacy_ = self._account(study, acted, found.second, terms.leaks)
        warn_of_wide_bounds(found.spread)

    def _study(self, terms: Terms) -> Study:
        one_of("splitter", self.splitter, SPLITTERS)
        one_of("label_mechanism", self.label_mechanism, tuple(LABEL_MECHANISMS))
        one_of("cell_mechanism", self.cell_mechanism, ("joint", *CELL_MECHANISMS))
        one_of("participation", self.participation, PARTICIPATIONS)
        read_min_count(self.min_count)
        if self.cell_mechanism != "joint" and self.participation == "split":
            raise InputError(
                f"`cell_mechanism` must be 'joint' where everyone visits once. Got {self.cell_mechanism!r}, which also "
                "needs the person's label: pass participation='both', or use HistOfTreeRegressor.paper()."
            )
        true_or_false("hide_mask", self.hide_mask)
        read_min_count(self.min_count)
        if self.hide_mask and self.splitter == "cart":
            raise InputError(
                "`splitter` must be 'random' or 'max-edge' with hide_mask=True. Got 'cart': it needs public features."
            )
        budget = Budget(self.epsilon, self.label_share)
        return Study(
            terms.feature_bounds,
            label_grid(self.label_mechanism, *terms.label_bounds, self._label_epsilon(budget)),
            budget,
            self.label_mechanism,
            self.cell_mechanism,
            self.hide_mask,
        )

    def _label_epsilon(self, budget: Budget) -> float:
        """What the first round spends: all of it if people visit once."""
        return budget.epsilon if self.participation == "split" else budget.label

    def _shape(self, mask: Mask) -> Shape:
        """Check what is given of s, p and t, and choose the rest."""
        d = mask.shape[1]
        s = self._given("n_histogram_features", 0, d)
        p = self._given("depth", 0, MAX_CELLS.bit_length() - 1)
        t = self._given("bins", 1, MAX_CELLS)
        if s is None and is_aligned(mask) and not mask[0].all():
            s = int(mask[0].sum())  # aligned: s = s*
        joint = self.cell_mechanism == "joint"
        if joint and p is None and s != d:
            p = plan_depth(len(mask), self.epsilon)
        shape = select_shape(
            MaskProfile(mask), self.epsilon, n_histogram_features=s, depth=p, bins=t, bias_weight=self.bias_weight
        )
        if joint and t is None:
            bins = plan_bins(len(mask), shape.n_histogram_features, shape.depth, self.epsilon)
            shape = Shape(shape.n_histogram_features, shape.depth, bins)
        return shape

    def _given(self, name: str, low: int, high: int) -> int | None:
        value = getattr(self, name)
        return (
            None if isinstance(value, str) and value == "auto" else whole_number(name, value, low, high, "Or 'auto'.")
        )

    def _predict(self, X: Floats) -> Floats:
        return self.estimate_.values[self.partition_.cell(X)]

    def _account(self, study: Study, mask: Mask, second: Mask | None, leaks: tuple[str, ...]) -> PrivacyAccount:
        noise, response = _IN_WORDS[study.label_mechanism], _IN_WORDS[study.cell_mechanism]
        label = f"the label, on a grid of {study.label_grid.steps} steps, with {noise}"
        cell = f"the cell{response} over the cells the person could be in"
        second_epsilon, label_again = study.budget.cell, False
        if self.participation == "split":
            sent = [f"either {label}; or, in the second round, {cell}"]
        elif isinstance(self.totals_, Totals):
            sent = [label, f"{cell} (exactly if only one)"]
            if not self.totals_.people.candidates.any():  # every cell was public knowledge
                second_epsilon = 0.0
        else:
            sent, label_again = [label, f"in the second round, {cell}"], True
        if not study.hide_mask:
            sent.append("the person's public features, and which features are private")
        if second is None:
            groups = groups_by_mask(mask, study.budget.label, second_epsilon, label_again=label_again)
        else:
            once = np.where(second, 0.0, self.epsilon), np.where(second, self.epsilon, 0.0)
            groups = groups_by_mask(mask, *once, label_again=True)
        spent = max(group.total for group in groups)
        simulated = self.random_state is not None
        return PrivacyAccount(spent, groups, tuple(sent), leaks, simulated, study.hide_mask)

    def _report_text(self) -> str:
        shape, level = self.shape_, self.estimate_.level
        names = self._names()
        histogram = ", ".join(names[f] for f in self.partition_.histogram_features) or "no feature"
        return (
            f"{self.privacy_.as_text()}\n\nPartition: {shape.bins} bins on {histogram}; a tree of depth {shape.depth} "
            f"({self.partition_.tree.n_leaves} leaves) on the rest; {self.partition_.n_cells} cells, "
            f"{int((level == 0).sum())} of them answered from their own reports, the others from a larger cell."
        )
