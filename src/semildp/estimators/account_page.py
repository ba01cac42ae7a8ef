"""The privacy account as an HTML fragment for notebooks: no script, no resource from elsewhere, light or dark."""

from __future__ import annotations

import html
from collections.abc import Sequence

# Text, lines and shades follow the colour of the text around, so that a dark notebook stays dark; the mark of a caution
# has a colour of its own, one for each scheme. A browser that cannot mix colours draws no shade, and plain lines.
_STYLE = """<style>
.semildp-account{color:inherit;font:inherit;line-height:1.45;max-width:48rem;margin:.5em 0}
.semildp-account table{border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums;background:none}
.semildp-account caption{caption-side:top;text-align:left;font-weight:600;color:inherit;padding:.2em 0}
.semildp-account th,.semildp-account td{text-align:right;padding:.25em .9em;border:0;border-bottom:1px solid;
border-bottom-color:color-mix(in srgb,currentColor 25%,transparent);color:inherit;background:none}
.semildp-account th{font-weight:600;background:color-mix(in srgb,currentColor 8%,transparent)}
.semildp-account td:last-child{font-weight:600}
.semildp-account p{margin:.5em 0}.semildp-account ul{margin:.3em 0 .5em;padding-left:1.4em}
.semildp-account summary{cursor:pointer}
.semildp-account .semildp-caution{border-left:4px solid #b45309;padding:.2em 0 .2em .7em}
@media (prefers-color-scheme:dark){.semildp-account .semildp-caution{border-left-color:#fbbf24}}
</style>"""
_FEW = 4  # things that were sent: more are folded away
_HEAD = ("private features", "people", "label", "features", "total")


def account_page(
    definition: str, rows: Sequence[Sequence[str]], again: str, sent: Sequence[str], cautions: Sequence[str]
) -> str:
    """Return the fragment.

    Parameters
    ----------
    definition, again
        The guarantee in a sentence, and what another fit would add.
    rows
        Of the table: private features, people, and what one of them spent on the label, on features and in all.
    sent, cautions
        What left a device, and what the guarantee does not cover.
    """
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEAD)
    cells = "".join(f"<tr><td>{'</td><td>'.join(map(html.escape, row))}</td></tr>" for row in rows)
    items = "".join(f"<li>{html.escape(item)}</li>" for item in sent)
    opened = " open" if len(sent) <= _FEW else ""
    notes = "".join(
        f'<p class="semildp-caution"><strong>Caution:</strong> {html.escape(note)}</p>' for note in cautions
    )
    return (
        f'{_STYLE}<div class="semildp-account"><p>{html.escape(definition)}</p>'
        f"<table><caption>Spent per person (&epsilon;)</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{cells}</tbody></table>"
        f"{notes}<p>{html.escape(again)}</p>"
        f"<details{opened}><summary>What left a device</summary><ul>{items}</ul></details></div>"
    )
