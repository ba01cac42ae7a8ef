"""The page: one self-contained HTML file, filled with the numbers and pictures of a run."""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Sequence
from pathlib import Path
from string import Template

from examples.demo.contest import QUICK, Choice, Contest, describe_choice
from examples.demo.partition_picture import EPSILON, pictured_people
from examples.demo.remarks import write_remarks
from examples.demo.simulation import FORMULA, LABEL_BOUNDS, LABEL_RANGE, PRIVATE, TRUE_VARIANCE, Floats
from examples.demo.table import html_table
from semildp import HistOfTreeRegressor, __version__

TEMPLATE = Path(__file__).with_name("page.html")


def write_page(contest: Contest, pictured: HistOfTreeRegressor, out: Path) -> Path:
    """Fill the template; the pictures must already lie in `out`."""
    size = contest.size
    X, y = pictured_people(size, size.pictured[0])
    parts = {
        "n_people": f"{size.n_people:,}",
        "n_runs": str(size.n_runs),
        "n_fresh": f"{size.n_fresh:,}",
        "formula": FORMULA[0].upper() + FORMULA[1:],
        "variance": f"{TRUE_VARIANCE:.3f}",
        "label_low": f"{LABEL_BOUNDS[0]:g}".replace("-", "&minus;"),
        "label_high": f"{LABEL_BOUNDS[1]:g}",
        "pictured_epsilon": f"{EPSILON:g}",
        "promise": promise_table(contest.choices),
        "choices": choice_table(contest.choices),
        "messages": message_table(describe_choice(pictured, X), X[0], float(y[0])),
        "errors": html_table(contest),
        "remarks": "".join(f"<li>{html.escape(remark)}</li>" for remark in write_remarks(contest)),
        "account": pictured.privacy_.as_html(),
        "command": "python -m examples.demo" + (" --quick" if size == QUICK else ""),
        "version": html.escape(__version__),
        **{name: data_uri(out / f"{name}.png") for name in ("trade_off", "partition", "masks")},
    }
    page = out / "index.html"
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)
    page.write_text(text.replace("ε = ", "ε&nbsp;=&nbsp;"), encoding="utf-8")
    return page


def data_uri(picture: Path) -> str:
    """Return a PNG file as an address that contains it."""
    return "data:image/png;base64," + base64.b64encode(picture.read_bytes()).decode("ascii")


def promise_table(choices: tuple[Choice, ...]) -> str:
    """Tell, per epsilon, what is promised and how strong HistOfTree's noise on a label is."""
    heads = ("ε", "odds on a private value, at most", "chance to guess it, at most", "typical noise on a label")
    rows = []
    for choice in choices:
        odds = math.exp(choice.epsilon)
        to_one = f"{odds:,.1f} to 1" if odds < 100 else f"{odds:,.0f} to 1"
        noise = f"± {LABEL_RANGE / choice.label_epsilon:.2g}"
        rows.append((f"{choice.epsilon:g}", to_one, _percent(odds / (1 + odds)), noise))
    return _number_table(heads, rows)


def choice_table(choices: tuple[Choice, ...]) -> str:
    """Tell, per epsilon, which partition HistOfTree chose and how much a cell report says."""
    heads = (
        "ε",
        "bins on each private feature",
        "cells in all",
        "cells a person could be in",
        "the named one is right",
    )
    rows = [
        (
            f"{choice.epsilon:g}",
            str(choice.bins),
            str(choice.n_cells),
            str(choice.n_candidates),
            f"{_percent(choice.chance_right)} of the time" if choice.n_candidates > 1 else "always: only one",
        )
        for choice in choices
    ]
    return _number_table(heads, rows)


def message_table(choice: Choice, x: Floats, y: float) -> str:
    """Follow one person's numbers: what is true, and what of it is sent."""
    kept = "private: not sent; the device uses it to find the cell"
    rows = [
        (f"feature {j + 1}", f"{value:.3f}", kept if j in PRIVATE else f"public: {value:.3f} is sent")
        for j, value in enumerate(x)
    ]
    noise = LABEL_RANGE / choice.label_epsilon
    rows.append(("label", f"{y:.3f}", f"private: sent with noise, typically ± {noise:.2g} (first message)"))
    if choice.n_candidates > 1:
        sent = (
            f"private: from the public features it is one of {choice.n_candidates} cells; one of them is named, "
            f"the right one with probability {_percent(choice.chance_right)} (second message)"
        )
    else:
        sent = "follows from the public features, so naming it tells nothing new (second message)"
    rows.append(("cell", f"one of {choice.n_cells}", sent))
    body = "".join(f'<tr><th scope="row">{name}</th><td>{true}</td><td>{what}</td></tr>' for name, true, what in rows)
    return (
        '<table class="messages"><thead><tr><th scope="col"></th><th scope="col">true value</th>'
        f'<th scope="col">what happens to it</th></tr></thead><tbody>{body}</tbody></table>'
    )


def _number_table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Lay out a table of numbers."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _percent(share: float) -> str:
    """Return a share in percent, with decimals only where it is nearly all."""
    return f"{share:.0%}" if share < 0.99 else f"{share:.2%}"
