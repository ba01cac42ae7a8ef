"""The table of errors, for the terminal and for the page."""

from __future__ import annotations

import html

import numpy as np

from examples.demo.contest import Contest

MARK = "*"


def text_table(contest: Contest) -> str:
    """Lay the mean errors out for a terminal; the lowest private one of each column is marked."""
    winners = contest.winners()
    lines = [
        "Mean squared error against the true function on fresh points; lower is better.",
        f"Mean of {contest.size.n_runs} runs of {contest.size.n_people:,} people each.",
        "",
        f"{'epsilon':<37}" + "".join(f"{epsilon:>9g} " for epsilon in contest.epsilons),
    ]
    for m, method in enumerate(contest.methods):
        if method.reference and not contest.methods[m - 1].reference:
            lines.append("references, which protect less:")
        cells = (f"{error:>9.3f}{MARK if winners[e] == m else ' '}" for e, error in enumerate(contest.mean[m]))
        lines.append(f"{method.name:<11} {method.protects:<25}" + "".join(cells))
    lines += [
        "",
        f"{MARK} lowest among the methods that protect label and private features.",
        "Mean predicts one number, the mean of labels noised with all of epsilon. Settings are defaults, not tuned.",
    ]
    return "\n".join(line.rstrip() for line in lines)


def html_table(contest: Contest) -> str:
    """Lay out the same table for the page, with the standard error under each mean."""
    winners, spread = contest.winners(), contest.standard_error
    head = "".join(f'<th scope="col">ε = {epsilon:g}</th>' for epsilon in contest.epsilons)
    rows = []
    for m, method in enumerate(contest.methods):
        cells = "".join(_cell(contest.mean[m, e], spread[m, e], winners[e] == m) for e in range(len(contest.epsilons)))
        name = f"{html.escape(method.name)}{' <i>(reference)</i>' if method.reference else ''}"
        rows.append(
            f'<tr class="{"reference" if method.reference else "private"}"><th scope="row">{name}'
            f"<small>{html.escape(method.what)}</small></th><td>{html.escape(method.protects)}</td>{cells}</tr>"
        )
    return (
        f'<table class="errors"><thead><tr><th scope="col">method</th><th scope="col">protects</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _cell(error: float, spread: float, best: bool) -> str:
    """Return one entry; the lowest private error is set in bold and marked."""
    text = f"<b>{error:.3f}{MARK}</b>" if best else f"{error:.3f}"
    below = f"<small>± {spread:.3f}</small>" if spread >= 0.0005 else f"<small>± {spread:.1g}</small>"
    below = below if np.isfinite(spread) else ""
    return f'<td class="number{" best" if best else ""}">{text}{below}</td>'
