"""Every public name: where bad values are thrown at it, or why not.

ENTRIES take whatever they are given. INNER ones take what an entry point has let through, and check nothing twice: the
text names the gate. A name in neither fails the test, so that whoever adds one has to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import chdir
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from semildp import (
    BudgetAccountant,
    audit,
    budgets,
    client,
    curator,
    domains,
    masks,
    mechanisms,
    partition,
    sources,
    wire,
)
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.client.ledger_text import ledger_bytes
from semildp.estimators import HistOfTreeRegressor, SemiPrivateRegressor
from tests.reports import BOUNDS, CENTRES, EPSILON, PARTITION, PRIVATES, REPORTS

Entry = tuple[Callable[..., Any], dict[str, Any]]
SOURCE = sources.SeededSource(0)
GRID = domains.LabelGrid(0.0, 1.0, 4)
BUDGET = budgets.Budget(1.0)
STUDY = wire.Study(BOUNDS, GRID, BUDGET, "window")
PAIRS = wire.PairQuestion(BOUNDS, (0, 2), mechanisms.PairCode(EPSILON, 4, 3, "generalised"), 0.5)
JOINT = wire.JointQuestion(PARTITION, CENTRES, 0.5, 0.2, EPSILON)
ROWS, LABELS = PRIVATES[2].rows()
HIDDEN = np.tile([True, False, True], (6, 1))
ID = client.QuestionId("study", 1, "0" * 64)
REPORTED = {name: REPORTS[name][1](PRIVATES[2], SOURCE) for name in ("label, window", "cell, grr", "joint")}


def randomise(kind: str) -> Callable[..., Any]:
    """A mechanism made and used at once."""

    def call(epsilon: Any, parameter: Any, values: Any) -> Any:
        mechanism = getattr(mechanisms, kind)(epsilon, parameter)
        return mechanism.randomise(values, SOURCE), mechanism.realised_epsilon, mechanism.influence

    return call


def mechanism_entry(kind: str) -> Entry:
    return randomise(kind), {"epsilon": 1.0, "parameter": 3, "values": np.array([0, 1])}


def record(kind: type[Any]) -> Callable[..., Any]:
    """Reports of any shape and content, as a stranger may send them."""
    return lambda **columns: kind(**columns)


def admitted_labels(labels: Any, public: Any, mask: Any, epsilon: Any) -> Any:
    curator.admit_labels(STUDY, wire.LabelReports(labels, public, mask), epsilon)


def admitted_cells(person: Any, cell: Any) -> Any:
    curator.admit_cells(STUDY, PARTITION, REPORTED["label, window"], wire.CellReports(person, cell))


def admitted_pairs(feature: Any, person: Any, value: Any) -> Any:
    curator.admit_pairs(PAIRS, HIDDEN, wire.PairReports(feature, person, value))


def admitted_joint(person: Any, cell: Any, level: Any) -> Any:
    label = REPORTED["label, window"]
    curator.admit_joint(JOINT, label.public, label.mask, wire.JointReports(person, cell, level))


def answered(limit: Any, question: Any, epsilon: Any, report: Any) -> Any:
    return client.Ledger(limit).answer(question, epsilon, lambda spend: report)


def opened(text: Any, limit: Any) -> Any:
    """A ledger from a file of any content."""
    with TemporaryDirectory() as folder:
        place = Path(folder, "ledger")
        if isinstance(text, str):
            place.write_bytes(text.encode("utf-8", "surrogatepass"))
        client.Ledger.open(place, limit).close()


def opened_at(path: Any, limit: Any) -> Any:
    """A ledger at any path, tried from an empty folder."""
    with TemporaryDirectory() as folder, chdir(folder):
        client.Ledger.open(path, limit).close()


def source_words(seed: Any) -> Any:
    return sources.SeededSource(seed).words(3)


PLANNING = (
    "guessed_variance",
    "pays",
    "plan_bins",
    "plan_depth",
    "plan_pairs",
    "prediction_error",
    "public_gain",
    "public_signal",
    "residual_variance",
)
_SIX = np.arange(6)
ENTRIES: dict[str, Entry] = {
    "BudgetAccountant": (BudgetAccountant, {"limit": 1.0}),
    "budgets.Budget": (budgets.Budget, {"epsilon": 1.0, "label_share": 0.5}),
    "budgets.equal_part": (budgets.equal_part, {"epsilon": 1.0, "n_parts": 3}),
    "domains.FeatureBounds": (domains.FeatureBounds, {"low": (0.0, 0.0), "high": (1.0, 2.0), "names": ("a", "b")}),
    "domains.LabelGrid": (domains.LabelGrid, {"low": 0.0, "high": 1.0, "steps": 4}),
    "domains.LabelGrid.for_epsilon": (domains.LabelGrid.for_epsilon, {"low": 0.0, "high": 1.0, "epsilon": 1.0}),
    "domains.check_interval": (domains.check_interval, {"name": "bounds", "low": 0.0, "high": 1.0}),
    "masks.check_mask": (masks.check_mask, {"mask": HIDDEN, "n_people": 6, "n_features": 3}),
    "masks.aligned": (masks.aligned, {"n_people": 4, "n_features": 3, "private": [0]}),
    "masks.first": (masks.first, {"n_people": 4, "n_features": 3, "n_private": 1}),
    "masks.heavy_tail": (masks.heavy_tail, {"n_people": 4, "n_features": 3, "gamma": 1.0}),
    "masks.staircase": (masks.staircase, {"n_people": 4, "n_features": 3, "step": 1}),
    "masks.default_private_count": (masks.default_private_count, {"n_features": 3}),
    "sources.SeededSource": (source_words, {"seed": 0}),
    **{
        f"mechanisms.{kind}": mechanism_entry(kind)
        for kind in (
            "BinaryResponse",
            "DiscreteLaplace",
            "GeneralisedResponse",
            "PairedResponse",
            "SubsetResponse",
            "WindowResponse",
        )
    },
    "mechanisms.PairCode": (
        mechanisms.PairCode,
        {"epsilon": 1.0, "n_candidates": 2, "levels": 2, "kind": "subset"},
    ),
    "mechanisms.best_code": (mechanisms.best_code, {"epsilon": 1.0, "n_candidates": 2, "spread": 0.2}),
    "mechanisms.label_grid": (
        mechanisms.label_grid,
        {"mechanism": "window", "low": 0.0, "high": 1.0, "epsilon": 1.0},
    ),
    "partition.Shape": (partition.Shape, {"n_histogram_features": 1, "depth": 2, "bins": 3}),
    "partition.Partition": (
        partition.Partition,
        {"bounds": BOUNDS, "histogram_features": (0,), "bins": 3, "tree": partition.Tree()},
    ),
    "partition.Partition.from_json": (partition.Partition.from_json, {"text": PARTITION.to_json()}),
    "wire.Study": (
        wire.Study,
        {
            "feature_bounds": BOUNDS,
            "label_grid": GRID,
            "budget": BUDGET,
            "label_mechanism": "window",
            "cell_mechanism": "grr",
            "hide_mask": False,
        },
    ),
    "wire.PairQuestion": (
        wire.PairQuestion,
        {"bounds": BOUNDS, "features": (0, 2), "code": PAIRS.code, "reach": 0.5},
    ),
    "wire.JointQuestion": (
        wire.JointQuestion,
        {"partition": PARTITION, "centres": CENTRES, "reach": 0.5, "spread": 0.2, "epsilon": 1.0},
    ),
    "client.complete_rows": (
        client.complete_rows,
        {"bounds": BOUNDS, "X": ROWS, "mask": HIDDEN, "source": SOURCE, "clip": True},
    ),
    "client.check_labels": (client.check_labels, {"grid": GRID, "y": LABELS, "source": SOURCE, "clip": True}),
    "client.QuestionId": (client.QuestionId, {"study": "s", "round": 1, "digest": "0" * 64}),
    "client.Ledger": (answered, {"limit": 1.0, "question": ID, "epsilon": 0.5, "report": b"sent"}),
    "client.Ledger.open": (opened, {"text": ledger_bytes(Fraction(1), []).decode(), "limit": None}),
    "client.Ledger.open, path": (opened_at, {"path": "ledger", "limit": 1.0}),
    "curator.admit_labels": (
        admitted_labels,
        {
            "labels": REPORTED["label, window"].labels,
            "public": REPORTED["label, window"].public,
            "mask": REPORTED["label, window"].mask,
            "epsilon": None,
        },
    ),
    "curator.admit_cells": (
        admitted_cells,
        {"person": REPORTED["cell, grr"].person, "cell": REPORTED["cell, grr"].cell},
    ),
    "curator.admit_pairs": (admitted_pairs, {"feature": np.zeros(6, dtype=np.int64), "person": _SIX, "value": _SIX}),
    "curator.admit_joint": (
        admitted_joint,
        {name: getattr(REPORTED["joint"], name) for name in ("person", "cell", "level")},
    ),
    "curator.read_min_count": (curator.read_min_count, {"min_count": "auto"}),
    "audit.AuditStudy": (audit.AuditStudy, audit.AuditStudy().as_dict() | {"bins": 2}),
    "audit.AuditStudy.from_json": (audit.AuditStudy.from_json, {"text": audit.AuditStudy().to_json()}),
}
del ENTRIES["audit.AuditStudy"][1]["version"]

_CHECKED = "rows and labels that complete_rows and check_labels have let through"
_ADMITTED = "reports that admit_* or the client itself vouches for"
_RECORD = "a record: holds what others have computed or admitted"
_PUBLIC = "public numbers that the estimator's fit has checked"
_RESULT = "what an audit returned"
INNER: dict[str, str] = {
    **dict.fromkeys((f"client.{n}" for n in ("acting_mask", "randomise_features", "randomise_labels")), _CHECKED),
    **dict.fromkeys((f"client.report_{n}" for n in ("cells", "histogram", "joint", "labels", "pairs")), _CHECKED),
    **dict.fromkeys(
        (
            f"curator.{n}"
            for n in (
                "estimate",
                "estimate_effects",
                "grow_partition",
                "joint_estimate",
                "label_spread",
                "leaf_centres",
                "residual_estimates",
                "tally_joint",
                "tally_pairs",
                "tally_reports",
                "warn_of_wide_bounds",
            )
        ),
        _ADMITTED,
    ),
    **dict.fromkeys(
        (f"curator.{n}" for n in PLANNING),
        _PUBLIC,
    ),
    **dict.fromkeys(
        (
            f"curator.{n}"
            for n in ("Effects", "Estimate", "JointTotals", "LabelSpread", "PairPlan", "PairTotals", "Tally", "Totals")
        ),
        _RECORD,
    ),
    **dict.fromkeys((f"wire.{n}" for n in ("CellReports", "JointReports", "LabelReports", "PairReports")), _RECORD),
    **dict.fromkeys(
        ("client.Sent", "partition.Candidates", "partition.Samples", "mechanisms.IndicatorWeights"), _RECORD
    ),
    "partition.Tree": "grown by a splitter, or read by Partition.from_json; checking each node twice would be slow",
    "partition.grow_tree": _ADMITTED,
    "partition.MAX_CELLS": "a constant",
    "partition.SPLITTERS": "a constant",
    "mechanisms.CELL_MECHANISMS": "a constant",
    "mechanisms.LABEL_MECHANISMS": "a constant",
    "mechanisms.Mechanism": "a protocol",
    "masks.is_aligned": "a mask that check_mask has let through",
    "masks.ranked_features": "a mask that check_mask has let through",
    "sources.check_source": "is a check itself",
    "sources.SystemSource": "takes nothing",
    "sources.Source": "a protocol",
    "sources.below": "words of a source, and a bound that a mechanism has checked",
    **dict.fromkeys(
        (
            f"audit.{n}"
            for n in ("Attacked", "Audited", "Channel", "Finding", "LowerBound", "ViolationError", "WorstRatio")
        ),
        _RECORD,
    ),
    **dict.fromkeys((f"audit.{n}" for n in ("attack_table", "audit_table", "plot_audit")), _RESULT),
    "audit.columns": "fields of reports that a visit sends",
    "audit.Part": _RECORD,
    "HistOfTreeRegressor": "thrown at in test_fuzz, fit and predict included",
    "SemiPrivateRegressor": "thrown at in test_fuzz, fit and predict included",
    "PrivacyAccount": _RECORD,
    "InputError": "what is raised",
    "LimitError": "what is raised",
    "PrivacyLeakWarning": "what is warned with",
    "__version__": "a constant",
    "masks": "a module",
}
# Black boxes: they run other people's code, so only their own parameters are theirs to refuse.
BOXES: dict[str, Entry] = {
    "audit.audit_mechanism": (audit.audit_mechanism, {"mechanism": None, "trials": 1024}),
    "audit.audit_visit": (audit.audit_visit, {"visit": None, "trials": 1024}),
    "audit.audit_study": (audit.audit_study, {"study": 3, "trials": 1024}),
    "audit.Visit": (audit.Visit, {"name": "x", "epsilon": 1.0, "inputs": (0, 1), "send": len}),
    "audit.attack_floating_point": (audit.attack_floating_point, {"epsilon": None}),
    "audit.channel_matrix": (audit.channel_matrix, {"mechanism": None}),
    "audit.lower_bound": (audit.lower_bound, {"visit": None, "source": SOURCE}),
    "audit.mechanism_visit": (audit.mechanism_visit, {"mechanism": None}),
    "audit.worst_ratio": (audit.worst_ratio, {"mechanism": None}),
}
ESTIMATORS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        HistOfTreeRegressor,
        SemiPrivateRegressor,
        LabelTreeRegressor,
        PrivateHistogramRegressor,
        PublicTreeRegressor,
        RandomizedFeatureTreeRegressor,
    )
}
