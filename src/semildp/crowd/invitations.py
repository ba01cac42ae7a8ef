"""Invitations for simulated people: from a file of links, or made by the server as they are needed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from semildp.errors import InputError
from semildp.remote import Curator, read_link
from semildp.tables import open_table

AT_ONCE = 1000  # invitations that are made at a time, where it is not known how many people come
LINK = "link"  # the column of links in the file that `semildp invite` writes


def read_invitations(path: Path) -> Iterator[str]:
    """Yield the invitations of a CSV file with a column `link`."""
    with open_table(path) as table:
        if LINK not in table.header:
            raise InputError(
                f"{path} must have a column {LINK!r}, as `semildp invite` writes it. Got {table.header[:5]}."
            )
        place = table.header.index(LINK)
        for row in itertools.chain.from_iterable(table.blocks()):
            token = read_link(row[place])[1]
            if token is None:
                raise InputError(f"{path} must hold invitation links, which end in # and a token. Got one without.")
            yield token


def made_as_needed(curator: Curator, count: int | None) -> Iterator[str]:
    """Yield invitations without end, made by the server; at first as many as are known to be needed."""
    wanted = count or AT_ONCE
    while True:
        yield from curator.invitations(min(wanted, 10 * AT_ONCE))
        wanted = AT_ONCE
