"""The privacy statement: for participants and for an ethics board, in plain language, from the study itself."""

from __future__ import annotations

import math
from html import escape

from semildp.service.jobs import Rules

Section = tuple[str, list[str]]  # a heading, and paragraphs

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 38rem; margin: 2rem auto; padding: 0 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; }}
h1 {{ line-height: 1.2; }}
h2 {{ margin: 2rem 0 0; font-size: 1.125rem; }}
p {{ margin: 0.5rem 0; overflow-wrap: anywhere; white-space: pre-line; }}
@media print {{ body {{ margin: 0; font-size: 11pt; }} h2 {{ break-after: avoid; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def statement(rules: Rules, questions: list[str]) -> str:
    """Return the statement as plain text. `questions` has what was asked so far, in words."""
    parts = ["\n".join([heading, *texts] if heading else texts) for heading, texts in _sections(rules, questions)]
    return "\n\n".join([_title(rules), *parts]) + "\n"


def statement_page(rules: Rules, questions: list[str]) -> str:
    """Return the statement as an HTML page that needs nothing else."""
    lines = []
    for heading, texts in _sections(rules, questions):
        lines += [f"<h2>{escape(heading)}</h2>"] * bool(heading)
        lines += [f"<p>{escape(text)}</p>" for text in texts]
    return _PAGE.format(title=escape(_title(rules)), body="\n".join(lines))


def _title(rules: Rules) -> str:
    return f"Privacy statement: {rules.collection.title}"


def _sections(rules: Rules, questions: list[str]) -> list[Section]:
    study, collection = rules.study, rules.collection
    contact = f"Questions: {collection.contact or '(no contact was given)'}"
    return [
        ("", [collection.description or "(The study has no description.)"]),
        ("What you decide", _choice(rules)),
        (
            "What leaves your device",
            [
                "What you make public is sent as it is. What is private is never sent as it is: your device answers a "
                "question about it at random, so that nobody can tell from the answer what is true of you.",
                *(f"Asked so far: {words}." for words in questions),
            ],
        ),
        ("What is guaranteed", _guarantee(rules)),
        (
            "What is kept",
            [
                "Kept are: what you made public, your randomised answer until the result has been computed, and then "
                "only sums of all answers and the result. Not kept are: your name, your network address, your browser, "
                "the time of your visit. Links and tokens are kept in a form from which they cannot be found again.",
                f"No result is computed from fewer than {collection.minimum} people.",
            ],
        ),
        ("", [contact, f"The study's document has the SHA-256 digest {study.digest}."]),
    ]


def _choice(rules: Rules) -> list[str]:
    """What a person decides, and what is decided for them."""
    study = rules.study
    forced = [f.name for f in study.features if f.private or study.hide_mask]
    chosen = [f.name for f in study.features if not (f.private or study.hide_mask)]
    asked = (
        f"You are asked about: {', '.join(study.names)}; and for the value to be learnt, which always stays private."
    )
    lines = [asked]
    if chosen:
        lines.append(f"You choose for each of these whether it is public or private: {', '.join(chosen)}.")
    if forced:
        lines.append(f"These are private for everybody: {', '.join(forced)}.")
    if study.hide_mask:
        lines.append("Which features you would rather keep private is not sent either.")
    return lines


def _guarantee(rules: Rules) -> list[str]:
    """Epsilon, and what it means."""
    study = rules.study
    return [
        f"Your answers are randomised with epsilon = {study.epsilon:g} in all. This is local differential privacy: "
        f"whatever somebody believes about your private values beforehand, seeing everything that you send changes the "
        f"odds of any two possibilities by a factor of {_factor(math.exp(study.epsilon))} at the most. It holds "
        "against everybody, the researchers and whoever may steal their data included, and does not end.",
        "It does not cover what you make public"
        + ("." if study.hide_mask else ", nor which features you choose to keep private."),
    ]


def _factor(odds: float) -> str:
    """Write the factor, rounded up, so that it never promises too much."""
    return f"{math.ceil(100 * odds) / 100:.2f}" if odds < 10 else f"{math.ceil(odds):,}"
