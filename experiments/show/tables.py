"""The paper's tables in Markdown: our figure, the reported one beside it, best in bold, significance and rank sums."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from experiments.show import claims
from experiments.show.summary import Cell, load, rank_sums, reported

PAPER_METHODS = {
    "aligned": ["HistOfTree ME", "HistOfTree CART", "ParDT", "Hist", "KRR"],
    "personalized": [
        "HistOfTree ME",
        "HistOfTree CART",
        "AdHistOfTree ME",
        "AdHistOfTree CART",
        "ParDT",
        "Hist",
        "KRR",
    ],
}
NEAR = 0.15

_INTRODUCTION = """# Tables

Mean squared error on the test part as a multiple of the best non-private tree's on the same splits, both averaged over
splits. **Oracle**: each method at the grid point that is best on the test error, as the paper does; in brackets what
the paper reports; **bold** the lowest of the paper's methods; * lower than each of the others by the Wilcoxon
signed-rank test at 0.05. **Honest**: the grid point is chosen on each split from noisy reports of held-out people
alone. Rank sums are over the paper's methods. LabelDT protects the label only; mean is the mean of labels noised with
all of epsilon; HistOfTree joint is `HistOfTreeRegressor` in its one default configuration, not chosen by test
error.
"""


def figure_text(value: float) -> str:
    """Write a ratio with two digits, a large one with two significant ones."""
    return f"{value:.2f}" if value < 100 else f"{value:.2g}"


def table_line(cells: list[str]) -> str:
    """Write one line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def extra_methods(preference: str, cells: dict[str, Cell]) -> list[str]:
    """Return what was run beside the paper's methods, in the order of the rows; all errors are divided by DT's."""
    found = dict.fromkeys(method for cell in cells.values() for method in cell.results)
    return [method for method in found if method not in (*PAPER_METHODS[preference], "DT")]


def _oracle_table(
    setting: tuple[float, str], cells: dict[str, Cell], paper: dict[tuple[float, str, str, str], float]
) -> list[str]:
    epsilon, preference = setting
    methods, extra = PAPER_METHODS[preference], extra_methods(preference, cells)
    lines = [table_line(["", *methods, *extra]), table_line(["---"] * (1 + len(methods) + len(extra)))]
    for data, cell in cells.items():
        best = min(methods, key=cell.ratio)
        entries = [data]
        for method in [*methods, *extra]:
            text = figure_text(cell.ratio(method))
            if method == best:
                text = f"**{text}{'*' if cell.significant(method, methods) else ''}**"
            told = paper.get((epsilon, preference, data, method))
            entries.append(f"{text} ({told:g})" if told is not None else text)
        lines.append(table_line(entries))
    sums = rank_sums(cells, methods)
    told_sums = _reported_rank_sums(setting, list(cells), paper)
    ranks = [f"{sums[method]:g} ({told_sums[method]:g})" if told_sums else f"{sums[method]:g}" for method in methods]
    return [*lines, table_line(["rank sum", *ranks, *([""] * len(extra))])]


def _reported_rank_sums(
    setting: tuple[float, str], codes: list[str], paper: dict[tuple[float, str, str, str], float]
) -> dict[str, float]:
    methods = PAPER_METHODS[setting[1]]
    if any((*setting, code, method) not in paper for code in codes for method in methods):
        return {}
    ranks = np.array([rankdata([paper[(*setting, code, method)] for method in methods]) for code in codes])
    return dict(zip(methods, ranks.sum(axis=0).tolist(), strict=True))


def _honest_table(preference: str, cells: dict[str, Cell]) -> list[str]:
    methods, extra = PAPER_METHODS[preference], extra_methods(preference, cells)
    lines = [table_line(["", *methods, *extra]), table_line(["---"] * (1 + len(methods) + len(extra)))]
    for data, cell in cells.items():
        best = min(methods, key=lambda method: cell.ratio(method, "honest"))
        figures = {method: figure_text(cell.ratio(method, "honest")) for method in [*methods, *extra]}
        lines.append(
            table_line([data, *(f"**{text}**" if method == best else text for method, text in figures.items())])
        )
    sums = rank_sums(cells, methods, "honest")
    return [*lines, table_line(["rank sum", *(f"{sums[method]:g}" for method in methods), *([""] * len(extra))])]


def agreement(table: dict[tuple[float, str], dict[str, Cell]], method: str = "HistOfTree") -> tuple[int, list[str]]:
    """Count the cells of a method within NEAR of the reported figure, and describe the others."""
    near, far = 0, []
    for (epsilon, preference, data, name), told in reported().items():
        cells = table.get((epsilon, preference), {})
        if not name.startswith(method + " ") or data not in cells:
            continue
        ours = cells[data].ratio(name)
        if abs(ours / told - 1) <= NEAR:
            near += 1
        else:
            far.append(
                table_line(
                    [f"{epsilon:g}", preference, data, name, figure_text(ours), f"{told:g}", f"{ours / told - 1:+.0%}"]
                )
            )
    return near, far


def write(rows_csv: Path, out: Path) -> list[Path]:
    """Write tables.md and summary.csv."""
    table, paper = load(rows_csv), reported()
    lines = [_INTRODUCTION]
    for (epsilon, preference), cells in sorted(table.items()):
        splits = len(next(iter(cells.values())).results["DT"].oracle)
        lines += [f"## epsilon = {epsilon:g}, {preference}, {splits} splits", "", "Oracle", ""]
        lines += [*_oracle_table((epsilon, preference), cells, paper), "", "Honest", ""]
        lines += [*_honest_table(preference, cells), ""]
    near, far = agreement(table)
    lines += [
        f"## Agreement: {near} of {near + len(far)} cells of HistOfTree within {NEAR:.0%} of the reported figure",
        "",
    ]
    lines += [
        "| epsilon | preference | data | method | ours | reported | difference |",
        "|---|---|---|---|---|---|---|",
        *far,
        "",
    ]
    lines += ["## Claims", ""]
    sums = {setting: rank_sums(cells, PAPER_METHODS[setting[1]]) for setting, cells in table.items()}
    lines += [
        f"- {'holds' if c.holds else '**does not hold**'}: {c.text} ({c.evidence})"
        for c in claims.rank_sum_claims(sums)
    ]
    page = out / "tables.md"
    page.write_text("\n".join(lines) + "\n")
    return [page, _write_summary(table, paper, out / "summary.csv")]


def _write_summary(
    table: dict[tuple[float, str], dict[str, Cell]], paper: dict[tuple[float, str, str, str], float], target: Path
) -> Path:
    with open(target, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["epsilon", "preference", "data", "method", "oracle", "honest", "reported", "grid_point"])
        for (epsilon, preference), cells in sorted(table.items()):
            for data, cell in cells.items():
                for method, result in cell.results.items():
                    told = paper.get((epsilon, preference, data, method), "")
                    ratios = (f"{cell.ratio(method, kind):.4f}" for kind in ("oracle", "honest"))
                    writer.writerow([f"{epsilon:g}", preference, data, method, *ratios, told, result.grid_point])
    return target
