"""The page of ratios: tables as text, and a page of sections of which a run replaces those it has measured."""

from __future__ import annotations

import datetime
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

HEAD = """\
# Benchmarks

`scripts/bench` writes this page and its picture (some ten minutes on 2 cores). `--million 10` goes on to 10,000,000
people, `--only SECTION` measures a part, `--quick` takes under a minute and writes to `results/bench`. What stands
in one table was measured in turn in one run: compare ratios, not seconds, which other machines and loads change.
`python -m benchmarks.guard` measures some small ratios again and fails if one is more than twice as bad as in
[`benchmarks/ratios.toml`](benchmarks/ratios.toml).

Fits are of made-up people, `y = sin x0 + sin x1 + sin x4 + noise`, ε = 2, from the operating system's randomness: every
wave, all noise and the model included. Aligned: everybody hides x0 and x1. Personal masks: everybody hides each of x0
to x3 with probability 1/2. scikit-learn's estimators see the raw data.
"""
BUSY = 0.7  # processes that wait or run, on average over a minute, from which on figures are doubtful
ORDER = ("fits", "predict", "calls", "randomisers", "imports")


@dataclass(frozen=True)
class Aim:
    """A ratio that was asked for; `at_least` if more is better."""

    what: str
    value: float
    aim: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the ratio is on the right side of its aim."""
        return self.value >= self.aim if self.at_least else self.value <= self.aim


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; all columns but the first are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def aims_table(aims: Sequence[Aim]) -> str:
    """Return ratios beside what they should be."""
    sign = {True: "at least", False: "at most"}
    rows = [
        (aim.what, figure(aim.value), f"{sign[aim.at_least]} {figure(aim.aim)}", "yes" if aim.met else "**no**")
        for aim in aims
    ]
    return table(("ratio", "measured", "aim", "met"), rows)


def figure(value: float) -> str:
    """Return a number with two or three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.3g}"


def seconds(value: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{1e9 * value:.3g} ns"


def people(n: int) -> str:
    """Return a number of people."""
    return f"{n:,}"


def machine() -> str:
    """Return the machine's size and the versions in words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {known}" for name in ("numpy", "scikit-learn", "numba") if (known := _version(name)))
    counted = f"{cores} core" + ("s" if cores != 1 else "")
    return f"{counted}, {memory:.0f} GiB of memory; Python {platform.python_version()}, {versions}"


def busy() -> str:
    """Return a few words if others use the machine: to be asked before anything is measured."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return f"the machine was busy with other work before it began (load {load:.1f})" if load > BUSY else ""


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def section(name: str, title: str, body: str, command: str, caution: str) -> str:
    """Return a section with the command that measured it, when, on what, and a caution if there is one."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    measured = f"`{command}`, {today}; {machine()}" + (f"; {caution}" if caution else "")
    return f"<!-- section: {name} -->\n\n## {title}\n\n{body.strip()}\n\n{measured}.\n\n<!-- end: {name} -->\n"


def merged(page: str, measured: dict[str, str]) -> str:
    """Return the page with the sections that were measured in place of the old ones, and others left as they are."""
    found = re.findall(r"<!-- section: (\S+) -->.*?<!-- end: \1 -->\n", page, re.DOTALL)
    kept = {name: _between(page, name) for name in found}
    parts = {**kept, **measured}
    names = [*(name for name in ORDER if name in parts), *(name for name in parts if name not in ORDER)]
    return "\n".join([HEAD, *(parts[name] for name in names)])


def _between(page: str, name: str) -> str:
    match = re.search(rf"<!-- section: {name} -->.*?<!-- end: {name} -->\n", page, re.DOTALL)
    assert match is not None
    return match.group()
