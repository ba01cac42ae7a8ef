"""Which check must catch which broken mechanism."""

from __future__ import annotations

from semildp.mechanisms import BinaryResponse, DiscreteLaplace, GeneralisedResponse, WindowResponse
from tests.battery import broken

CAUGHT = [
    (broken.LastBitBare(1.0, 3), "check_frequencies"),
    (broken.LastBitBare(1.0, 64), "check_frequencies"),
    (broken.LastBitBare(1.0, 3), "check_unbiased_in_samples"),
    (broken.LastBitBare(1.0, 3), "check_variance_in_samples"),
    (broken.LastCandidateBare(1.0, 3), "check_frequencies"),
    (broken.LastCandidateBare(1.0, 64), "check_frequencies"),
    (broken.SeedReusedBinary(1.0, 3), "check_fresh_randomness"),
    (broken.SeedReusedGeneralised(1.0, 3), "check_fresh_randomness"),
    (broken.SeedReusedLaplace(1.0, 7), "check_fresh_randomness"),
    (broken.OneDrawBinary(1.0, 3), "check_fresh_randomness"),
    (broken.OneDrawGeneralised(4.0, 3), "check_fresh_randomness"),
    (broken.OneDrawLaplace(1.0, 7), "check_fresh_randomness"),
    (broken.BlockReusedLaplace(1.0, 7), "check_fresh_randomness"),
    (broken.MirroredLaplace(1.0, 7), "check_fresh_randomness"),
    (broken.GlobalGeneralised(1.0, 3), "check_fresh_randomness"),
    (broken.NeverLast(1.0, 3), "check_frequencies"),
    (broken.NeverLast(1.0, 64), "check_frequencies"),
    (broken.NeverLast(1.0, 3), "check_unbiased_in_samples"),
    (broken.FirstPersonBare(1.0, 3), "check_batch_position"),
    (broken.SharedFlip(1.0, 3), "check_frequencies"),
    (broken.SharedFlip(1.0, 64), "check_frequencies"),
    (broken.NarrowLaplace(1.0, 7), "check_variance_in_samples"),
    (broken.WideLaplace(1.0, 7), "check_variance_in_samples"),
    (broken.BiasedLaplace(1.0, 7), "check_unbiased_exactly"),
    (broken.BiasedGeneralised(1.0, 3), "check_unbiased_exactly"),
    (broken.BiasedGeneralised(1.0, 3), "check_unbiased_in_samples"),
    (broken.WrongVarianceBinary(1.0, 3), "check_variance_exactly"),
    (broken.WrongVarianceBinary(1.0, 64), "check_variance_exactly"),
    (broken.WrongVarianceBinary(1.0, 3), "check_variance_in_samples"),
    (broken.WrongVarianceLaplace(1.0, 7), "check_variance_exactly"),
    (broken.OverstatedRatio(1.0, 3), "check_likelihood_ratio"),
    (broken.HairAbove(1.0, 3), "check_realised_epsilon"),
    (broken.EmptyBoast(1.0, 3), "check_realised_as_stated"),
    (broken.HalfStated(1.0, 7), "check_total_probability"),
    (broken.TakesAnything(1.0, 7), "check_refusals"),
    (broken.LastPlaceMissing(1.0, 7), "check_frequencies"),
    (broken.LastPlaceMissing(1.0, 7), "check_unbiased_in_samples"),
]


DOUBLED = {
    GeneralisedResponse: broken.DoubledGeneralised,
    BinaryResponse: broken.DoubledBinary,
    DiscreteLaplace: broken.DoubledLaplace,
    WindowResponse: broken.DoubledWindow,
}
