"""The fast masses of a density are those of loops over people, nodes and bins, to the last digit."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semildp.mechanisms import CELL_MECHANISMS
from semildp.models import DensityBody
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from tests.reference import cells, density, density_totals, trees
from tests.reference import estimate as estimates
from tests.reference.cases import MASKS, Case, cases
from tests.test_against_reference import assert_same_tree, blanked, send_literal

STYLE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def fast(case: Case, mechanism: str):
    study = Study(
        name="a case",
        epsilon=case.epsilon,
        features=tuple(Feature(f"x{j}", Number(*ends)) for j, ends in enumerate(case.bounds)),
        protocol="hist-of-tree-density",
        settings={
            "n_histogram_features": case.n_histogram_features,
            "depth": case.depth,
            "bins": case.bins,
            "cell_mechanism": mechanism,
        },
        hide_mask=case.hide_mask,
    )
    sources = {"fill": SeededSource(case.seed), "cell": SeededSource(case.seed + 2)}
    return simulate(study, case.X, None, case.mask, sources=sources)


def literal(case: Case, mechanism: str):
    private = [[case.hide_mask or hidden for hidden in row] for row in case.mask.tolist()]
    raw = [[cells.unit(x, *box) for x, box in zip(row, case.bounds, strict=True)] for row in case.X.tolist()]
    ranking, d = cells.ranked_features(private, len(case.bounds)), len(case.bounds)
    histogram = ranking[: case.n_histogram_features]
    shown = [f for f in range(d) if not all(row[f] for row in private)]
    rest = sorted(f for f in ranking[case.n_histogram_features :] if f in shown)
    people = trees.People(blanked(raw, private), private, [0] * len(raw))
    nodes = trees.grow(people, rest, case.depth, density_totals.uneven_edge)
    every = cells.all_cells(nodes, histogram, case.bins)
    possible = [cells.candidates(x, hidden, every, case.bins) for x, hidden in zip(raw, private, strict=True)]
    truth = [cells.cell_of(x, every, case.bins) for x in raw]
    marked = send_literal(mechanism, case.epsilon, truth, possible, SeededSource(case.seed + 2))
    w = CELL_MECHANISMS[mechanism].weights(case.epsilon)
    noise = density_totals.Noise(w.noise, w.sized_noise, w.per_mark - 1 + 2 * w.per_candidate, w.per_sized_mark)
    weights = [density_totals.weight_of(row, nodes, histogram, case.bins, noise) for row in private]
    totals = density_totals.tally(len(every), weights, possible, marked)
    code_volume = 1.0
    for _ in histogram:
        code_volume *= 1 / case.bins
    inverse = estimates.inverse_of(mechanism, case.epsilon)
    return nodes, totals, density.estimate(nodes, case.bins ** len(histogram), code_volume, totals, noise, inverse)


@pytest.mark.parametrize("masks", MASKS)
@pytest.mark.parametrize("mechanism", CELL_MECHANISMS)
@settings(STYLE, max_examples=80)
@given(data=st.data())
def test_masses_equal_the_reference(mechanism: str, masks: str, data: st.DataObject) -> None:
    case = data.draw(cases(masks))
    result, (nodes, totals, (found, masses, variances)) = fast(case, mechanism), literal(case, mechanism)
    body, sums = result.model.body, result.state.done[0].totals
    assert isinstance(body, DensityBody)
    tree = body.partition.tree
    assert_same_tree(tree, nodes)
    assert sums.reached.tolist() == [len(node.people) for node in nodes]
    assert (sums.weight, sums.squared_weight, sums.unsure_weight) == (totals.weight, totals.squared, totals.unsure)
    assert (sums.noise.tolist(), sums.sized_noise.tolist()) == (totals.noise, totals.sized_noise)
    assert list(body.shares) == found.share
    assert list(body.share_variances) == found.share_variance
    assert list(body.bin_variances) == found.bin_variance
    assert body.root_variance == found.root
    assert list(body.masses) == masses
    assert list(body.variances) == variances
