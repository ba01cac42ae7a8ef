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
)
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.client.ledger_text import ledger_bytes
from semildp.estimators import HistOfTreeRegressor, SemiPrivateRegressor
from tests.fuzzing import collecting, documents, planning
from tests.reports import BOUNDS, CENTRES, PARTITION

Entry = tuple[Callable[..., Any], dict[str, Any]]
SOURCE = sources.SeededSource(0)
GRID = domains.LabelGrid(0.0, 1.0, 4)
ROWS, LABELS = np.linspace(0.0, 1.0, 18).reshape(6, 3), np.linspace(0.0, 1.0, 6)
HIDDEN = np.tile([True, False, True], (6, 1))
ID = client.QuestionId("study", 1, "0" * 64)


def randomise(kind: str) -> Callable[..., Any]:
    """A mechanism made and used at once."""

    def call(epsilon: Any, parameter: Any, values: Any) -> Any:
        mechanism = getattr(mechanisms, kind)(epsilon, parameter)
        return mechanism.randomise(values, SOURCE), mechanism.realised_epsilon, mechanism.influence

    return call


def mechanism_entry(kind: str) -> Entry:
    return randomise(kind), {"epsilon": 1.0, "parameter": 3, "values": np.array([0, 1])}


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


ENTRIES: dict[str, Entry] = {
    "BudgetAccountant": (BudgetAccountant, {"limit": 1.0}),
    "budgets.Budget": (budgets.Budget, {"epsilon": 1.0, "label_share": 0.5}),
    "budgets.equal_part": (budgets.equal_part, {"epsilon": 1.0, "n_parts": 3}),
    "budgets.check_share": (budgets.check_share, {"name": "first_share", "value": 0.5}),
    "budgets.exact": (budgets.exact, {"name": "epsilon", "value": 1.0}),
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
    "mechanisms.PairResponse": (
        mechanisms.PairResponse,
        {"epsilon": 1.0, "n_candidates": 2, "levels": 2, "kind": "subset"},
    ),
    "mechanisms.ClassResponse": (
        mechanisms.ClassResponse,
        {"epsilon": 1.0, "n_candidates": 2, "levels": 3, "kind": "subset", "target": 1},
    ),
    "mechanisms.best_class_response": (
        mechanisms.best_class_response,
        {"epsilon": 1.0, "n_candidates": 2, "n_classes": 3},
    ),
    "mechanisms.best_pair_response": (
        mechanisms.best_pair_response,
        {"epsilon": 1.0, "n_candidates": 2, "spread": 0.2},
    ),
    "mechanisms.label_grid": (
        mechanisms.label_grid,
        {"mechanism": "window", "low": 0.0, "high": 1.0, "epsilon": 1.0},
    ),
    "partition.Shape": (partition.Shape, {"n_histogram_features": 1, "depth": 2, "bins": 3}),
    "partition.Partition": (
        partition.Partition,
        {"bounds": BOUNDS, "histogram_features": (0,), "bins": 3, "tree": partition.Tree()},
    ),
    "partition.Tree.from_dict": (
        lambda data: partition.Tree.from_dict(data, 3),
        {"data": {"feature": [-1], "threshold": [0.0], "child": [0]}},
    ),
    "curator.JointTerms": (
        curator.JointTerms,
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
    "curator.read_min_count": (curator.read_min_count, {"min_count": "auto"}),
    "audit.default_studies": (audit.default_studies, {"epsilon": 1.0, "baselines": False}),
    **documents.ENTRIES,
    **collecting.ENTRIES,
    **planning.ENTRIES,
}

_THROWN = "thrown at in test_fuzz, fit and predict included"
_CHECKED = "rows and labels that `ready` has let through"
_ADMITTED = "reports that `admit` or the client itself vouches for"
_RECORD = "a record: holds what others have computed or admitted"
_PUBLIC = "public numbers that the estimator's fit has checked"
_RESULT = "what an audit returned"
INNER: dict[str, str] = {
    **dict.fromkeys((f"client.{n}" for n in ("acting_mask", "answer", "enrol")), _CHECKED),
    **dict.fromkeys(
        (f"curator.{n}" for n in ("estimate", "grow_partition", "joint_estimate", "leaf_centres", "tally_joint")),
        _ADMITTED,
    ),
    "curator.tally_cells": _ADMITTED,
    **dict.fromkeys((f"curator.{n}" for n in ("Estimate", "JointTotals", "Tally", "Totals")), _RECORD),
    **dict.fromkeys(("client.People", "client.Sent", "partition.Candidates", "partition.Samples"), _RECORD),
    "partition.SamplesOnDemand": _RECORD,
    "mechanisms.IndicatorWeights": _RECORD,
    **documents.INNER,
    **collecting.INNER,
    **planning.INNER,
    "partition.Tree": "grown by a splitter, or read by Tree.from_dict; checking each node twice would be slow",
    "partition.grow_tree": _ADMITTED,
    "partition.scan_over": _ADMITTED,
    "backends.CHUNK": "a constant",
    "backends.chunks": "sizes that others have computed",
    "backends.fold": "adds up what others have computed",
    "partition.MAX_CELLS": "a constant",
    "partition.SPLITTERS": "a constant",
    "mechanisms.CELL_MECHANISMS": "a constant",
    "mechanisms.LABEL_MECHANISMS": "a constant",
    "mechanisms.Mechanism": "a protocol",
    **dict.fromkeys(
        (
            f"masks.{n}"
            for n in (
                "distinct_rows",
                "is_aligned",
                "most_hidden",
                "most_hidden_first",
                "repeated",
                "row_sums",
                "times_hidden",
            )
        ),
        "a mask, or a row of one, that check_mask has let through",
    ),
    "masks.ranked_features": "a mask that check_mask has let through",
    "sources.check_source": "is a check itself",
    "sources.SystemSource": "takes nothing",
    "sources.Source": "a protocol",
    **dict.fromkeys(
        (f"sources.{n}" for n in ("hits", "in_any_order", "later", "later_hits")),
        "a source, and sizes others have computed",
    ),
    "sources.below": "words of a source, and a bound that a mechanism has checked",
    **dict.fromkeys(
        (f"audit.{n}" for n in ("Attacked", "Audited", "Finding", "LowerBound", "ViolationError", "WorstRatio")),
        _RECORD,
    ),
    **dict.fromkeys((f"audit.{n}" for n in ("attack_table", "audit_table", "plot_audit")), _RESULT),
    "audit.columns": "fields of reports that a visit sends",
    "audit.Part": _RECORD,
    **dict.fromkeys(("HistOfTreeClassifier", "estimators.HistOfTreeClassifier"), "thrown at in test_fuzz_classes"),
    **dict.fromkeys(("SemiPrivateClassifier", "estimators.SemiPrivateClassifier"), "thrown at in test_fuzz_classes"),
    **dict.fromkeys(("HistOfTreeRegressor", "SemiPrivateRegressor"), _THROWN),
    **dict.fromkeys((f"estimators.{n}" for n in ("HistOfTreeRegressor", "SemiPrivateRegressor")), _THROWN),
    **dict.fromkeys(("HistOfTreeDensity", "estimators.HistOfTreeDensity"), "see tests/test_density.py"),
    **dict.fromkeys((f"baselines.{n}" for n in ("LabelTreeRegressor", "PrivateHistogramRegressor")), _THROWN),
    **dict.fromkeys((f"baselines.{n}" for n in ("PublicTreeRegressor", "RandomizedFeatureTreeRegressor")), _THROWN),
    "estimators.BudgetAccountant": "the same as BudgetAccountant",
    **dict.fromkeys(("EffectsDisplay", "estimators.EffectsDisplay"), "effects of a fitted model; test_effects_display"),
    "estimators.NoisyLabelAverage": "a learner, which scikit-learn's own checks are run on",
    "estimators.PrivacyAccount": _RECORD,
    "PrivacyAccount": _RECORD,
    "Study": "the same as study.Study",
    "domains.bin_of": "numbers that `scale` has mapped to [0, 1]",
    "budgets.float_at_least": "an exact cost",
    "budgets.float_at_most": "an exact cost",
    "InputError": "what is raised",
    "LimitError": "what is raised",
    "PrivacyLeakWarning": "what is warned with",
    "EpsilonSearchWarning": "what is warned with",
    "WideBoundsWarning": "what is warned with",
    "__version__": "a constant",
    "masks": "a module",
}
# Black boxes: they run other people's code, so only their own parameters are theirs to refuse.
BOXES: dict[str, Entry] = {
    "audit.audit_mechanism": (audit.audit_mechanism, {"mechanism": None, "trials": 1024}),
    "audit.audit_visit": (audit.audit_visit, {"visit": None, "trials": 1024}),
    "audit.audit_study": (lambda study, trials: audit.audit_study(study, trials=trials), {"study": 3, "trials": 1024}),
    "audit.Visit": (audit.Visit, {"name": "x", "epsilon": 1.0, "inputs": (0, 1), "send": len}),
    "audit.attack_floating_point": (audit.attack_floating_point, {"epsilon": None}),
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
