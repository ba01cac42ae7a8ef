"""What the numbers of this run say, in sentences made from the numbers."""

from __future__ import annotations

import numpy as np

from examples.demo.contest import Contest, standard_error
from examples.demo.methods import HIST_OF_TREE, MEAN, OPEN_TREE, SEMI_PRIVATE, Method

CLEAR = 2.0  # a difference is called clear from this many standard errors on, taken over runs on the same people


def write_remarks(contest: Contest) -> list[str]:
    """Return all remarks, the most important first."""
    remarks = [
        _against_mean(contest),
        _less_error(contest),
        _lowest(contest),
        *_one_cell(contest),
        *_private_unused(contest),
    ]
    return [*remarks, *_losers(contest), *_label_only(contest), _price(contest)]


def compare(contest: Contest, method: Method, other: Method) -> list[int]:
    """Return per epsilon -1 if `method` has clearly the lower error, 1 if clearly the higher, else 0."""
    difference = contest.of(method) - contest.of(other)
    clear = np.abs(difference.mean(axis=0)) > CLEAR * standard_error(difference)
    return [int(sign) for sign in np.sign(difference.mean(axis=0)) * clear]


def at(contest: Contest, chosen: list[bool]) -> str:
    """Name the chosen epsilons: "at ε = 1, 2 and 4", "at every ε"."""
    if all(chosen):
        return "at every ε"
    names = [f"{epsilon:g}" for epsilon, is_chosen in zip(contest.epsilons, chosen, strict=True) if is_chosen]
    return "at ε = " + listed(names) if names else "at no ε"


def listed(names: list[str]) -> str:
    """Join names as in a sentence."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _against_mean(contest: Contest) -> str:
    signs = compare(contest, HIST_OF_TREE, MEAN)
    words = {-1: "clearly lower error", 0: "no clear difference", 1: "clearly higher error"}
    parts = [f"{word} {at(contest, [s == sign for s in signs])}" for sign, word in words.items() if sign in signs]
    lost = " Where it is higher, the mean is the better choice." if 1 in signs else ""
    return f"HistOfTree against the plain mean: {', '.join(parts)}.{lost}"


def _less_error(contest: Contest) -> str:
    ratio = contest.of(HIST_OF_TREE).mean(axis=0) / contest.of(SEMI_PRIVATE).mean(axis=0)
    parts = [f"{r:.1f} at ε = {epsilon:g}" for r, epsilon in zip(ratio, contest.epsilons, strict=True)]
    return f"With the same guarantee, SemiPrivate's error is smaller than HistOfTree's by a factor of {listed(parts)}."


def _lowest(contest: Contest) -> str:
    winners = contest.winners()
    parts = [f"{contest.methods[m].name} {at(contest, [w == m for w in winners])}" for m in dict.fromkeys(winners)]
    return f"The lowest error among the private methods: {'; '.join(parts)}."


def _one_cell(contest: Contest) -> list[str]:
    single = [choice.n_cells == 1 for choice in contest.choices]
    if not any(single):
        return []
    return [
        f"{at(contest, single).capitalize()} HistOfTree judged the noise too strong for more than one cell, so it too "
        "predicts one number. It keeps part of the budget for the cell report, so its labels are noisier than Mean's."
    ]


def _private_unused(contest: Contest) -> list[str]:
    unused = [choice.n_candidates == 1 < choice.n_cells for choice in contest.choices]
    if not any(unused):
        return []
    return [
        f"{at(contest, unused).capitalize()} it cut only public features: the private ones got a single bin, so they "
        "did not help, and the part of the budget kept for the cell report bought nothing."
    ]


def _losers(contest: Contest) -> list[str]:
    remarks = []
    for method in contest.methods:
        if method.reference or method in (HIST_OF_TREE, MEAN):
            continue
        worse = [sign == 1 for sign in compare(contest, method, MEAN)]
        if any(worse):
            more = " It protects all features, which is more than was asked." if "all" in method.protects else ""
            remarks.append(f"{method.name} clearly loses to the plain mean {at(contest, worse)}.{more}")
    return remarks


def _label_only(contest: Contest) -> list[str]:
    other = next(method for method in contest.methods if method.protects == "label only")
    signs = compare(contest, other, HIST_OF_TREE)
    higher = [sign == 1 for sign in signs]
    if not any(higher):
        return []
    return [
        f"{other.name} protects less and still has clearly the higher error {at(contest, higher)}: a tree of fixed "
        "depth fits the noise, while HistOfTree chooses its size by the noise. A smaller tree might do better."
    ]


def _price(contest: Contest) -> str:
    ratio = contest.of(SEMI_PRIVATE).mean(axis=0) / contest.of(OPEN_TREE).mean(axis=0)
    low, high = contest.epsilons[0], contest.epsilons[-1]
    return (
        f"The price of privacy: SemiPrivate has {ratio[-1]:.1f} times the error of the ordinary tree at ε = {high:g}, "
        f"and {ratio[0]:.1f} times at ε = {low:g}."
    )
