"""Names of planning, tuning and displays: where bad values are thrown at them, or why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.model_selection import GridSearchCV

from semildp import SemiPrivateRegressor
from semildp.planning import Assumptions
from semildp.tuning import SearchCost

Entry = tuple[Callable[..., Any], dict[str, Any]]


def cost_of_grid(epsilon: Any, cv: Any) -> Any:
    """What a search would cost."""
    return SearchCost.of(GridSearchCV(SemiPrivateRegressor(epsilon), {"first_share": [0.3, 0.5]}, cv=cv)).per_person


ENTRIES: dict[str, Entry] = {
    "planning.Assumptions": (
        Assumptions,
        {
            "n_features": 5,
            "n_private": 2,
            "public_share": 0.3,
            "private_share": 0.1,
            "shape": "smooth",
            "bend": 0.1,
            "together": 0.1,
            "matter": (1, 1),
            "hide": 0.9,
            "width": 6.0,
            "spread": 0.2,
        },
    ),
    "tuning.SearchCost": (SearchCost.of, {"search": SemiPrivateRegressor()}),
    "tuning.SearchCost, of a grid": (cost_of_grid, {"epsilon": 1.0, "cv": 3}),
}

_RECORD = "a record: holds what a plan or a comparison has computed"
_PLANNED = (
    "refuses before it simulates; what it takes it simulates, for long if people are many: see tests/test_plan.py"
)
_DRAWN = "draws; what cannot be drawn is refused by name: see tests/test_displays.py"
_DISPLAYS = ("CalibrationDisplay", "ImportanceDisplay", "MasksDisplay", "PartitionDisplay", "TradeOffDisplay")

INNER: dict[str, str] = {
    **dict.fromkeys(("plan", "planning.plan"), _PLANNED),
    **dict.fromkeys((f"planning.{n}" for n in ("Expected", "Needed", "Plan", "Row")), _RECORD),
    **dict.fromkeys((*_DISPLAYS, *(f"displays.{n}" for n in _DISPLAYS)), _DRAWN),
    **dict.fromkeys((f"tuning.{n}" for n in ("Candidate", "Chosen")), _RECORD),
    "tuning.choose_learner": "refuses before it collects, then fits as SemiPrivateRegressor does: tests/test_tuning.py",
    "tuning.CountedSearch": "runs a search that scikit-learn checks: see tests/test_tuning.py",
}
