"""Invitation links as files: a CSV table for mailings, and a page of cards with QR codes for printing."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape

from semildp.remote.links import invitation_link

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Invitations: {title}</title>
<style>
body {{ font: 11pt/1.35 system-ui, sans-serif; margin: 1cm; color: #000; background: #fff; }}
ol {{ display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; list-style: none; margin: 0; padding: 0; }}
li {{ border: 1px dashed #888; padding: 5mm; break-inside: avoid; display: flex; gap: 5mm; align-items: center; }}
svg {{ width: 36mm; height: 36mm; flex: none; }}
h2 {{ font-size: 12pt; margin: 0 0 2mm; }}
p {{ margin: 0 0 2mm; }}
.link {{ font: 7pt/1.3 ui-monospace, monospace; overflow-wrap: anywhere; }}
</style>
</head>
<body>
<ol>
{cards}
</ol>
</body>
</html>
"""
_CARD = """\
<li>{code}<div><h2>{title}</h2><p>Scan the code, or type the link. It is for you alone, and for once.</p>
<p class="link">{link}</p></div></li>"""


def links_of(address: str, invitations: Sequence[str]) -> list[str]:
    """Return the link of each invitation."""
    return [invitation_link(address, invitation) for invitation in invitations]


def links_csv(links: Sequence[str]) -> str:
    """Return the links as a table: a number and a link in each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "link"])
    writer.writerows(enumerate(links, 1))
    return text.getvalue()


def cards_html(title: str, links: Sequence[str]) -> str:
    """Return a page that loads nothing from anywhere: eight cards or so on a sheet of A4."""
    import segno  # late: only this page needs it

    cards = [
        _CARD.format(
            code=segno.make_qr(link, error="m").svg_inline(omitsize=True, border=2, title=f"QR code {number}"),
            title=escape(title),
            link=escape(link),
        )
        for number, link in enumerate(links, 1)
    ]
    return _PAGE.format(title=escape(title), cards="\n".join(cards))
