"""The studies that are audited when none is given: every protocol, every way to take part, masks open and hidden."""

from __future__ import annotations

from typing import Literal

from semildp._checks import true_or_false
from semildp.study import Category, Classes, Feature, Number, Setting, Study

Participation = Literal["split", "both"]

FEATURES = (
    Feature("a", Number(0.0, 1.0), private=True),
    Feature("b", Number(0.0, 1.0)),
    Feature("c", Category(("red", "green", "blue"))),
)
NUMBER, CLASSES = Number(0.0, 1.0), Classes(("no", "perhaps", "yes"))
_CELLS: dict[str, Setting] = {"depth": 1, "bins": 2, "n_histogram_features": 1}


def default_studies(epsilon: float = 1.0, *, baselines: bool = False) -> tuple[Study, ...]:
    """Return small studies that together ask everything that can be asked, at this epsilon."""

    def study(
        protocol: str,
        participation: Participation,
        settings: dict[str, Setting],
        *,
        hide_mask: bool = False,
        label: Number | Classes | None = NUMBER,
    ) -> Study:
        return Study(
            name="audit",
            epsilon=epsilon,
            label=label,
            features=FEATURES,
            protocol=protocol,
            settings=settings,
            participation=participation,
            hide_mask=hide_mask,
        )

    def paper(label: str, cell: str, *, hide_mask: bool = False) -> Study:
        settings: dict[str, Setting] = {"label_mechanism": label, "cell_mechanism": cell}
        return study("hist-of-tree", "both", {**_CELLS, **settings}, hide_mask=hide_mask)

    found = [
        paper("laplace", "grr"),
        paper("window", "rr"),
        paper("window", "grr", hide_mask=True),
        study("hist-of-tree-joint", "split", _CELLS),
        study("hist-of-tree-joint", "both", _CELLS),
        study("hist-of-tree-joint", "split", _CELLS, hide_mask=True),
        study("hist-of-tree-density", "split", {**_CELLS, "cell_mechanism": "grr"}, label=None),
        study("hist-of-tree-density", "split", {**_CELLS, "cell_mechanism": "rr"}, label=None),
        study("hist-of-tree-density", "split", {**_CELLS, "bins": 3}, label=None, hide_mask=True),
        study("semi-private", "split", {}),
        study("semi-private", "both", {}),
        study("hist-of-tree", "both", {**_CELLS, "cell_mechanism": "grr"}, label=CLASSES),
        study("hist-of-tree-joint", "split", _CELLS, label=CLASSES),
        study("hist-of-tree-joint", "split", _CELLS, label=CLASSES, hide_mask=True),
    ]
    if true_or_false("baselines", baselines):
        found += [
            study("randomized-features", "both", {"bins": 2}),
            study("private-histogram", "both", {"bins": 2}, hide_mask=True),
            study("public-tree", "both", {}),
        ]
    return tuple(found)
