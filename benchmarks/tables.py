"""What was measured, as the sections of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.contenders import CONTENDERS, Case
from benchmarks.first_call import PEOPLE as CALLED
from benchmarks.first_call import Calls
from benchmarks.imports import BOOSTING, DEVICE, ESTIMATOR, OURS, SKLEARN, THEIRS
from benchmarks.racing import Measured
from benchmarks.randomisers import TASKS
from benchmarks.report import Aim, aims_table, figure, people, seconds, table
from benchmarks.scaling import BINS, DEPTHS, FEATURES, decade, find

HEADLINE = 2_000_000


def fits(results: Sequence[Measured]) -> str:
    """Return aims, times, memory and growth of all fits."""
    sizes = sorted({m.case.n for m in results if m.case == Case(m.case.method, m.case.n)})
    usual = [Case("", n) for n in sizes]
    heads = [people(n) for n in sizes]
    parts = [
        aims_table(fit_aims(results)),
        "![Time and memory of a fit against the number of people](docs/images/benchmarks.png)\n",
        "Seconds of a fit by number of people; 10 features, depth 6, two bins per private feature (256 cells):\n",
        _grid(results, usual, heads, lambda m: seconds(m.typical)),
        "Peak memory during the fit above what the process held before it (its input and loaded code included), as a\n"
        "multiple of the input's size. With few people this is what does not grow with them:\n",
        _grid(results, usual, heads, lambda m: figure(m.peak / m.input)),
    ]
    n = next((m.case.n for m in results if m.case != Case(m.case.method, m.case.n)), 0)
    growth = (
        ("features", [(f"{d} features", Case("", n, d=d)) for d in FEATURES]),
        ("depth of the tree", [(f"depth {k}", Case("", n, depth=k)) for k in DEPTHS]),
        ("cells", [(f"{k * k * 64:,} cells", Case("", n, bins=k)) for k in BINS]),
    )
    for what, columns in growth if n else ():
        cases = [case for _, case in columns]
        parts.append(f"With {people(n)} people, by {what}:\n")
        parts.append(_grid(results, cases, [head for head, _ in columns], lambda m: seconds(m.typical)))
    return "\n".join(parts)


def fit_aims(results: Sequence[Measured]) -> list[Aim]:
    """Return the ratios of fits that were asked for, as far as they were measured."""
    largest = max((m.case.n for m in results if m.case.method == "tree" and m.case.n <= HEADLINE), default=0)
    at = {name: find(results, Case(name, largest)) for name in CONTENDERS}
    aims = [
        _ratio(
            f"decision tree's time over the paper's method's, {people(largest)} people", at["tree"], at["paper"], 25
        ),
        _ratio("the paper's method over one HistGradientBoosting tree", at["paper"], at["histogram-tree"], 1),
        _ratio("personal masks over aligned", at["personal"], at["paper"], 3),
    ]
    half = min(largest, 1_000_000)
    ours, theirs = find(results, Case("semi", half)), find(results, Case("boosting", half))
    aims.append(_ratio(f"SemiPrivateRegressor over HistGradientBoosting, {people(half)} people", ours, theirs, 3))
    for name in ("paper", "semi"):
        usual = [m for m in results if m.case == Case(name, m.case.n)]
        if usual:
            most = max(usual, key=lambda m: m.case.n)
            label = CONTENDERS[name].label
            aims.append(
                Aim(f"{label}: peak memory over input, {people(most.case.n)} people", most.peak / most.input, 0.5)
            )
            grown = decade(results, name)
            if grown:
                tenth = people(grown[0] // 10)
                aims.append(Aim(f"{label}: time of {people(grown[0])} people over that of {tenth}", grown[1], 12))
    return [aim for aim in aims if aim is not None]


def _ratio(what: str, one: Measured | None, other: Measured | None, aim: float) -> Aim | None:
    if one is None or other is None:
        return None
    return Aim(what, one.typical / other.typical, aim, at_least=aim > 10)


def _matching(results: Sequence[Measured], case: Case) -> list[Measured]:
    return [m for m in results if m.case == Case(m.case.method, case.n, case.d, case.depth, case.bins)]


def _grid(
    results: Sequence[Measured], cases: Sequence[Case], heads: Sequence[str], cell: Callable[[Measured], str]
) -> str:
    """Return a table with a row for each estimator that was measured, and a column for each case."""
    columns = [{m.case.method: cell(m) for m in _matching(results, case)} for case in cases]
    rows = [
        (contender.label, *(column.get(name, "-") for column in columns))
        for name, contender in CONTENDERS.items()
        if sum(name in column for column in columns) > 1
    ]
    return table(("", *heads), rows)


def predict(times: dict[str, float], rows: int, fitted: int) -> str:
    """Return how long predictions take beside scikit-learn's."""
    aims = [
        Aim("HistOfTreeRegressor over DecisionTreeRegressor", times["paper"] / times["tree"], 1),
        Aim("SemiPrivateRegressor over HistGradientBoostingRegressor", times["semi"] / times["boosting"], 1),
    ]
    lines = [(CONTENDERS[name].label, seconds(taken)) for name, taken in times.items()]
    return f"{people(rows)} rows, 10 features, after a fit of {people(fitted)} people.\n\n{aims_table(aims)}\n" + table(
        ("", "seconds"), lines
    )


def calls(found: dict[str, Calls]) -> str:
    """Return what compiling and loading cost."""
    lines = [
        (CONTENDERS[name].label, seconds(c.installed), seconds(c.process), seconds(c.later))
        for name, c in found.items()
    ]
    return f"A fit of {people(CALLED)} people, 10 features. Compiled code is kept in a cache on disk.\n\n" + table(
        ("", "first after installing", "first of a process", "later"), lines
    )


def randomisers(found: dict[str, dict[str, float] | str], versions: dict[str, str]) -> str:
    """Return nanoseconds per record; a package that failed says why."""
    first = found["semildp"]
    assert isinstance(first, dict)
    lines = []
    for name, times in found.items():
        label = f"{name} {versions.get(name, '')}".strip()
        if isinstance(times, str):
            lines.append((f"{label}: {times}", *["-"] * len(TASKS)))
        else:
            shown = [
                f"{seconds(times[task] / 1e9)} ({figure(times[task] / first[task])})" if task in times else "-"
                for task in TASKS
            ]
            lines.append((label, *shown))
    return (
        "Processor time per record at ε = 1, in brackets as a multiple of ours. `semildp` draws from the operating\n"
        "system's randomness in whole numbers; seeded is a simulation. NumPy's draws are what a naive program does:\n"
        "floating-point noise, whose last digits tell values apart, from a seed. OpenDP's are exact as ours are; it\n"
        "gets a whole vector where it takes one. The others take one record at a time.\n\n"
        + table(("", *TASKS.values()), lines)
    )


def imports(taken: dict[str, float]) -> str:
    """Return how long imports take beside numpy's and scikit-learn's."""
    aims = [
        Aim(f"`{OURS}` over `{THEIRS}`", taken[OURS] / taken[THEIRS], 1.2),
        Aim(f"`{ESTIMATOR}` over `{SKLEARN}`", taken[ESTIMATOR] / taken[SKLEARN], 1.2),
        Aim(f"`{ESTIMATOR}` over `{BOOSTING}`", taken[ESTIMATOR] / taken[BOOSTING], 1.2),
    ]
    lines = [(f"`{name}`", seconds(taken[name])) for name in (OURS, THEIRS, DEVICE, SKLEARN, BOOSTING, ESTIMATOR)]
    told = "Fresh processes in turn, medians, less the time of a process that imports nothing.\n\n"
    return told + aims_table(aims) + "\n" + table(("", "seconds"), lines)
