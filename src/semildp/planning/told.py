"""A plan in words and tables: what is expected, under which assumptions, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence

from semildp.planning.needing import MOST
from semildp.planning.record import Expected, Plan, Row
from semildp.planning.spread import EVEN

SHARP = 0.3  # bends that explain more than this may be of any sharpness: tried by benchmarks.plan
PRICE = 1.25  # of the error: bounds that cost more are called too wide


def plan_text(plan: Plan) -> str:
    """Return all parts of a plan as text."""
    parts = [_assumed(plan), _errors(plan), _smallest(plan)]
    if plan.target is not None:
        parts.append(_needed(plan))
    if plan.wide:
        parts.append(_wide(plan))
    return "\n\n".join(parts)


def _assumed(plan: Plan) -> str:
    """Say what was assumed."""
    a = plan.assumed
    public, private = a.mattering
    hidden = "everyone hides" if a.hide == 1 else f"{100 * a.hide:.3g} % of people hide each"
    lines = [
        f"Plan for {plan.n_people:,} people and {a.n_features:,} features, {a.n_private:,} of them private.",
        "Assumed, not known:",
        f"  {100 * a.explained[0]:.3g} % of the label's variance is explained by {_count(public, 'public feature')}, "
        f"{100 * a.explained[1]:.3g} % by {_count(private, 'private feature')}",
        f"  {_shape(plan)}",
        f"  label bounds are {a.width:.3g} standard deviations of the label wide"
        + (f" (one is {plan.deviation:.4g})" if plan.deviation is not None else ""),
        f"  features are independent, {_spread(a.spread)}; {hidden}"
        + (" the private ones" if a.hide == 1 else " private one"),
    ]
    return "\n".join(lines)


def _spread(spread: float) -> str:
    """Say how features lie."""
    return "even over their bounds" if spread >= EVEN else f"and spread over their bounds by {spread:.2g} (even: 0.29)"


def _shape(plan: Plan) -> str:
    """Say what the label does along features."""
    a = plan.assumed
    alone = "each by a step" if a.shape == "steps" else f"each along a line; {_shares(a.bends)} of that is bends"
    if a.shape == "smooth" and max(a.bends) > SHARP:
        alone += (
            " (how sharp they are matters more than any number here: errors may be several times as large, or small)"
        )
    return alone + (f"; {_shares(a.products)} of it is of two features together" if max(a.products) else "")


def _shares(shares: tuple[float, float]) -> str:
    """Say which shares of what public and of what private features explain are meant; once if they are the same."""
    public, private = (f"{100 * share:.3g} %" for share in shares)
    return public if public == private else f"{public} (public) and {private} (private)"


def _errors(plan: Plan) -> str:
    """Return the table of expected errors."""
    methods = list(plan.rows[0].errors)
    heads = ["epsilon", *methods, "effects found"]
    lines = [
        [f"{row.epsilon:g}", *(_figure(row.errors[m]) for m in methods), f"{100 * row.found:.0f} %"]
        for row in plan.rows
    ]
    told = (
        "Expected error: squared difference to the best prediction there is, in units of the label's variance.\n"
        f"The mean alone has {plan.assumed.most:.3g}."
    )
    parts = [told, _table(heads, lines)]
    if plan.deviation is not None:
        parts += ["The same as a typical difference, in the label's units:", _table(heads[:-1], _units(plan, methods))]
    studies = _count(plan.replications, "study", "studies")
    parts.append(
        f"By simulation of {studies} each, ± one standard error. Effects found: share of studies of "
        "SemiPrivateRegressor\nthat tell some effect of a private feature from noise."
    )
    return "\n".join(parts)


def _units(plan: Plan, methods: Sequence[str]) -> list[list[str]]:
    """Return root mean squared differences in the label's units."""
    assert plan.deviation is not None
    return [
        [f"{row.epsilon:g}", *(f"{plan.deviation * row.errors[m].mean ** 0.5:.3g}" for m in methods)]
        for row in plan.rows
    ]


def _smallest(plan: Plan) -> str:
    """Return the table of smallest effects."""
    sizes = sorted({size for row in plan.rows for size in row.smallest})
    if not sizes:
        return "No feature is hidden by most people: all of them are in the public prediction, and no effect is sought."
    heads = ["epsilon", *("of one private feature" if size == 1 else "of two together" for size in sizes)]
    lines = [[f"{row.epsilon:g}", *(_share(row, size) for size in sizes)] for row in plan.rows]
    told = (
        "Smallest effect that SemiPrivateRegressor finds in about four studies of five, in % of the label's variance."
    )
    how = "By a formula, for an effect along a line; other shapes need more."
    if 2 in sizes:
        how += " Two together: in about two studies of three."
    return "\n".join([told, _table(heads, lines), how])


def _share(row: Row, size: int) -> str:
    share = row.smallest[size]
    return f"{100 * share:.2g}" if share < 1 else "none"


def _needed(plan: Plan) -> str:
    """Say how many people reach the target, and which epsilon."""
    lines = []
    for row in plan.rows:
        assert row.needed is not None
        about = row.needed.about
        lines.append([f"{row.epsilon:g}", f"more than {MOST:,}, or never" if about is None else f"{_rounded(about):,}"])
    enough = plan.enough
    with_all = f"With {plan.n_people:,} people "
    told = (
        f"{with_all}none of these epsilons reaches it."
        if enough is None
        else f"{with_all}epsilon {enough:.2g} is enough."
        if enough > plan.rows[0].epsilon
        else f"{with_all}epsilon {enough:g} is enough, the smallest of these."
    )
    head = f"People needed for an error of {plan.target:g}, with SemiPrivateRegressor; by simulation, about:"
    return "\n".join([head, _table(["epsilon", "people"], lines), told])


def _wide(plan: Plan) -> str:
    """Say what wide label bounds cost."""
    lines = [[f"{factor:g} times as wide", _figure(each)] for factor, each in plan.wide.items()]
    base = plan.wide[1.0].mean
    fine = max(factor for factor, each in plan.wide.items() if each.mean <= PRICE * base or factor == 1.0)
    told = (
        f"Bounds {fine:g} times as wide cost at most a quarter more."
        if fine > 1
        else "Bounds twice as wide cost more than a quarter more: give bounds as narrow as is honest."
    )
    head = f"Price of wide label bounds, at epsilon {plan.rows[0].epsilon:g}, with SemiPrivateRegressor; by simulation:"
    return "\n".join([head, _table(["label bounds", "error"], lines), told])


def _figure(expected: Expected) -> str:
    if expected.standard_error is None:
        return f"{expected.mean:.2g}"
    return f"{expected.mean:.2g} ± {expected.standard_error:.1g}"


def _rounded(number: int) -> int:
    """Round to two digits."""
    return int(float(f"{number:.1e}"))


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {many or one + 's'}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns that stand below each other, two spaces apart."""
    widths = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    return "\n".join(
        "  " + "  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in (heads, *rows)
    )
