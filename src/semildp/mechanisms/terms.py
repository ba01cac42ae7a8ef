"""A mechanism as public numbers that can be written down, and back. What is read is never trusted."""

from __future__ import annotations

from dataclasses import dataclass

from semildp._checks import one_of
from semildp.errors import InputError
from semildp.mechanisms.binary_response import BinaryResponse
from semildp.mechanisms.discrete_laplace import DiscreteLaplace
from semildp.mechanisms.generalised_response import GeneralisedResponse
from semildp.mechanisms.paired_response import PairedResponse
from semildp.mechanisms.subset_response import SubsetResponse
from semildp.mechanisms.window_response import WindowResponse

AnyMechanism = DiscreteLaplace | WindowResponse | GeneralisedResponse | BinaryResponse | SubsetResponse | PairedResponse
KINDS: dict[str, type[AnyMechanism]] = {
    "laplace": DiscreteLaplace,
    "window": WindowResponse,
    "generalised": GeneralisedResponse,
    "binary": BinaryResponse,
    "subset": SubsetResponse,
    "paired": PairedResponse,
}


class BrokenClaimError(InputError):
    """Thresholds that are not those of the mechanism at the stated epsilon."""


@dataclass(frozen=True)
class MechanismTerms:
    """All that a device needs of a mechanism besides epsilon.

    Parameters
    ----------
    kind
        Name of the mechanism.
    values
        Number of private values.
    width
        Size of the window or of the subset; 1 for mechanisms that have neither.
    thresholds
        How many of 2**64 words lead to what, see the mechanism's `thresholds`.
    """

    kind: str
    values: int
    width: int
    thresholds: tuple[int, ...]


def terms_of(mechanism: AnyMechanism) -> MechanismTerms:
    """Write a mechanism down."""
    kind = next(name for name, its in KINDS.items() if isinstance(mechanism, its))
    width = 1
    if isinstance(mechanism, WindowResponse):
        width = mechanism.window
    elif isinstance(mechanism, SubsetResponse):
        width = mechanism.size
    return MechanismTerms(kind, mechanism.n_values, width, mechanism.thresholds)


def mechanism_from(terms: MechanismTerms, epsilon: float) -> AnyMechanism:
    """Build the mechanism; refuse thresholds that are not the ones that keep `epsilon`.

    Thresholds are the smallest (for Laplace noise the nearest) whole numbers that keep epsilon, so that every
    implementation finds the same ones. Who draws from the mechanism draws from the thresholds that were written down.
    """
    one_of("kind", terms.kind, tuple(KINDS))
    mechanism: AnyMechanism
    if terms.kind == "laplace":
        mechanism = DiscreteLaplace(epsilon, terms.values - 1)
    elif terms.kind == "window":
        mechanism = WindowResponse(epsilon, terms.values - 1, terms.width)
    elif terms.kind == "subset":
        mechanism = SubsetResponse(epsilon, terms.values, terms.width)
    elif terms.kind == "paired":
        mechanism = PairedResponse(epsilon, terms.values // 2)
    else:
        mechanism = KINDS[terms.kind](epsilon, terms.values)
    if terms_of(mechanism) != terms:
        raise BrokenClaimError(
            f"The thresholds of a question must be those that keep its epsilon {epsilon!r}. Got others for "
            f"{terms.kind!r} with {terms.values} values. Do not answer it."
        )
    return mechanism
