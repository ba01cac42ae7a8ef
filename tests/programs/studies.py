"""The studies that two programs conduct, and the people in them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from semildp import masks
from semildp.study import Category, Classes, Feature, Number, Setting, Study

SEED, N_PEOPLE, MANY_PEOPLE = 7, 120, 1500  # so many that a second wave of semi-private pays
MASKS: dict[str, Callable[[int], np.ndarray]] = {
    "aligned": lambda n: masks.aligned(n, 4, [0, 2]),
    "personal": lambda n: masks.heavy_tail(n, 4, 1.0),
    "hidden": lambda n: masks.heavy_tail(n, 4, 1.0),
    "none": lambda n: np.zeros((n, 4), dtype=bool),
}
SETTINGS: dict[str, dict[str, Setting]] = {
    "hist-of-tree": {"depth": 2, "bins": 2},
    "hist-of-tree-joint": {"depth": 2, "bins": 2},
}
PROTOCOLS = (  # by name: the devices' program knows of no protocol
    "semi-private",
    "hist-of-tree",
    "hist-of-tree-joint",
    "public-tree",
    "label-tree",
    "randomized-features",
    "private-histogram",
    "hist-of-tree-density",
)
CLASS_PROTOCOLS = ("hist-of-tree", "hist-of-tree-joint")  # asked for classes too


@dataclass(frozen=True)
class Case:
    """A protocol, how people take part, and who hides what."""

    protocol: str
    how: str
    mask: str
    classes: bool = field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        return f"{self.protocol}-{self.how}-{self.mask}" + "-classes" * self.classes

    @property
    def n_people(self) -> int:
        return MANY_PEOPLE if self.protocol == "semi-private" else N_PEOPLE

    @property
    def label(self) -> Number | Classes | None:
        if self.protocol == "hist-of-tree-density":
            return None
        return Classes(("low", "middle", "high")) if self.classes else Number(-1, 4)

    @property
    def study(self) -> Study:
        hidden = self.mask == "hidden"
        return Study(
            name="two programs",
            epsilon=4.0,
            label=self.label,
            features=(
                Feature("a", Number(0, 1)),
                Feature("b", Number(0, 1)),
                Feature("c", Category(("red", "green", "blue"))),
                Feature("d", Number(-1, 1)),
            ),
            protocol=self.protocol,
            settings=SETTINGS.get(self.protocol, {}),
            participation=self.how,  # type: ignore[arg-type]
            hide_mask=hidden or self.protocol == "private-histogram",
        )

    def people(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Two numbers, a category and a third number; a label that depends on all of them; masks."""
        rng, n = np.random.default_rng(3), self.n_people
        X = np.column_stack([rng.uniform(size=(n, 2)), rng.integers(0, 3, n), rng.uniform(-1, 1, n)])
        y = X[:, 0] + X[:, 1] + 0.3 * X[:, 2] + X[:, 3] + 0.1 * rng.normal(size=n)
        y = np.digitize(y, [0.5, 1.5]).astype(np.float64) if self.classes else np.clip(y, -1, 4)
        return X, y, MASKS[self.mask](n)


def cases() -> Iterator[Case]:
    """All that can be asked: label and cell apart need both waves of everyone; a label tree protects no feature."""
    for protocol, how in itertools.product(PROTOCOLS, ("split", "both")):
        if protocol == "hist-of-tree" and how == "split":
            continue
        for mask in ("none",) if protocol == "label-tree" else ("aligned", "personal", "hidden"):
            yield Case(protocol, how, mask)
            if protocol in CLASS_PROTOCOLS:
                yield Case(protocol, how, mask, classes=True)
