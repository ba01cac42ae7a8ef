"""The privacy statement: for participants and for an ethics board, in plain language, from the study itself."""

from __future__ import annotations

import math

from semildp.service.jobs import Rules


def statement(rules: Rules, questions: list[str]) -> str:
    """Return the statement as plain text. `questions` has what was asked so far, in words."""
    study, collection = rules.study, rules.collection
    odds = math.exp(study.epsilon)
    forced = [f.name for f in study.features if f.private or study.hide_mask]
    chosen = [f.name for f in study.features if not (f.private or study.hide_mask)]
    lines = [
        f"Privacy statement: {collection.title}",
        "",
        collection.description or "(The study has no description.)",
        "",
        "What you decide",
        f"You are asked about: {', '.join(study.names)}; and for the value to be learnt, which always stays private.",
    ]
    if chosen:
        lines.append(f"You choose for each of these whether it is public or private: {', '.join(chosen)}.")
    if forced:
        lines.append(f"These are private for everybody: {', '.join(forced)}.")
    if study.hide_mask:
        lines.append("Which features you would rather keep private is not sent either.")
    lines += [
        "",
        "What leaves your device",
        "What you make public is sent as it is. What is private is never sent as it is: your device answers a question "
        "about it at random, so that nobody can tell from the answer what is true of you.",
        *(f"Asked so far: {words}." for words in questions),
        "",
        "What is guaranteed",
        f"Your answers are randomised with epsilon = {study.epsilon:g} in all. This is local differential privacy: "
        f"whatever somebody believes about your private values beforehand, seeing everything that you send changes the "
        f"odds of any two possibilities by a factor of {_factor(odds)} at the most. It holds against everybody, the "
        "researchers and whoever may steal their data included, and does not end.",
        "It does not cover what you make public"
        + ("." if study.hide_mask else ", nor which features you choose to keep private."),
        "",
        "What is kept",
        "Kept are: what you made public, your randomised answer until the result has been computed, and then only sums "
        "of all answers and the result. Not kept are: your name, your network address, your browser, the time of your "
        "visit. Links and tokens are kept in a form from which they cannot be found again.",
        f"No result is computed from fewer than {collection.minimum} people.",
        "",
        f"Questions: {collection.contact or '(no contact was given)'}",
        f"The study's document has the SHA-256 digest {study.digest}.",
    ]
    return "\n".join(lines) + "\n"


def _factor(odds: float) -> str:
    return f"{odds:.2f}" if odds < 10 else f"{odds:,.0f}"
