"""How often an effect of the planned smallest size is found, and how often one that is not there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.planning.assumptions import Assumptions
from semildp.planning.made_up import Truth, draw_people
from semildp.planning.noticing import smallest_effects
from semildp.planning.spread import EVEN, laws_of
from semildp.planning.trying import found_effects, learn

CASES = ((1_000, 4.0, 5, 1), (3_000, 2.0, 6, 2), (5_000, 2.0, 10, 2), (5_000, 4.0, 10, 4), (20_000, 1.0, 10, 2))
LARGEST = 0.5  # of the label's variance: larger effects are not tried


def print_found(replications: int) -> None:
    """Print a table: people, epsilon, features, private ones, the planned effect, and how often it was found."""
    print("| n | ε | d | private | effect of | smallest, % of variance | found | found and not there |")
    print("|---|---|---|---|---|---|---|---|")
    for n, epsilon, d, private in CASES:
        for size, share in smallest_effects(Assumptions(d, private), n, epsilon).items():
            if share < LARGEST:
                found, false = try_effect(n, epsilon, d, private, size, share, replications)
                print(
                    f"| {n:,} | {epsilon:g} | {d} | {private} | {size} | {100 * share:.2g} "
                    f"| {found} of {replications} | {false} |",
                    flush=True,
                )


def try_effect(
    n: int, epsilon: float, d: int, private: int, size: int, share: float, replications: int
) -> tuple[int, int]:
    """Return in how many studies an effect of this share was found, and how many others were that are not there."""

    def line(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.sqrt(12) * (x - 0.5))

    wanted = tuple(range(size))
    public = [((private + j,), float(np.sqrt(0.1)), (line,)) for j in range(3)]
    truth = Truth((*public, (wanted, float(np.sqrt(share)), (line,) * size)), laws_of(EVEN) * d)
    assumed = Assumptions(d, private, 0.3, share)
    found = false = 0
    for r in range(replications):
        rng = np.random.default_rng([n, private, size, r])
        effects = found_effects(
            learn(assumed, "SemiPrivateRegressor", draw_people(assumed, truth, n, rng), epsilon, rng)
        )
        found += wanted in effects
        false += sum(each != wanted for each in effects)
    return found, false
