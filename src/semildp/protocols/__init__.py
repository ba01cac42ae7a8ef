"""One file per method: what is asked of whom, and what is made of it. The paper's, ours and every competitor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from semildp._checks import instance_of, one_of
from semildp.errors import InputError, refusal
from semildp.protocols.base import AddsUp, StudyProtocol
from semildp.protocols.class_hist_of_tree import ClassHistOfTree
from semildp.protocols.class_joint import ClassJoint
from semildp.protocols.class_semi_private import SemiPrivateClasses
from semildp.protocols.conduct import conduct, next_step
from semildp.protocols.density import Density
from semildp.protocols.hist_of_tree import HistOfTree
from semildp.protocols.joint import Joint
from semildp.protocols.private_histogram import PrivateHistogram
from semildp.protocols.public_tree import LabelTree, PublicTree
from semildp.protocols.randomized_features import RandomizedFeatures
from semildp.protocols.semi_private import SemiPrivate
from semildp.study import Classes, Study

__all__ = [
    "CLASS_PROTOCOLS",
    "PROTOCOLS",
    "AddsUp",
    "ClassHistOfTree",
    "ClassJoint",
    "Density",
    "HistOfTree",
    "Joint",
    "LabelTree",
    "PrivateHistogram",
    "PublicTree",
    "RandomizedFeatures",
    "SemiPrivate",
    "SemiPrivateClasses",
    "StudyProtocol",
    "asks_newcomers",
    "conduct",
    "must_be_public",
    "next_step",
    "protocol_of",
]

PROTOCOLS: dict[str, Callable[..., Any]] = {
    "semi-private": SemiPrivate,
    "hist-of-tree": HistOfTree,
    "hist-of-tree-joint": Joint,
    "public-tree": PublicTree,
    "label-tree": LabelTree,
    "randomized-features": RandomizedFeatures,
    "private-histogram": PrivateHistogram,
    "hist-of-tree-density": Density,
}

CLASS_PROTOCOLS: dict[str, Callable[..., Any]] = {  # the same names, where labels are classes
    "semi-private": SemiPrivateClasses,
    "hist-of-tree": ClassHistOfTree,
    "hist-of-tree-joint": ClassJoint,
}

_ONE_VISIT = ("semi-private", "public-tree", "label-tree")


def asks_newcomers(study: Study) -> bool:
    """Whether people can be asked as they come, in one visit; otherwise all must be enrolled before the first wave."""
    return study.protocol in _ONE_VISIT and study.participation == "split"


def must_be_public(study: Study) -> bool:
    """Whether nobody may hide a feature: the protocol keeps the label private alone."""
    return study.protocol == "label-tree"


def check_label(study: Study) -> None:
    """Refuse a study without a label, unless it is about features alone; then one with a label."""
    alone = study.protocol == "hist-of-tree-density"
    if not alone and study.label is None:
        raise InputError(
            f"The protocol {study.protocol!r} needs a label. Got none. Give the study one, or use the protocol "
            "'hist-of-tree-density', which needs none."
        )
    if alone and study.label is not None:
        raise InputError(
            f"The protocol {study.protocol!r} is about features alone. Got a label. Leave it out of the study."
        )


def protocol_of(study: Study) -> StudyProtocol:
    """Return the protocol that a study names, with its settings; what is unknown is refused."""
    instance_of("study", study, Study)
    one_of("protocol", study.protocol, tuple(PROTOCOLS))
    check_label(study)
    protocols = CLASS_PROTOCOLS if isinstance(study.label, Classes) else PROTOCOLS
    if study.protocol not in protocols:
        others = " or ".join(repr(name) for name in protocols)
        raise refusal("label", f"a number for the protocol {study.protocol!r}", "classes", f"Use {others}.")
    build: Any = protocols[study.protocol]
    known = tuple(field.name for field in fields(build))
    for name in study.settings:
        one_of(f"settings of {study.protocol}", name, known)
    made: StudyProtocol = build(**study.settings)
    return made
