"""Tokens: who holds one may act as that person, invitation or curator. Only hashes of them are kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 random bytes in base64url


def new_token() -> str:
    """Draw a token."""
    return secrets.token_urlsafe(32)


def is_token(text: str) -> bool:
    """Whether text has a token's form."""
    return TOKEN.fullmatch(text) is not None


def hash_of(token: str) -> str:
    """Return what is kept of a token. Tokens have 256 random bits, so that a fast hash without salt suffices."""
    return hashlib.sha256(token.encode()).hexdigest()


def hashes_of(tokens: Iterable[str]) -> list[str]:
    """Return what is kept of many tokens."""
    return [hashlib.sha256(token.encode()).hexdigest() for token in tokens]


def same(token: str, kept: str) -> bool:
    """Whether a token is the one whose hash is kept, in time that tells nothing."""
    return hmac.compare_digest(hash_of(token), kept)
