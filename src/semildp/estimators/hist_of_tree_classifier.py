"""HistOfTree for classes: a histogram on private features times a tree on public ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semildp._arrays import Floats
from semildp._checks import one_of, true_or_false
from semildp.errors import InputError
from semildp.estimators.classifier import LocallyPrivateClassifier
from semildp.estimators.domains import Parsed
from semildp.mechanisms import CELL_MECHANISMS
from semildp.models.class_cells import ClassCellBody
from semildp.partition import Partition, Shape
from semildp.study import PARTICIPATIONS, Study
from semildp.wire.forms import read_partition

if TYPE_CHECKING:
    from semildp.simulate import Simulated

_SHARED = ("n_histogram_features", "depth", "bins", "splitter", "label_share", "bias_weight")


class HistOfTreeClassifier(LocallyPrivateClassifier):
    """Classification from people who each choose which features stay private.

    In round 1 people send their class, with noise, and their public features; from these a tree is grown on the
    features that are mostly public, and the most protected features are cut in equal bins. In round 2 people say, with
    noise, which cell of the product they are in and which class is theirs. The probabilities of a cell are its
    de-noised shares of classes, drawn to those of larger cells by the known noise, and to those of all people as far
    as reports of other people tell that this lowers the log loss. `HistOfTreeClassifier.paper()` is the paper's method
    for classes.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    classes
        The public list of classes. None: those of the labels, with a `PrivacyLeakWarning`.
    feature_bounds, private_features
        As in `HistOfTreeRegressor`.
    n_histogram_features, depth, bins, splitter
        As in `HistOfTreeRegressor`. The tree is grown from unbiased 1{class}: its splitter adds up over classes what
        it would look at for a number.
    cell_mechanism
        "joint": cell and class are sent together, by generalised response or subset selection, whichever has least
        noise for the person's number of candidates; estimates are shrunk. "grr", generalised randomised response (the
        paper's experiments), or "rr", binary randomised response (its theory): the cell alone, after the class.
    participation
        "split": each person answers in one round, with all of epsilon. "both": each answers in both (the paper's).
    first_share
        With participation "split": share of the people who answer in the first wave.
    label_share
        With participation "both": share of `epsilon` that the first wave spends on the class (rho).
    bias_weight, min_count, hide_mask, random_state
        As in `HistOfTreeRegressor`.
    clip
        If True, public features outside their bounds are moved to the nearer bound instead of refused.

    Attributes
    ----------
    classes_
        The classes, in rising order.
    partition_
        The published partition.
    probabilities_
        Probability of each class (column) in each cell (row).
    prior_
        Estimated share of each class, shrunk.
    strength_
        How far probabilities go from the prior (0) to what the reports of a cell say (1).
    shape_
        The numbers of histogram features and bins, and the depth, in use.
    privacy_
        What was spent, by whom, under which definition; `report()` prints it.

    Examples
    --------
    >>> import numpy as np
    >>> from semildp import HistOfTreeClassifier
    >>> X = np.random.default_rng(0).random((4000, 3))
    >>> y = np.where(X[:, 0] + X[:, 1] > 1, "yes", "no")
    >>> model = HistOfTreeClassifier(
    ...     epsilon=4, classes=["no", "yes"], feature_bounds=(0, 1), private_features=[0], random_state=0
    ... )
    >>> model.fit(X, y).predict([[0.9, 0.9, 0.5], [0.1, 0.1, 0.5]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        classes: Any = None,
        feature_bounds: Any = None,
        private_features: Any = None,
        n_histogram_features: int | str = "auto",
        depth: int | str = "auto",
        bins: int | str = "auto",
        splitter: str = "max-edge",
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
        self.classes = classes
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.n_histogram_features = n_histogram_features
        self.depth = depth
        self.bins = bins
        self.splitter = splitter
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
        """Return the paper's own method for classes: class and cell apart, by generalised response, from everyone.

        Parameters
        ----------
        epsilon, parameters
            As in the constructor; what is given here overrides the paper's choice.
        """
        faithful = {"cell_mechanism": "grr", "participation": "both", "label_share": 0.5}
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
                "needs the person's class: pass participation='both', or use HistOfTreeClassifier.paper()."
            )
        return super()._study(people)

    def _show(self, result: Simulated) -> None:
        body, done = result.model.body, result.state.done[-1]
        assert isinstance(body, ClassCellBody)
        self.partition_: Partition = read_partition(body.partition, self.study_.bounds)
        self.probabilities_: Floats = np.array(body.probabilities)
        self.prior_: Floats = np.array(body.prior)
        self.strength_: float = body.strength
        self.shape_: Shape = done.wave.facts["shape"]

    def cells_frame(self) -> Any:
        """Return a data frame with one row per cell: its box, the probability of each class, standard errors, people.

        The standard error is that of the share of the class in the cell; NaN with the paper's method. Needs pandas.
        """
        from semildp.estimators.frames import cells_frame

        check_is_fitted(self)
        return cells_frame(self.model_)

    def _report_text(self) -> str:
        shape, names = self.shape_, self.study_.names
        cut = zip(self.partition_.bins, self.partition_.histogram_features, strict=True)
        histogram = ", ".join(f"{bins} bins on {names[f]}" for bins, f in cut) or "no histogram"
        shares = ", ".join(f"{word} {100 * p:.0f} %" for word, p in zip(self.study_.classes, self.prior_, strict=True))
        return (
            f"{self.privacy_.as_text()}\n\nPartition: {histogram}; a tree of depth {shape.depth} "
            f"({self.partition_.tree.n_leaves} leaves) on the rest; {self.partition_.n_cells} cells.\n"
            f"Classes: {shares}. A probability is {100 * self.strength_:.0f} % that of a cell, for the rest this one."
        )
