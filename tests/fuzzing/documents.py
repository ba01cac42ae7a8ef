"""Public names of studies, messages, protocols and models: where bad values are thrown at them, or why not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import structs, to_builtins
from sklearn.linear_model import LinearRegression

from semildp import client, models, protocols
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Category, Classes, Feature, Number, Study, check_settings
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import Enrolment, Question, Report

Entry = tuple[Callable[..., Any], dict[str, Any]]
N = 12
RNG = np.random.default_rng(5)
ROWS, LABELS = np.column_stack([RNG.uniform(size=(N, 2)), RNG.integers(3, size=N)]), RNG.uniform(size=N)
MASK = np.tile([True, False, True], (N, 1))
FEATURES = (
    Feature("a", Number(0, 1)),
    Feature("b", Number(0, 1)),
    Feature("colour", Category(("red", "green", "blue"))),
)
FIELDS: dict[str, Any] = {
    "name": "study",
    "epsilon": 2.0,
    "label": Number(0, 1),
    "features": FEATURES,
    "protocol": "semi-private",
    "settings": {"label_share": 0.5},
    "participation": "split",
    "hide_mask": False,
}
STUDY = Study(**FIELDS)
BOTH = structs.replace(STUDY, settings={}, participation="both", protocol="hist-of-tree")
SIMULATED = simulate(BOTH, ROWS, LABELS, MASK, sources={n: SeededSource(0) for n in protocols.HistOfTree.streams})
MODEL = SIMULATED.model
QUESTION = encode(SIMULATED.transcript.entries[1].question)
VALUES = [0.5, 0.5, "red"]


def raw(text: Any) -> Any:
    """Return text as bytes, and anything else as it is."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def device(values: Any = VALUES, label: Any = 0.5, hidden: Any = ("a", "colour")) -> client.Device:
    return client.Device(BOTH, values, label, hidden, client.Ledger(4.0), SeededSource(0))


def read(path: Any) -> Any:
    """A study at any path, tried from a folder that has one."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path("study.toml").write_text(STUDY.to_toml(), encoding="utf-8")
        return Study.read(path)


def run_classes(name: str) -> Callable[..., Any]:
    """The same for labels that are classes."""

    def call(**settings: Any) -> Any:
        protocol = protocols.CLASS_PROTOCOLS[name](**settings)
        both = {"participation": "both"} if name == "hist-of-tree" else {}
        study = structs.replace(STUDY, label=Classes(("a", "b")), protocol=name, settings={}, **both)
        sources = {stream: SeededSource(0) for stream in protocol.streams}
        result = simulate(study, ROWS, np.rint(LABELS), MASK, protocol=protocol, sources=sources)
        return result.model.predict_proba(ROWS)[0]

    return call


def run(name: str) -> Callable[..., Any]:
    """A protocol made of any settings, and a study run by it."""

    def call(**settings: Any) -> Any:
        protocol = protocols.PROTOCOLS[name](**settings)
        changes = {
            "hist-of-tree": {"participation": "both"},
            "private-histogram": {"hide_mask": True},
        }.get(name, {})
        study = structs.replace(STUDY, protocol=name, settings={}, **changes)
        mask = np.zeros_like(MASK) if name == "label-tree" else MASK
        sources = {stream: SeededSource(0) for stream in protocol.streams}
        result = simulate(study, ROWS, LABELS, mask, protocol=protocol, sources=sources)
        return result.model.predict(ROWS)[0]

    return call


_SHAPE = {"n_histogram_features": "auto", "depth": "auto", "bins": "auto", "splitter": "max-edge", "bias_weight": 0.01}
_TREE = {"max_depth": 2, "min_samples_leaf": 2}
ENTRIES: dict[str, Entry] = {
    "study.Number": (Number, {"low": 0.0, "high": 1.0}),
    "study.Category": (Category, {"values": ("a", "b")}),
    "study.Classes": (Classes, {"values": ("a", "b")}),
    "study.Feature": (Feature, {"name": "a", "domain": Number(0, 1), "private": False}),
    "study.Study": (lambda **fields: Study(**fields).digest, FIELDS),
    "study.Study.from_json": (lambda text: Study.from_json(text).digest, {"text": STUDY.to_json().decode()}),
    "study.Study.from_toml": (lambda toml: Study.from_toml(toml).digest, {"toml": STUDY.to_toml()}),
    "study.Study.from_dict": (lambda data: Study.from_dict(data).digest, {"data": to_builtins(STUDY)}),
    "study.Study.read": (read, {"path": "study.toml"}),
    "study.check_settings": (check_settings, {"settings": {"a": 1}}),
    "wire.codec.decode, enrolment": (
        lambda text: decode(raw(text), Enrolment),
        {"text": encode(Enrolment(BOTH.digest, (0.5, None, "red"))).decode()},
    ),
    "wire.codec.decode, report": (
        lambda text: decode(raw(text), Report),
        {"text": encode(Report(digest(QUESTION), ((0,),))).decode()},
    ),
    "wire.codec.decode, question": (lambda text: decode(raw(text), Question), {"text": QUESTION.decode()}),
    "client.Device": (lambda **person: device(**person).enrol(), {"values": VALUES, "label": 0.5, "hidden": ["a"]}),
    "client.Device.answer": (lambda text: device().answer(raw(text)), {"text": QUESTION.decode()}),
    "client.ready": (
        lambda **given: client.ready(source=SeededSource(0), **given),
        {"study": STUDY, "X": ROWS, "y": LABELS, "mask": MASK, "clip": True},
    ),
    "simulate.simulate": (
        lambda **given: simulate(**given).model.predict(ROWS)[0],
        {"study": BOTH, "X": ROWS, "y": LABELS, "mask": MASK, "clip": True},
    ),
    "protocols.protocol_of": (protocols.protocol_of, {"study": STUDY}),
    "protocols.SemiPrivate": (
        run("semi-private"),
        {"first_share": 0.5, "label_share": 0.5, "learner": LinearRegression()},
    ),
    "protocols.Joint": (
        run("hist-of-tree-joint"),
        {**_SHAPE, "label_mechanism": "window", "first_share": 0.5, "label_share": 0.5},
    ),
    "protocols.HistOfTree": (
        run("hist-of-tree"),
        {**_SHAPE, "label_mechanism": "laplace", "cell_mechanism": "grr", "label_share": 0.5, "min_count": "auto"},
    ),
    "protocols.SemiPrivateClasses": (
        run_classes("semi-private"),
        {"first_share": 0.5, "label_share": 0.5, "learner": LinearRegression()},
    ),
    "protocols.ClassJoint": (run_classes("hist-of-tree-joint"), {**_SHAPE, "first_share": 0.5, "label_share": 0.5}),
    "protocols.ClassHistOfTree": (
        run_classes("hist-of-tree"),
        {**_SHAPE, "cell_mechanism": "grr", "label_share": 0.5, "min_count": "auto"},
    ),
    "protocols.Density": (
        protocols.Density,
        {"n_histogram_features": 1, "depth": 1, "bins": 2, "cell_mechanism": "grr", "bias_weight": 1.0},
    ),
    "protocols.PublicTree": (run("public-tree"), _TREE),
    "protocols.LabelTree": (run("label-tree"), _TREE),
    "protocols.RandomizedFeatures": (run("randomized-features"), {"bins": 2, **_TREE}),
    "protocols.PrivateHistogram": (run("private-histogram"), {"bins": 2, "threshold": 0.1}),
    "models.Model": (lambda X: MODEL.predict(X)[0], {"X": ROWS}),
    "models.Model.from_json": (lambda text: models.Model.from_json(raw(text)), {"text": MODEL.to_json().decode()}),
}

_RECORD = "a record: `decode` checks its fields, or others have computed them"
_VERIFIED = "what `decode` has read and `verify` has let through"
_CHECK = "is a check itself"
INNER: dict[str, str] = {
    **dict.fromkeys((f"study.{n}" for n in ("check_name", "check_values", "is_name")), _CHECK),
    **dict.fromkeys(
        (
            f"wire.messages.{n}"
            for n in (
                *("AskBins", "AskCell", "AskClass", "AskHistogram", "AskLabel", "AskPair", "AskSigned"),
                *("Enrolment", "Mechanism", "Partition", "Question", "Report", "Tree"),
            )
        ),
        _RECORD,
    ),
    "wire.columns.Enrolled": _RECORD,
    "wire.columns.Marks": _RECORD,
    "wire.problems.WireError": "what is raised",
    **dict.fromkeys((f"wire.codec.{n}" for n in ("digest", "encode")), _VERIFIED),
    **dict.fromkeys(
        (
            f"wire.costs.{n}"
            for n in ("Price", "cost_at_most", "count_candidates", "numbers_sent", "own_cost", "prices")
        ),
        _VERIFIED,
    ),
    **dict.fromkeys(
        (
            f"wire.forms.{n}"
            for n in (
                *("by_size", "mechanism_message", "partition_message"),
                *("read_class_response", "read_mechanism", "read_pair_response", "read_partition"),
            )
        ),
        _VERIFIED,
    ),
    **dict.fromkeys(
        (
            f"wire.people.{n}"
            for n in (
                "coded",
                "raw_label",
                "raw_number",
                "raw_row",
                "read_enrolment",
                "read_reports",
                "stack",
                "write_enrolment",
                "write_report",
            )
        ),
        _VERIFIED,
    ),
    "wire.verify.verify": "thrown at through Device.answer",
    **dict.fromkeys((f"protocols.{n}" for n in ("CLASS_PROTOCOLS", "PROTOCOLS")), "a constant"),
    "protocols.StudyProtocol": "a protocol",
    "protocols.conduct": "a protocol and a state that `simulate` or a service has made",
    "protocols.next_step": "a protocol and a state that `simulate` or a service has made",
    **dict.fromkeys(
        (
            f"models.{n}"
            for n in ("AdditiveBody", "CellBody", "DensityBody", "Effect", "OpaqueBody", "Spent", "TreeBody")
        ),
        _RECORD,
    ),
    **dict.fromkeys((f"models.{n}" for n in ("model_of", "public_prediction", "public_view")), _RECORD),
    "simulate.Simulated": _RECORD,
    "explain.what_left": "a study and the transcript of its simulation",
}
