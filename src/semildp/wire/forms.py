"""Mechanisms and partitions as they are written in messages, and back."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.mechanisms import ClassResponse, PairResponse
from semildp.mechanisms.classes import CLASS_KINDS
from semildp.mechanisms.terms import AnyMechanism, BrokenClaimError, MechanismTerms, mechanism_from, terms_of
from semildp.partition import Partition, Tree
from semildp.wire import messages
from semildp.wire.problems import WireError


def mechanism_message(mechanism: AnyMechanism) -> messages.Mechanism:
    """Write a mechanism down; thresholds as text."""
    terms = terms_of(mechanism)
    thresholds = tuple(str(t) for t in terms.thresholds)
    return messages.Mechanism(terms.kind, terms.values, terms.width, thresholds)  # type: ignore[arg-type]


@lru_cache(maxsize=1024)
def read_mechanism(message: messages.Mechanism, epsilon: float) -> AnyMechanism:
    """Build the mechanism that a message describes; refuse one that does not keep `epsilon`."""
    thresholds = tuple(int(t) for t in message.thresholds)
    try:
        return mechanism_from(MechanismTerms(message.kind, message.values, message.width, thresholds), epsilon)
    except BrokenClaimError as problem:
        raise WireError("broken-claim", str(problem).rstrip(".")) from None
    except InputError as problem:
        raise WireError("out-of-domain", str(problem).rstrip(".")) from None


def read_pair_response(message: messages.Mechanism, epsilon: float, n_candidates: int) -> PairResponse:
    """Build the response by which (candidate, level) is sent, for a person with so many candidates."""
    levels, rest = divmod(message.values, n_candidates)
    if rest or message.kind not in ("generalised", "subset", "paired"):
        raise WireError("out-of-domain", f"{message.kind!r} with {message.values} values for {n_candidates} candidates")
    read_mechanism(message, epsilon)
    try:
        return PairResponse(epsilon, n_candidates, levels, message.kind, message.width)
    except InputError as problem:
        raise WireError("out-of-domain", str(problem).rstrip(".")) from None


def read_class_response(
    message: messages.Mechanism, epsilon: float, n_candidates: int, n_classes: int
) -> ClassResponse:
    """Build the response by which (candidate, class) is sent, for a person with so many candidates."""
    if message.values != n_candidates * n_classes or message.kind not in CLASS_KINDS:
        given = f"{message.kind!r} with {message.values} values for {n_candidates} candidates and {n_classes} classes"
        raise WireError("out-of-domain", given)
    read_mechanism(message, epsilon)
    try:
        return ClassResponse(epsilon, n_candidates, n_classes, message.kind, message.width)
    except InputError as problem:
        raise WireError("out-of-domain", str(problem).rstrip(".")) from None


def partition_message(partition: Partition) -> messages.Partition:
    """Write a partition down; its bounds are the study's."""
    tree = partition.tree
    return messages.Partition(
        partition.histogram_features, partition.bins, messages.Tree(tree.feature, tree.threshold, tree.child)
    )


@lru_cache(maxsize=64)
def read_partition(message: messages.Partition, bounds: FeatureBounds) -> Partition:
    """Build the partition that a message describes, or refuse it."""
    tree = {name: list(getattr(message.tree, name)) for name in ("feature", "threshold", "child")}
    try:
        return Partition(bounds, message.features, message.bins, Tree.from_dict(tree, bounds.n_features))
    except InputError as problem:
        raise WireError("out-of-domain", str(problem).rstrip(".")) from None


def by_size(mechanisms: Iterable[tuple[int, AnyMechanism]]) -> dict[str, messages.Mechanism]:
    """Write down a mechanism for each number of candidates."""
    return {str(size): mechanism_message(mechanism) for size, mechanism in mechanisms}
