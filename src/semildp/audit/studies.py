"""The studies that are audited when none is given: every protocol, every way to take part, masks open and hidden."""

from __future__ import annotations

from semildp.study import Category, Feature, Number, Study

FEATURES = (
    Feature("a", Number(0.0, 1.0), private=True),
    Feature("b", Number(0.0, 1.0)),
    Feature("c", Category(("red", "green", "blue"))),
)
_CELLS = {"depth": 1, "bins": 2, "n_histogram_features": 1}


def default_studies(epsilon: float = 1.0, *, baselines: bool = False) -> tuple[Study, ...]:
    """Return small studies that together ask everything that can be asked, at this epsilon."""

    def study(protocol: str, participation: str = "both", *, hide_mask: bool = False, **settings: int | str) -> Study:
        return Study(
            name="audit",
            epsilon=epsilon,
            label=Number(0.0, 1.0),
            features=FEATURES,
            protocol=protocol,
            settings=dict(settings),
            participation=participation,  # type: ignore[arg-type]
            hide_mask=hide_mask,
        )

    found = [
        study("hist-of-tree", label_mechanism="laplace", cell_mechanism="grr", **_CELLS),
        study("hist-of-tree", label_mechanism="window", cell_mechanism="rr", **_CELLS),
        study("hist-of-tree", hide_mask=True, label_mechanism="window", cell_mechanism="grr", **_CELLS),
        study("hist-of-tree-joint", "split", **_CELLS),
        study("hist-of-tree-joint", "both", **_CELLS),
        study("hist-of-tree-joint", "split", hide_mask=True, **_CELLS),
        study("semi-private", "split"),
        study("semi-private", "both"),
    ]
    if baselines:
        found += [
            study("randomized-features", bins=2),
            study("private-histogram", hide_mask=True, bins=2),
            study("public-tree"),
        ]
    return tuple(found)
