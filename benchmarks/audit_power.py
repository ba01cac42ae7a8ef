"""The weakest fault that the audit's checks of what is drawn catch on each path: python -m benchmarks.audit_power.

A fault is planted with less and less strength until one of three seeds lets it pass; the table has the last strength
that none let pass. Sample sizes are those of `semildp audit`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from semildp.audit import ViolationError, Visit, default_studies
from semildp.audit.checks.outside import check_visit_frequencies, three_samples
from semildp.audit.checks.power import Spoilt
from semildp.audit.checks.sampled import MANY_PEOPLE, check_frequencies
from semildp.audit.laws.rows import as_rows, sends_rows, width
from semildp.audit.visits.person import Person
from semildp.audit.visits.visits import study_visits
from semildp.mechanisms import BinaryResponse, DiscreteLaplace, GeneralisedResponse, Mechanism, WindowResponse
from semildp.sources import Source, below

SEEDS = (1, 2, 3)
RATES = (10, 20, 50, 100, 200, 500, 1000, 2000)
PERCENT = (50, 20, 10, 5, 2, 1)
Kind = Callable[[float, int], Mechanism]
PATHS: dict[str, tuple[Kind, int]] = {
    "GeneralisedResponse, 8 values": (GeneralisedResponse, 8),
    "BinaryResponse, 8 values": (BinaryResponse, 8),
    "WindowResponse, 8 values": (WindowResponse, 7),
    "DiscreteLaplace, 1,025 values": (DiscreteLaplace, 1024),
    "GeneralisedResponse, 1,025 values": (GeneralisedResponse, 1025),
    "BinaryResponse, 1,025 values": (BinaryResponse, 1025),
}


def bare(mechanism: Mechanism, values: Any) -> Any:
    """Return what goes out without noise: the value, its row, or a place in its window."""
    if isinstance(mechanism, WindowResponse):
        return values + mechanism.window // 2
    return (np.arange(width(mechanism)) == values[:, None]).astype(np.int64) if sends_rows(mechanism) else values


def some_bare(chosen: Callable[[Any, Source], Any]) -> Callable[[Mechanism, Any, Source], Any]:
    """Return a sampler that adds no noise for the chosen people."""

    def draw(mechanism: Mechanism, values: Any, source: Source) -> Any:
        sent = mechanism.randomise(values, source)
        rows, who = as_rows(mechanism, sent).copy(), chosen(values, source)
        rows[who] = bare(mechanism, values[who])
        return rows.reshape(sent.shape)

    return draw


def passes(check: Callable[[int], object]) -> bool:
    """Whether some seed lets the fault pass."""
    for seed in SEEDS:
        try:
            check(seed)
        except ViolationError:
            continue
        return True
    return False


def weakest(strengths: tuple[int, ...], plant: Callable[[int], Callable[[int], object]]) -> int | None:
    """Return the last strength that is always caught, None if not even the first is."""
    found = None
    for strength in strengths:
        if passes(plant(strength)):
            break
        found = strength
    return found


def mechanism_line(kind: Kind, size: int, epsilon: float) -> list[str]:
    """Return what is caught of one mechanism: a bare value, bare people, more epsilon."""
    honest = kind(epsilon, size)

    def check(draw: Callable[[Mechanism, Any, Source], Any]) -> Callable[[int], object]:
        spoilt = cast(Mechanism, Spoilt(honest, draw))
        return lambda seed: check_frequencies(spoilt, seed, MANY_PEOPLE)

    value = not passes(check(some_bare(lambda values, source: values == size // 2)))
    people = weakest(RATES, lambda n: check(some_bare(lambda values, source: below(source.words(len(values)), n) == 0)))
    more = weakest(PERCENT, lambda x: check(lambda m, v, s: more_epsilon(kind, size, epsilon, x, v, s)))
    return [f"1 in {honest.n_values:,}" if value else "-", f"1 in {people:,}" if people else "-", f"{more} %"]


def more_epsilon(kind: Kind, size: int, epsilon: float, percent: int, values: Any, source: Source) -> Any:
    """Draw with more epsilon than is stated; a window stays the one that is stated."""
    spent = kind(epsilon * (1 + percent / 100), size)
    if isinstance(spent, WindowResponse):
        object.__setattr__(spent, "window", WindowResponse(epsilon, size).window)
    return spent.randomise(values, source)


def paper_visit(epsilon: float) -> Visit[Person]:
    """Return a visit of people who hide everything: a label with discrete Laplace noise, then one of four cells."""
    visits = (v for v in study_visits(default_studies(epsilon)[0]) if isinstance(v, Visit))
    return next(v for v in visits if v.parts[1].mechanism.n_values == 4)


def visit_line(epsilon: float) -> list[str]:
    """Return what is caught of a visit, both waves with discrete Laplace and generalised response."""
    honest = paper_visit(epsilon)

    def check(send: Callable[[Person, int, Source], Any]) -> Callable[[int], object]:
        visit: Visit[Person] = replace(honest, send=send)
        return lambda seed: check_visit_frequencies(visit, three_samples(visit, seed))

    def rarely(n: int) -> Callable[[int], object]:
        def send(person: Person, people: int, source: Source) -> Any:
            sent, who = honest.send(person, people, source), below(source.words(people), n) == 0
            sent[who, 1] = honest.parts[1].known(person) or 0
            return sent

        return check(send)

    def more(percent: int) -> Callable[[int], object]:
        return check(paper_visit(epsilon * (1 + percent / 100)).send)

    def one_cell(person: Person, people: int, source: Source) -> Any:
        sent, cell = honest.send(person, people, source), honest.parts[1].known(person)
        sent[:, 1] = cell if cell == honest.parts[1].known(honest.inputs[0]) else sent[:, 1]
        return sent

    value, n = not passes(check(one_cell)), honest.parts[1].mechanism.n_values
    people, extra = weakest(RATES, rarely), weakest(PERCENT, more)
    return [f"1 in {n}" if value else "-", f"1 in {people:,}" if people else "-", f"{extra} %"]


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    epsilon = parser.parse_args().epsilon
    print(
        f"At epsilon {epsilon:g}:\n\n| path | values bare | people bare | epsilon, scale |\n|---|---|---|---|",
        flush=True,
    )
    for name, (kind, size) in PATHS.items():
        print(f"| {name} | {' | '.join(mechanism_line(kind, size, epsilon))} |", flush=True)
    print(f"| visit, both waves: laplace + grr | {' | '.join(visit_line(epsilon))} |")


if __name__ == "__main__":
    main()
