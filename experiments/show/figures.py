"""The figures: a picture, its numbers, and whether what the paper says of it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from experiments.show import (
    claims,
    drawing,
    figure_consistency,
    figure_data,
    figure_parameters,
    figure_selection,
    figure_trade_off,
)
from experiments.show.figure_data import Results


@dataclass(frozen=True)
class Kind:
    """How a figure is drawn, told in numbers, and judged."""

    title: str
    draw: Callable[[Results], Figure]
    text: Callable[[Results], str]
    judge: Callable[[Results], list[claims.Claim]]


KINDS = {
    "trade-off": Kind(figure_trade_off.TITLE, figure_trade_off.draw, figure_trade_off.text, claims.trade_off_claims),
    "consistency": Kind(
        figure_consistency.TITLE, figure_consistency.draw, figure_consistency.text, claims.consistency_claims
    ),
    "parameters": Kind(
        figure_parameters.TITLE, figure_parameters.draw, figure_parameters.text, claims.parameters_claims
    ),
    "selection": Kind(figure_selection.TITLE, figure_selection.draw, figure_selection.text, claims.selection_claims),
}


def write(name: str, rows_csv: Path, out: Path) -> list[Path]:
    """Read a figure's rows and write its picture (PNG and SVG) and its numbers (Markdown); return the paths."""
    kind, results = KINDS[name], figure_data.load(rows_csv)
    pictures = drawing.save(kind.draw(results), out, name)
    numbers = out / f"{name}.md"
    sections = [
        f"# {kind.title}",
        f"![{kind.title}]({name}.png)",
        kind.text(results),
        "## What the paper says of it",
        claims.to_markdown(kind.judge(results)),
    ]
    numbers.write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    return [*pictures, numbers]
