"""A model of SemiPrivate's first wave alone: no report of the second has any say in it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from semildp import Study, masks
from semildp.curator.waves import State
from semildp.errors import InputError
from semildp.protocols import SemiPrivate
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.study import Feature, Number
from tests import people

PROTOCOL = SemiPrivate()
N = 1500


def study(participation="split"):
    features = tuple(Feature(f"x{j}", Number(0.0, 1.0)) for j in range(5))
    return Study(
        name="two waves",
        epsilon=4.0,
        label=Number(*people.BOUNDS["label_bounds"]),
        features=features,
        participation=participation,
    )


@cache
def run(participation="split", pair_seed=3, n_private=2):
    X, y, _ = people.simulate(N)
    seeds = {"fill": 0, "cohort": 1, "label": 2, "pair": pair_seed}
    sources = {name: SeededSource(seed) for name, seed in seeds.items()}
    return simulate(study(participation), X, y, masks.first(N, 5, n_private), sources=sources)


@pytest.mark.parametrize("participation", ["split", "both"])
def test_other_reports_in_the_second_wave_change_the_model_but_not_that_of_the_first(participation):
    one, other = run(participation), run(participation, pair_seed=99)
    assert len(one.state.done) == 2
    assert one.model.to_json() != other.model.to_json()
    first = PROTOCOL.first_wave_only(one.state)
    assert first.to_json() == PROTOCOL.first_wave_only(other.state).to_json()
    assert first.body.effects == ()
    assert first.body.learned != one.model.body.learned  # that one has learnt from the second wave's labels too


def test_it_does_not_read_the_second_wave_and_leaves_the_state_alone():
    result = run()
    done = result.state.done
    blind = replace(result.state, done=[done[0], replace(done[1], answers=())])
    assert PROTOCOL.first_wave_only(blind).to_json() == PROTOCOL.first_wave_only(result.state).to_json()
    assert result.state.done == done


def test_its_account_is_that_of_the_first_wave():
    result = run()
    asked = len(result.state.done[0].wave.asked[0].people)
    spent = PROTOCOL.first_wave_only(result.state).spent
    assert {(s.n_people, s.label_epsilon, s.feature_epsilon) for s in spent} == {(asked, 4.0, 0.0), (N - asked, 0, 0)}


def test_without_a_second_wave_it_is_the_model():
    result = run(n_private=0)
    assert len(result.state.done) == 1
    assert PROTOCOL.first_wave_only(result.state).to_json() == result.model.to_json()


def test_before_the_first_wave_it_is_refused():
    with pytest.raises(InputError, match="The first wave must have come back"):
        PROTOCOL.first_wave_only(State(study(), run().state.enrolled, {}))
