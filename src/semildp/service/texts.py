"""The page's texts: English, with a study's translation laid over them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from semildp._json import strict_json
from semildp.errors import InputError
from semildp.service.core import Core

PAGE = Path(__file__).parent / "page"


def page_texts(core: Core) -> bytes:
    """Return the texts as JSON."""
    english = PAGE / "texts.json"
    texts: dict[str, Any] = strict_json(english.read_bytes()) if english.exists() else {}
    name = core.rules.collection.texts
    if name is not None:
        try:
            translation = strict_json((core.folder / name).read_bytes())
        except OSError as problem:
            raise InputError(f"The texts {name!r} could not be read: {problem.strerror}.") from None
        if not isinstance(translation, dict):
            raise InputError(f"The texts {name!r} must be a JSON object from names to texts.")
        texts = _over(texts, translation)
    return json.dumps(texts, ensure_ascii=False).encode()


def _over(texts: dict[str, Any], translation: dict[str, Any]) -> dict[str, Any]:
    """Lay one tree of texts over another."""
    both = dict(texts)
    for key, value in translation.items():
        old = both.get(key)
        both[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return both
