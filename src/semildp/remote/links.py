"""Addresses and invitation links: the token comes after `#`, so that no server and no proxy sees it in a log."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from semildp._checks import short
from semildp.errors import InputError

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes in base64url


def read_link(link: str) -> tuple[str, str | None]:
    """Return the server's address, without a slash at its end, and the invitation, if the link has one."""
    try:
        parts = urlsplit(link if isinstance(link, str) else "")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an IPv6 address that is none
        usable = False
    if not usable or parts.query or parts.username or parts.password:
        example = "https://study.example.org or http://127.0.0.1:8000"
        raise InputError(f"A server's address must look like {example}. Got {short(link)}.")
    if parts.fragment and not is_token(parts.fragment):
        raise InputError(
            "What follows # in an invitation link must be 43 letters, digits, - or _. Copy the whole link."
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}", parts.fragment or None


def invitation_link(address: str, invitation: str) -> str:
    """Return the link that a person opens."""
    if not is_token(invitation):
        raise InputError("An invitation must be 43 letters, digits, - or _. Got something else.")
    return f"{read_link(address)[0]}/#{invitation}"


def is_token(text: object) -> bool:
    """Whether something has the form of a token."""
    return isinstance(text, str) and _TOKEN.fullmatch(text) is not None


def is_plain(address: str) -> bool:
    """Whether an address is of another machine and not encrypted: whoever is in between reads the tokens."""
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1")
